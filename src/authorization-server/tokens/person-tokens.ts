/**
 * Access tokens of people: their claims, their signature, and the refresh token that comes with them.
 *
 * A token is for one session (`gid`) and one resource (`aud`), and ends with its lifetime or the session. Readers
 * of the token check whether the session is still live (token-verifier.ts).
 */
import { SignJWT } from 'jose';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import { newSecret } from '../../core/ids.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { insertRefreshToken, refreshTokenRow } from './refresh-token-rows.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The data of a session that its tokens contain. */
export interface TokenSession {
  /** `ses_…` */
  id: string;
  environmentId: string;
  userId: string;
  /** Empty without one. */
  organizationId: string;
  clientId: string;
  /** The only resource the tokens are for. */
  resource: string;
  /** Claims that interceptors added. */
  customClaims: Readonly<Record<string, unknown>>;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** A token response. @see RFC 6749 section 5.1 */
export interface IssuedToken {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  /** Space-separated. */
  scope: string;
}

/** A token response with a refresh token. */
export interface RefreshableToken extends IssuedToken {
  refresh_token: string;
}

interface PersonTokensDeps {
  database: Database;
  vault: Pick<Vault, 'seal'>;
  keys: SigningKeys;
  environments: Environments;
  clock: Clock;
  tokenMs: number;
}

export class PersonTokens {
  readonly #deps: PersonTokensDeps;

  /** @param deps.tokenMs lifetime of access tokens (`lifetimes.token`) */
  constructor(deps: PersonTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Signs an access token of a live session.
   *
   * @param scopes as granted; never more than requested
   * @throws UnreadableSecret if the signing key cannot be opened
   * @see RFC 9068 section 2.2
   */
  async accessToken(session: TokenSession, scopes: readonly string[]): Promise<IssuedToken> {
    const { kid, alg, ...jwk } = await this.#deps.keys.signingJwk(session.environmentId);
    const now = this.#deps.clock.now();
    const issuedAt = Math.floor(now / 1_000);
    const lifetimeMs = Math.min(this.#deps.tokenMs, session.expiresAt - now);
    const seconds = Math.max(1, Math.floor(lifetimeMs / 1_000));
    const claims = {
      client_id: session.clientId,
      scope: scopes.join(' '),
      scopes,
      gid: session.id,
      ...(session.organizationId !== '' && { oid: session.organizationId }),
      ...(Object.keys(session.customClaims).length > 0 && { custom_claims: session.customClaims }),
    };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg, typ: 'at+jwt', kid })
      .setIssuer(this.#deps.environments.get(session.environmentId).baseUrl)
      .setSubject(session.userId)
      .setAudience(session.resource)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .setJti(newSecret())
      .sign(jwk);
    return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' ') };
  }

  /**
   * Signs an access token and creates the refresh token that its client (`session.clientId`) may use once at the
   * token endpoint.
   *
   * @throws UnreadableSecret; ServiceError UNAVAILABLE if the database cannot be written
   */
  async issueRefreshable(session: TokenSession, scopes: readonly string[]): Promise<RefreshableToken> {
    const answer = await this.accessToken(session, scopes);
    const refreshToken = newSecret();
    const row = await refreshTokenRow(this.#deps.vault, session, {
      refreshToken,
      scopes,
      now: this.#deps.clock.now(),
    });
    await this.#deps.database.transaction(async (tx) => insertRefreshToken(tx, row));
    return { ...answer, refresh_token: refreshToken };
  }
}
