/**
 * MCP_OAUTH: consents at the authorization server of a remote MCP server, refresh tokens, and a bearer token.
 *
 * Refresh tokens are sent only to the server that issued them, by the client that they were issued to, even if the
 * connection has changed.
 */
import type { McpGrant } from '../../authorization-types/mcp-oauth.ts';
import type { AuthOf } from '../../catalog/model/types.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { TokenFailure, type OAuthClient } from '../oauth/token-endpoint.ts';
import { mcpConsent, withoutVanished } from './mcp-consent.ts';
import { withTokens } from './renewed-credentials.ts';
import type { Renewal, SchemeServices } from './renewal.ts';
import { bearerAuthorization, type Scheme } from './scheme.ts';

/** Refusals with 400 in a row after which a refresh token counts as dead. */
const MAX_REFUSALS = 3;

/** The client of a grant, with the current endpoints of its issuer, if that is still the issuer of the server. */
export async function mcpClientOf(
  connection: Connection,
  grant: McpGrant,
  { mcp }: Pick<SchemeServices, 'mcp'>,
): Promise<OAuthClient> {
  const now = await mcp.servers.endpointsOf(connection, grant.issuer);
  const addresses = {
    tokenUrl: now?.tokenUrl ?? grant.token_url,
    revocationUrl: now === undefined ? grant.revocation_url : now.revocationUrl,
  };
  return mcp.clients.ofGrant(connection, grant, addresses, ' ');
}

const renewal: Renewal<AuthOf<'MCP_OAUTH'>> = {
  by: 'token',
  credentialOf: ({ oauth_token }) => oauth_token?.access_token || undefined,
  isPossible: ({ oauth_token, internal }) =>
    (oauth_token?.refresh_token ?? '') !== '' && internal?.grant !== undefined,
  async prepare({ details, connection }, services) {
    const { refresh_token: refreshToken = '' } = details.oauth_token ?? {};
    const grant = details.internal?.grant;
    if (grant === undefined) throw new Error('this account has no grant');
    const { tokens, mcp } = services;
    const { environmentId } = connection;
    // A client that no longer is ours ends the account like a refused token. All other failures are for the
    // operator.
    const client = await mcpClientOf(connection, grant, services).catch((error: unknown) => {
      if (error instanceof TokenFailure) return error;
      throw error;
    });
    return async (options) => {
      try {
        if (client instanceof TokenFailure) throw client;
        const reply = await withoutVanished({ environmentId, grant, mcp }, async () =>
          tokens.refresh(client, refreshToken, options),
        );
        return {
          applyTo: (stored) => withTokens(stored, reply),
          expiresInSeconds: reply.expiresInSeconds,
        };
      } catch (error) {
        if (!(error instanceof TokenFailure)) throw error;
        // The owner consents again, with a newly registered client.
        const isGone = error.kind === 'client_refused' && grant.way === 'dynamic';
        throw isGone || isDead(error, options.failedAttempts) ? error.as('invalid_grant') : error;
      }
    };
  },
};

/**
 * Whether the refresh token is dead. Some servers refuse a dead one as an invalid request, and refuse nothing else
 * three times in a row.
 */
function isDead({ kind, status }: TokenFailure, failedAttempts = 0): boolean {
  return kind === 'refused' && status === 400 && failedAttempts >= MAX_REFUSALS - 1;
}

export const mcpOauth: Scheme<AuthOf<'MCP_OAUTH'>> = {
  connect: () => 'consent',
  consent: mcpConsent,
  requireComplete({ connection, auth }) {
    if (auth.mcp_oauth.registration === 'static' && connection.clientId === null)
      throw incomplete(connection, 'client_id');
  },
  renewal,
  attach: ({ details }) => bearerAuthorization(details.oauth_token?.access_token ?? ''),
};
