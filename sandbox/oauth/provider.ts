/** A stand-in provider with OAuth: what it is called, what may be asked of it, the one app that is registered with it. */
import type { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import { newSecret } from '../../src/core/ids.ts';
import { Grants, type Grant, type OAuthApp, type TokenRules } from './grants.ts';
import type { OAuthRefusal } from './refusal.ts';

/** A person who may be signed in on the consent page. */
export interface Member {
  id: string;
  name: string;
  email: string;
}

/** What makes one provider differ from the others. */
export interface ProviderDescription {
  /** First word of its codes, tokens and client secret, e.g. `crm`. */
  name: string;
  /** What people call it, e.g. `CRM`: "wants to use your CRM". */
  thing: string;
  /** What access is given to, e.g. the workspace Northlight Supply. */
  place: { kind: string; name: string };
  /** Its endpoints, as the real provider has them; a provider without revocation leaves that one out. */
  paths: { authorize: string; token: string; revoke?: string };
  /** What the app may ask for. */
  scopes: readonly string[];
  /** What each scope allows, in words. */
  permissions: Readonly<Record<string, string>>;
  members: readonly Member[];
  /** Reads what a request for consent asks for. @throws OAuthRefusal invalid_scope */
  readConsent(query: URLSearchParams): { scopes: readonly string[]; isOffline: boolean };
  /** Members of a token answer that the provider adds. */
  addToTokens?(grant: Grant, member: Member): Record<string, unknown>;
  /** Body of a refusal where it is not that of RFC 6749. */
  renderRefusal?(refusal: OAuthRefusal): Record<string, unknown>;
}

/** A provider from the outside: what tests and the demo see of it and may do to it. */
export interface SandboxProvider {
  /** The one app that is registered; its secret is made anew for each sandbox. */
  app: OAuthApp;
  /** Paths of its endpoints. */
  paths: ProviderDescription['paths'];
  /** Who may be signed in on the consent page. */
  members: readonly Member[];
  /** Registers an address the browser may be sent back to. */
  allowRedirect(uri: string): void;
  /** Ends every access token now; refresh tokens stay good. @returns how many worked until now */
  expireAccessTokens(): number;
  /** As if the person removed the app from the account. @param memberId default: everybody. @returns how many grants ended */
  revokeGrants(memberId?: string): number;
  /** Every code and token there ever was, for searching them where they must not be. */
  everIssued(): string[];
}

/** A provider with the routes of its endpoints and of its API. */
export interface StandIn {
  provider: OAuthProvider;
  routes: Hono;
}

/** One provider of one sandbox. */
export class OAuthProvider implements SandboxProvider {
  readonly description: ProviderDescription;
  readonly app: OAuthApp;
  readonly grants: Grants;
  readonly #redirectUris = new Set<string>();

  constructor(description: ProviderDescription, rules: TokenRules, clock: Clock) {
    this.description = description;
    this.app = {
      name: 'Gatehouse demo',
      clientId: 'gatehouse-demo',
      clientSecret: `${description.name}-secret-${newSecret()}`,
      scopes: description.scopes,
    };
    this.grants = new Grants(description.name, rules, clock);
  }

  get paths(): ProviderDescription['paths'] {
    return this.description.paths;
  }

  get members(): readonly Member[] {
    return this.description.members;
  }

  allowRedirect(uri: string): void {
    this.#redirectUris.add(uri);
  }

  /** What the bearer token of an `Authorization` header stands for; undefined when it does not work now. */
  grantOf(authorization: string | undefined): Grant | undefined {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.grants.find(token)?.grant;
  }

  /** Compared exactly. */
  isRegistered(redirectUri: string): boolean {
    return this.#redirectUris.has(redirectUri);
  }

  expireAccessTokens(): number {
    return this.grants.expireAccessTokens();
  }

  revokeGrants(memberId?: string): number {
    return this.grants.revokeGrants((grant) => memberId === undefined || grant.memberId === memberId);
  }

  everIssued(): string[] {
    return this.grants.everIssued();
  }
}

/**
 * The scopes of a request that lists them with blanks between.
 *
 * @returns undefined when one is asked for that the app may not have
 */
export function listedScopes(query: URLSearchParams, allowed: readonly string[]): string[] | undefined {
  const scopes = [...new Set((query.get('scope') ?? '').split(' '))].filter((scope) => scope !== '');
  return scopes.every((scope) => allowed.includes(scope)) ? scopes : undefined;
}
