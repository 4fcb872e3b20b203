/** Issued tokens: revocation (RFC 7009) and introspection (RFC 7662). */
import type { Environment } from '../core/environment.ts';
import type { Database } from '../store/engine/database.ts';
import { RevokedTokenStore } from '../store/tokens/revoked-token-store.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import { OAuthError } from './protocol/oauth-error.ts';
import type { RefreshTokens } from './tokens/refresh-tokens.ts';
import type { Sessions } from '../people/sessions.ts';
import type { TokenVerifier } from './tokens/token-verifier.ts';

interface IssuedTokensDeps {
  database: Database;
  verifier: TokenVerifier;
  refreshTokens: RefreshTokens;
  sessions: Pick<Sessions, 'end'>;
}

export class IssuedTokens {
  readonly #deps: IssuedTokensDeps;

  constructor(deps: IssuedTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Revokes a token of the client: an access token alone, a refresh token together with its session and all its
   * tokens. Anything else needs no revocation and gets the same answer.
   *
   * @throws OAuthError `invalid_request` without a token, `unauthorized_client` for a token of another client
   * @see RFC 7009 section 2.1
   */
  async revoke(
    environmentId: string,
    { clientId }: AuthenticatedClient,
    token: string | undefined,
    ip: string,
  ): Promise<void> {
    const given = required(token);
    const found = await this.#deps.verifier.inspect(environmentId, given);
    if (found !== undefined) {
      const { tokenId, expiresAt } = found.token;
      if (found.token.clientId !== clientId) throw ofAnother();
      const row = { environment_id: environmentId, token_id: tokenId, expires_at: expiresAt };
      await this.#deps.database.transaction(async (tx) => new RevokedTokenStore(tx).add(row));
      this.#deps.verifier.forget(tokenId);
      return;
    }
    const refreshable = await this.#deps.refreshTokens.inspect(environmentId, given);
    if (refreshable === undefined) return;
    const { session } = refreshable;
    if (session.clientId !== clientId) throw ofAnother();
    await this.#deps.sessions.end(environmentId, session.id, session.userId, ip);
  }

  /**
   * Describes a token. Machines may introspect all access tokens of their organization, or of the environment
   * without one, because they may receive them. Apps may introspect only their own.
   *
   * @throws OAuthError `invalid_request` without a token; `invalid_client` for an app without proof
   * @see RFC 7662 section 2.2
   */
  async introspect(
    environment: Environment,
    client: AuthenticatedClient,
    token: string | undefined,
  ): Promise<Record<string, unknown>> {
    const given = required(token);
    if (client.isPublic)
      throw new OAuthError('invalid_client', 'Only clients with a secret can introspect tokens.', {
        status: 401,
        headers: { 'www-authenticate': `Basic realm="${environment.baseUrl}"` },
      });
    const found = await this.#deps.verifier.inspect(environment.id, given);
    if (found !== undefined && mayKnow(client, found.token))
      return { ...found.claims, active: true, token_type: 'Bearer' };
    if (found !== undefined) return { active: false };
    const refreshable = await this.#deps.refreshTokens.inspect(environment.id, given);
    if (refreshable === undefined || refreshable.session.clientId !== client.clientId)
      return { active: false };
    const { session, scopes } = refreshable;
    return {
      active: true,
      iss: environment.baseUrl,
      client_id: session.clientId,
      sub: session.userId,
      aud: session.resource,
      scope: scopes.join(' '),
      exp: Math.floor(session.expiresAt / 1_000),
    };
  }
}

function mayKnow(
  { clientId, credential }: AuthenticatedClient,
  token: { clientId: string; organizationId: string },
): boolean {
  if (credential === undefined) return token.clientId === clientId;
  return credential.organizationId === '' || credential.organizationId === token.organizationId;
}

function required(token: string | undefined): string {
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
  return token;
}

function ofAnother(): OAuthError {
  return new OAuthError('unauthorized_client', 'The token was issued to another client.');
}
