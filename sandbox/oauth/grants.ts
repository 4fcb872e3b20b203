/**
 * Grants for the one app registered with a stand-in: codes, access tokens and refresh tokens, kept in memory
 * for the life of the sandbox.
 *
 * By default as strict as the strictest real providers: a code works once and a refresh token works once.
 * Presenting one again ends the whole grant.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../src/core/clock.ts';
import { newSecret } from '../../src/core/ids.ts';
import { OAuthRefusal } from './refusal.ts';

/** The app registered with the stand-in. */
export interface OAuthApp {
  /** Name shown on the consent page. */
  name: string;
  clientId: string;
  clientSecret: string;
  /**
   * Scopes that the app may request. If the provider lets no app request scopes, the scopes of every grant.
   */
  scopes: readonly string[];
}

/** Kinds of tokens that are issued, and their lifetimes. */
export interface TokenRules {
  /** Whether refresh tokens are issued. The real CRM has none. */
  refreshTokens: boolean;
  /**
   * Life of an access token in seconds. With null it does not expire and no `expires_in` is sent, as with the
   * real CRM.
   */
  accessTokenSeconds: number | null;
  /**
   * Effect of a renewal on the refresh token. `once` replaces it and makes it invalid; `renewed` returns an
   * additional one; `kept` returns none, and the old one stays valid. Default: `once`.
   */
  rotation?: 'once' | 'renewed' | 'kept';
}

/** A request of the app that waits for a person's answer on the consent page. */
export interface ConsentRequest {
  redirectUri: string;
  state: string | undefined;
  /** S256 of the verifier (RFC 7636). */
  codeChallenge: string | undefined;
  /** Scopes that the person is asked to grant. */
  scopes: readonly string[];
  /** Whether a refresh token is requested, in the provider's own way. */
  isOffline: boolean;
}

/** One grant of one person. */
export interface Grant {
  /** Counted from 1. */
  number: number;
  memberId: string;
  scopes: readonly string[];
  isOffline: boolean;
  /** Unix milliseconds. */
  grantedAt: number;
  isRevoked: boolean;
}

/** The body of a token answer, common to all providers. */
export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  expires_in?: number;
  refresh_token?: string;
}

/** A token answer and its grant. */
export interface IssuedTokens {
  answer: TokenAnswer;
  grant: Grant;
}

/** An issued token or code. */
interface Issued {
  kind: 'code' | 'access' | 'refresh';
  grant: Grant;
  /** Unix milliseconds; null means never. */
  expiresAt: number | null;
  isUsed: boolean;
  consent?: ConsentRequest;
}

const CODE_LIFETIME_MS = 60_000;

/** All grants of one stand-in. */
export class Grants {
  readonly #name: string;
  readonly #rules: TokenRules;
  readonly #clock: Clock;
  readonly #issued = new Map<string, Issued>();
  readonly #consents = new Map<string, ConsentRequest>();
  readonly #grants: Grant[] = [];

  /** @param name first word of every code and token: `crm` gives `crm-access-…` */
  constructor(name: string, rules: TokenRules, clock: Clock) {
    this.#name = name;
    this.#rules = rules;
    this.#clock = clock;
  }

  /** @returns the number of the consent page, posted back with the answer */
  ask(request: ConsentRequest): string {
    const number = newSecret();
    this.#consents.set(number, request);
    return number;
  }

  /** The request of a consent page; each can be answered once. */
  takeConsent(number: string): ConsentRequest | undefined {
    const request = this.#consents.get(number);
    this.#consents.delete(number);
    return request;
  }

  /** Records a person's consent. @returns the code */
  allow(consent: ConsentRequest, memberId: string): string {
    const number = this.#grants.length + 1;
    const { scopes, isOffline } = consent;
    const grantedAt = this.#clock.now();
    const grant: Grant = { number, memberId, scopes, isOffline, grantedAt, isRevoked: false };
    this.#grants.push(grant);
    return this.#issue('code', grant, CODE_LIFETIME_MS, consent);
  }

