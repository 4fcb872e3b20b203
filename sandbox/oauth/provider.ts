/** A stand-in provider with OAuth: its names, the scopes it offers, and the one app registered with it. */
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

/** Differences between providers. */
export interface ProviderDescription {
  /** First word of its codes, tokens and client secret, e.g. `crm`. */
  name: string;
  /** Everyday name, e.g. `CRM`: "wants to use your CRM". */
  thing: string;
  /** The place that access is granted to, e.g. the workspace Northlight Supply. */
  place: { kind: string; name: string };
  /**
   * Paths of its endpoints, like those of the real provider; a provider without revocation omits that one.
   */
  paths: { authorize: string; token: string; revoke?: string };
  /** Scopes that the app may request. */
  scopes: readonly string[];
  /** Meaning of each scope, in words. */
  permissions: Readonly<Record<string, string>>;
  members: readonly Member[];
  /** Reads the scopes of a consent request. @throws OAuthRefusal invalid_scope */
  readConsent(query: URLSearchParams): { scopes: readonly string[]; isOffline: boolean };
  /** Members of a token answer that the provider adds. */
  addToTokens?(grant: Grant, member: Member): Record<string, unknown>;
  /** Body of a refusal, if it differs from RFC 6749. */
  renderRefusal?(refusal: OAuthRefusal): Record<string, unknown>;
}

/** The public side of a provider: what tests and the demo can see and change. */
export interface SandboxProvider {
  /** The one registered app; its secret is generated for each sandbox. */
  app: OAuthApp;
  /** Paths of its endpoints. */
  paths: ProviderDescription['paths'];
  /** People who can be signed in on the consent page. */
  members: readonly Member[];
  /** Registers an address to which the browser may be redirected. */
  allowRedirect(uri: string): void;
  /**
   * Expires every access token now; refresh tokens stay valid. @returns number of tokens that were valid
   * until now
   */
  expireAccessTokens(): number;
  /**
   * Same effect as a person removing the app from the account. @param memberId default: everybody. @returns
   * number of grants ended
   */
  revokeGrants(memberId?: string): number;
  /** Every code and token ever issued, to search for them in places where they must not appear. */
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
  #takesLoopback = false;

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

  /** Grant of the bearer token in an `Authorization` header; `undefined` if the token is not valid now. */
  grantOf(authorization: string | undefined): Grant | undefined {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.grants.find(token)?.grant;
  }

  /** Takes any redirect URI on loopback from now on, and a client secret that everybody can know. */
  openToEverybody(): void {
    this.#takesLoopback = true;
    this.app.clientSecret = `${this.description.name}-public-secret`;
  }

  /** True for a registered URI, compared exactly, or for one on loopback if these are all taken. */
  isRegistered(redirectUri: string): boolean {
    return this.#redirectUris.has(redirectUri) || (this.#takesLoopback && isOnLoopback(redirectUri));
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

function isOnLoopback(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname, username, password, hash } = new URL(uri);
  return (
    ['http:', 'https:'].includes(protocol) &&
    ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) &&
    [username, password, hash].every((part) => part === '')
  );
}

/**
 * The space-separated scopes of a request.
 *
 * @returns `undefined` if a requested scope is not allowed for the app
 */
export function listedScopes(query: URLSearchParams, allowed: readonly string[]): string[] | undefined {
  const scopes = [...new Set((query.get('scope') ?? '').split(' '))].filter((scope) => scope !== '');
  return scopes.every((scope) => allowed.includes(scope)) ? scopes : undefined;
}
