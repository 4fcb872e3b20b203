/** Everything that opens, renews and revokes credentials of accounts, built once. */
import type { Finders } from '../accounts/build-accounts.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import type { Log } from '../core/log.ts';
import { systemTimers, type Timers } from '../core/timers.ts';
import type { Opener } from '../outbound/fetch-face.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { Database } from '../store/engine/database.ts';
import type { Vault } from '../vault/vault.ts';
import { CredentialAccess } from './credential-access.ts';
import { Disconnection } from './disconnection.ts';
import { McpClients } from './oauth/mcp-clients.ts';
import { clientDocumentUrl } from './oauth/mcp-document.ts';
import { McpServers } from './oauth/mcp-servers.ts';
import type { TokenEndpoint } from './oauth/token-endpoint.ts';
import { Refresher, type RefreshRates, type RefreshSettings } from './refresh/refresher.ts';
import { Revocation } from './revocation.ts';
import type { IdentityTokens, SchemeServices } from './schemes/renewal.ts';
import { CredentialSource } from './usable-credential.ts';

/** Part of the 15 s shutdown limit that is reserved for token requests after everything else has drained. */
const STOP_GRACE_MS = 4_000;

/**
 * Builds these services.
 *
 * @param base.http sends requests other than those to OAuth 2.0 token endpoints
 * @param base.opener reads documents of remote MCP servers
 * @param base.documentUrl address of the client metadata document of a connection; default: the one we serve
 * @param base.refresh `refresh` of the settings
 */
export function buildCredentials(
  base: Finders & {
    db: Database;
    vault: Vault;
    clock: Clock;
    log: Log;
    rates: RefreshRates;
    refresh: RefreshSettings;
    tokens: TokenEndpoint;
    http: SchemeServices['http'];
    opener: Opener;
    isReachable: (url: URL) => boolean;
    environments: Environments;
    documentUrl?: ((connection: Pick<Connection, 'environmentId' | 'id'>) => string) | undefined;
    identityTokens: IdentityTokens;
    timers?: Timers;
    random?: () => number;
  },
) {
  const { vault, clock, tokens, http, identityTokens, refresh: settings } = base;
  const { accountFinder: finder, connectionFinder: connections } = base;
  const baseUrl = (environmentId: string): string => base.environments.get(environmentId).baseUrl;
  const mcp = {
    servers: new McpServers(base),
    clients: new McpClients({
      ...base,
      timers: base.timers ?? systemTimers,
      baseUrl,
      documentUrl:
        base.documentUrl ?? (({ environmentId, id }) => clientDocumentUrl(baseUrl(environmentId), id)),
    }),
  };
  const schemeServices: SchemeServices = { vault, clock, tokens, http, identityTokens, mcp };
  const revocation = new Revocation({ ...base, connections, mcp });
  const refresher = new Refresher({
    ...base,
    services: schemeServices,
    settings,
    discarded: (row, details) => revocation.tokensDiscarded(row, details),
  });
  const credentials = new CredentialSource({ ...base, refresher, marginMs: settings.marginMs });
  return {
    schemeServices,
    mcpServers: mcp.servers,
    mcpClients: mcp.clients,
    revocation,
    refresher,
    credentials,
    credentialAccess: new CredentialAccess({ ...base, finder, connections, credentials }),
    disconnection: new Disconnection({ ...base, finder, revocation }),
    /** Waits for running token requests to be answered and stored. Call it before outbound calls are cut. */
    drain: async () => {
      await Promise.all([refresher.close(STOP_GRACE_MS), revocation.close(STOP_GRACE_MS)]);
    },
    /** Resolves when no token request is running and its outcome is stored. Call it before the database is closed. */
    settled: async () => {
      await Promise.all([refresher.settled(), revocation.settled()]);
    },
  };
}