  /** @param redirectUri may be absent, as with the real provider. @throws OAuthRefusal invalid_grant */
  exchange(
    code: string,
    proof: { redirectUri: string | undefined; verifier: string | undefined },
  ): IssuedTokens {
    const { grant, consent } = this.#use('code', code);
    if (proof.redirectUri !== undefined && proof.redirectUri !== consent?.redirectUri)
      throw new OAuthRefusal(
        'invalid_grant',
        'The redirect_uri is not the one of the authorization request.',
      );
    const challenge = consent?.codeChallenge;
    if (challenge !== undefined && challenge !== s256(proof.verifier ?? ''))
      throw new OAuthRefusal('invalid_grant', 'The code_verifier does not fit the code_challenge.');
    return { answer: this.#tokens(grant, grant.isOffline), grant };
  }

  /** The rules decide what happens to the refresh token. @throws OAuthRefusal invalid_grant */
  refresh(refreshToken: string): IssuedTokens {
    const { grant } = this.#use('refresh', refreshToken);
    return { answer: this.#tokens(grant, this.#rules.rotation !== 'kept'), grant };
  }

  /** RFC 7009: an unknown token counts as revoked. Revoking a refresh token ends its grant. */
  revoke(token: string): void {
    const issued = this.#issued.get(token);
    if (issued === undefined) return;
    if (issued.kind === 'access') issued.expiresAt = 0;
    else issued.grant.isRevoked = true;
  }

  /** Grant and expiry of an access token that is currently valid. */
  find(accessToken: string): { grant: Grant; expiresAt: number | null } | undefined {
    const issued = this.#issued.get(accessToken);
    return issued?.kind === 'access' && this.#isGood(issued) ? issued : undefined;
  }

  /** Whether a text has the form of our access tokens, whether issued or not. */
  isAccessToken(text: string): boolean {
    return text.startsWith(`${this.#name}-access-`);
  }

  /** Current grants, oldest first. */
  live(): Grant[] {
    return this.#grants.filter(({ isRevoked }) => !isRevoked);
  }

  /**
   * Expires access tokens at once; refresh tokens stay valid. @param grants default: all. @returns number of
   * tokens that were valid until now
   */
  expireAccessTokens(grants: readonly Grant[] = this.#grants): number {
    const good = [...this.#issued.values()].filter(
      (issued) => issued.kind === 'access' && grants.includes(issued.grant) && this.#isGood(issued),
    );
    for (const issued of good) issued.expiresAt = 0;
    return good.length;
  }

  /** Same effect as a person removing the app from the account. @returns number of grants ended */
  revokeGrants(isEnded: (grant: Grant) => boolean): number {
    const ended = this.live().filter(isEnded);
    for (const grant of ended) grant.isRevoked = true;
    return ended.length;
  }

  /** Every code and token ever issued, to search for them in places where they must not appear. */
  everIssued(): string[] {
    return [...this.#issued.keys()];
  }

  #tokens(grant: Grant, withRefreshToken: boolean): TokenAnswer {
    const { accessTokenSeconds, refreshTokens } = this.#rules;
    const lifetimeMs = accessTokenSeconds === null ? null : accessTokenSeconds * 1000;
    return {
      access_token: this.#issue('access', grant, lifetimeMs),
      token_type: 'Bearer',
      ...(accessTokenSeconds !== null && { expires_in: accessTokenSeconds }),
      ...(refreshTokens && withRefreshToken && { refresh_token: this.#issue('refresh', grant, null) }),
    };
  }

  #issue(kind: Issued['kind'], grant: Grant, lifetimeMs: number | null, consent?: ConsentRequest): string {
    const text = `${this.#name}-${kind}-${newSecret()}`;
    const expiresAt = lifetimeMs === null ? null : this.#clock.now() + lifetimeMs;
    this.#issued.set(text, { kind, grant, expiresAt, isUsed: false, ...(consent && { consent }) });
    return text;
  }

  /** Finds the presented code or token, and marks it as used if it works only once. */
  #use(kind: 'code' | 'refresh', text: string): Issued {
    const issued = this.#issued.get(text);
    if (issued?.kind !== kind) throw new OAuthRefusal('invalid_grant', `This ${kind} is not known.`);
    if (issued.isUsed) {
      issued.grant.isRevoked = true;
      throw new OAuthRefusal(
        'invalid_grant',
        `This ${kind} was used before; the whole grant is revoked now.`,
      );
    }
    if (!this.#isGood(issued))
      throw new OAuthRefusal('invalid_grant', `This ${kind} has expired or was revoked.`);
    issued.isUsed = kind === 'code' || (this.#rules.rotation ?? 'once') === 'once';
    return issued;
  }

  #isGood({ grant, expiresAt }: Issued): boolean {
    return !grant.isRevoked && (expiresAt === null || this.#clock.now() < expiresAt);
  }
}

function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
