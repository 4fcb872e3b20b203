/**
 * The consent of MCP_OAUTH: discovery, a client, an authorization request with PKCE and `resource`, and the exchange of its
 * code by the same client at the same server.
 */
import type { McpGrant } from '../../authorization-types/mcp-oauth.ts';
import type { AuthOf } from '../../catalog/model/types.ts';
import { newSecret } from '../../core/ids.ts';
import { authorizationUrl } from '../oauth/authorization-url.ts';
import { TokenFailure } from '../oauth/token-endpoint.ts';
import type { McpAuthorization } from '../../store/tables/upstream-tables.ts';
import type { KnownMcpServer, McpTargetServer } from '../oauth/mcp-servers.ts';
import { ConnectionChangedFailure, type ConsentStep, type ConsentSubject } from './consent-step.ts';
import { receivedTokens } from './oauth-consent.ts';
import type { SchemeServices } from './renewal.ts';

/** Data of a flow that stays sealed until the browser returns. */
interface KeptFlow {
  verifier: string;
  grant: McpGrant;
}

export const mcpConsent: ConsentStep<AuthOf<'MCP_OAUTH'>> = {
  answer: () => 'code',

  // The server names the authorization server that asks for the consent.
  outline: ({ auth }) => ({ defaultScopes: auth.mcp_oauth.scopes, rules: { scope_parameter: true } }),

  async locate(subject, given, { mcp }) {
    const known = await mcp.servers.known(serverOf(subject));
    return { address: known.authorization.authorizationUrl, scopes: scopesAt(known, subject, given) };
  },

  async begin(subject, { state, redirectUri, scopes: given }, { mcp }) {
    const target = { ...serverOf(subject), redirectUri };
    const { rules } = target;
    const known = await mcp.servers.known(target);
    const { server, authorization } = known;
    const client = await mcp.clients.forConsent(target, server, authorization);
    const { resource, revocationUrl, tokenUrl, issuer } = authorization;
    const scopes = scopesAt(known, subject, given);
    const grant: McpGrant = {
      ...client,
      issuer,
      token_url: tokenUrl,
      ...(revocationUrl !== undefined && { revocation_url: revocationUrl }),
      ...(resource !== undefined && { resource }),
    };
    const verifier = newSecret();
    const kept: KeptFlow = { verifier, grant };
    const asked = {
      authorize_parameters: { ...rules.authorize_parameters, ...(resource !== undefined && { resource }) },
      scope_parameter: true,
      scope_separator: rules.scope_separator,
    };
    return {
      redirectTo: authorizationUrl(authorization.authorizationUrl, asked, {
        clientId: client.client_id,
        redirectUri,
        state,
        scopes,
        verifier,
      }),
      secret: JSON.stringify(kept),
      tokenUrl,
      issuer,
      isIssuerRequired: authorization.isIssuerAnnounced,
      scopes,
    };
  },

  async finish({ connection, auth }, back, { tokens, mcp }) {
    if (back.secret === undefined) throw new ConnectionChangedFailure();
    // Sealed by `begin`.
    const { verifier, grant } = JSON.parse(back.secret) as KeptFlow;
    if (grant.way === 'static' && connection.clientId !== grant.client_id)
      throw new ConnectionChangedFailure();
    const addresses = { tokenUrl: grant.token_url, revocationUrl: grant.revocation_url };
    const client = await mcp.clients.ofGrant(connection, grant, addresses, auth.mcp_oauth.scope_separator);
    const code = back.query.get('code') ?? '';
    const { redirectUri } = back;
    const reply = await withoutVanished({ environmentId: connection.environmentId, grant, mcp }, async () =>
      tokens.exchange(client, { code, redirectUri, verifier }),
    );
    await mcp.clients.worked(connection.environmentId, grant);
    const came = receivedTokens(reply, back.scopes);
    return { ...came, details: { ...came.details, internal: { grant } } };
  },
};

/** The scopes of a consent at a server. @param given of the connection and the link */
function scopesAt(
  { server, authorization }: KnownMcpServer,
  { connection, auth }: ConsentSubject<AuthOf<'MCP_OAUTH'>>,
  given: readonly string[],
): string[] {
  const { scopes, offline_scope } = auth.mcp_oauth;
  const isChosen = connection.scopes.length > 0 || scopes.length > 0;
  const challenged = isChosen ? [] : server.challenge_scopes;
  return askedScopes(given, challenged, isChosen, authorization, offline_scope);
}

function serverOf({
  connection,
  connector,
  auth,
  baseUrl,
}: ConsentSubject<AuthOf<'MCP_OAUTH'>>): McpTargetServer {
  // Needed even if the connection has an address, because placeholders of the path remain.
  const isOwnServer = connector.hosts.some(({ url }) => url.includes('{'));
  return { connection, title: connector.title, rules: auth.mcp_oauth, url: baseUrl(), isOwnServer };
}

/**
 * Runs work, and notes if a registered client is no longer known. The operator has to correct the client of a
 * connection.
 *
 * @throws TokenFailure
 */
export async function withoutVanished<T>(
  { environmentId, grant, mcp }: { environmentId: string; grant: McpGrant; mcp: SchemeServices['mcp'] },
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TokenFailure && error.kind === 'client_refused' && grant.way === 'dynamic')
      await mcp.clients.vanished(environmentId, grant);
    throw error;
  }
}

/**
 * The scopes of the connection or its file, otherwise those of the challenge, otherwise those of the metadata; with
 * those of the link, and the one that gives a refresh token.
 */
export function askedScopes(
  given: readonly string[],
  challenged: readonly string[],
  isChosen: boolean,
  { resourceScopes, scopes: known }: McpAuthorization,
  offline: string | undefined,
): string[] {
  const named = challenged.length > 0 ? challenged : resourceScopes;
  const asked = [...(isChosen ? [] : named), ...given];
  // Without any scope the server decides. If only the one for refresh tokens were sent, it would be all that is
  // granted.
  const implied = asked.length > 0 && known.includes('offline_access') ? 'offline_access' : '';
  return [...new Set([...asked, offline ?? implied])].filter((scope) => scope !== '');
}
