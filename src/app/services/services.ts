/**
 * Builds everything that a process needs once from the settings: database, keys, catalog, rules, executor. Commands
 * and listeners take their parts from it. Contains no rules.
 */
import type { OnConnected } from '../../accounts/account-update.ts';
import { baseUrlOf } from '../../executor/call/provider-request.ts';
import { buildUpstreams, storedConnector } from '../../upstream/build-upstreams.ts';
import { UpstreamCatalog } from '../../upstream/published/upstream-catalog.ts';
import type { Upstreams } from '../../upstream/upstreams.ts';
import { buildAccounts, buildFinders, type Finders } from '../../accounts/build-accounts.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import { PageTokens } from '../../core/page-token.ts';
import { IdentityTokenIssuer } from '../../authorization-server/tokens/identity-tokens.ts';
import { buildCredentials } from '../../credentials/build-credentials.ts';
import type { TokenEndpoint } from '../../credentials/oauth/token-endpoint.ts';
import { whoAsker } from '../../executor/call/credential-who.ts';
import { sendCredentialCheck } from '../../executor/call/credential-check.ts';
import { buildExecutor } from '../../executor/build-executor.ts';
import type { CallObserver } from '../../executor/call/account-calls.ts';
import { buildInterceptors, type InterceptorServices } from '../../interceptors/build-interceptors.ts';
import { callerNames } from './caller-names.ts';
import { buildLinks } from '../../links/consent/build-links.ts';
import { ProviderClient } from '../../outbound/provider-client.ts';
import type { Settings } from '../../settings/settings.ts';
import { buildSignedSender } from '../../signed-sender/build-signed-sender.ts';
import type { SigningSecrets } from '../../signed-sender/signing-secrets.ts';
import type { Database, OpenedDatabase, PoolUse } from '../../store/engine/database.ts';
import { openDatabase, type OpenOptions } from '../../store/open.ts';
import { RateLimiter } from '../../store/records/rate-limiter.ts';
import type { Vault } from '../../vault/vault.ts';
import { buildWebhooks } from '../../webhooks/build-webhooks.ts';
import { applyDeclared, requireDeclarable } from './declared.ts';
import { installationId, knownBaseUrl, openEnvironments } from './installation-environments.ts';
import { loadInstalledCatalog } from './installed-catalog.ts';
import { lazyOutbound, type LazyOutbound } from './lazy-outbound.ts';
import { migrationNotice, type OnMigration } from './migration-notice.ts';
import { lazyTokenEndpoint } from './lazy-token-endpoint.ts';
import { openVault } from './open-vault.ts';
import { schemaNotice } from './schema-notice.ts';

/** Options for opening an installation. */
export interface ServicesOptions {
  settings: Settings;
  log: Log;
  clock?: Clock;
  /** Public origin for links; default: the environment's base URL. @throws ServiceError UNAVAILABLE without one */
  linkBase?: (environmentId: string) => Promise<string>;
  observe?: CallObserver;
  /** Waited for before the tables of an earlier version are changed. */
  onMigration?: OnMigration;
  /** Called with the number of call records that could not be stored. */
  onLostRecords?: (count: number) => void;
  /** Address of our client metadata document, instead of the one that we serve. */
  clientDocumentUrl?: () => string;
  /** Replaces the installed catalog. */
  catalog?: Catalog;
  /** Database options in addition to those of the settings. */
  database?: Omit<OpenOptions, 'url'>;
}

export interface Services
  extends
    InterceptorServices,
    Omit<ReturnType<typeof buildWebhooks>, 'db'>,
    Pick<Finders, 'connectionFinder'>,
    Pick<ReturnType<typeof buildAccounts>, 'accounts' | 'connections' | 'trials'>,
    Pick<ReturnType<typeof buildCredentials>, 'credentialAccess' | 'disconnection' | 'mcpServers'>,
    Pick<ReturnType<typeof buildLinks>, 'links' | 'consents' | 'verification' | 'linkEnds'>,
    ReturnType<typeof buildExecutor> {
  settings: Settings;
  log: Log;
  clock: Clock;
  /** The same for every process on this database, and different for every other installation. */
  id: string;
  db: Database;
  vault: Vault;
  catalog: UpstreamCatalog;
  upstreams: Upstreams;
  environments: Environments;
  rates: RateLimiter;
  signingSecrets: SigningSecrets;
  tokens: TokenEndpoint;
  /** The only client for outgoing requests, under the address policy. */
  outbound: LazyOutbound;
  pageTokens: PageTokens;
  /** Logs a sentence about the version of the database once. */
  noteSchema: (message: string) => void;
  /** Shutdown has begun: shortens the timeout for an unresponsive database; see OpenedDatabase. */
  shortenTimeouts(): void;
  /** Connections of this process to Postgres, now; `undefined` on SQLite. */
  poolUse(): PoolUse | undefined;
  /** Checks a database file that was left open; see OpenedDatabase. */
  checkFile: OpenedDatabase['checkFile'];
  close(): Promise<void>;
}

const EXPIRY_INTERVAL_MS = 5_000;

/**
 * Opens the database, checks the keys, creates what a first start needs, and builds the services.
 *
 * @throws SettingsError, CatalogError, KeyError, DatabaseError with the fault and the advice
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { settings, log, clock = systemClock } = options;
  const catalog =
    options.catalog ?? (await loadInstalledCatalog(settings.catalogDirs, { cacheIn: settings.dataDir }));
  requireDeclarable(settings, catalog);
  const outbound = lazyOutbound(settings.outbound);
  const noteSchema = schemaNotice(log);
  const migration = migrationNotice(log, options.onMigration);
  const db = await openDatabase({
    onNewer: noteSchema,
    onMigration: migration.onMigration,
    poolSize: settings.database.poolSize,
    ...options.database,
    url: settings.databaseUrl,
  });
  migration.done();
  try {
    return await build(options, { catalog, db, outbound }, { settings, log, clock, noteSchema });
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function build(
  options: ServicesOptions,
  parts: { catalog: Catalog; db: OpenedDatabase; outbound: LazyOutbound },
  base: Pick<Services, 'settings' | 'log' | 'clock' | 'noteSchema'>,
): Promise<Services> {
  const { outbound } = parts;
  const { settings, clock, log } = base;
  const { refresh, lifetimes } = settings;
  const { isReachable } = outbound;
  const vault = await openVault(settings, parts.db, log);
  const id = await installationId(parts.db);
  const environments = await openEnvironments(settings, parts.db, clock);
  const pageTokens = new PageTokens(vault.derive('page-token'));
  const { signingSecrets, sender } = buildSignedSender({ db: parts.db, vault, clock, outbound });
  const hookParts = { clock, log, environments, sender, pageTokens, isReachable };
  const { db, ...hooks } = buildWebhooks({ ...hookParts, ...settings.webhooks, db: parts.db });
  const interception = buildInterceptors({ ...hookParts, db });

  const catalog = new UpstreamCatalog({ db, base: parts.catalog, log, connectorOf: storedConnector });
  await catalog.refresh();
  const onConnected: OnConnected = (account) => upstreams.noteConnected(account);
  const stored = { db, vault, clock, log, catalog, selection: settings.mcp, environments, onConnected };
  const rates = new RateLimiter(db, clock, log);
  const tokens = lazyTokenEndpoint(outbound, clock);
  const identityTokens = new IdentityTokenIssuer({ database: db, vault, clock, log, environments });
  const finders = buildFinders(stored);
  const held = buildCredentials({
    ...stored,
    ...finders,
    rates,
    refresh,
    tokens,
    http: outbound,
    opener: outbound,
    isReachable,
    documentUrl: options.clientDocumentUrl,
    identityTokens,
  });
  const { revocation, schemeServices, credentials, mcpServers, mcpClients } = held;
  const { waiting, trials, displayNames, accounts, connections } = buildAccounts({
    ...stored,
    ...finders,
    pageTokens,
    isReachable,
    rates,
    erased: revocation,
    sendTrial: async (candidate) => sendCredentialCheck(outbound, candidate),
    askWho: whoAsker(outbound, clock),
  });
  const { links, consents, verification, linkEnds } = buildLinks({
    ...stored,
    ...finders,
    waiting,
    trials,
    schemeServices,
    revocation,
    lifetimes,
    callerName: callerNames({ db, vault, clock }),
    displayNames,
    linkBase: options.linkBase ?? (async (environmentId) => knownBaseUrl(environments.get(environmentId))),
  });
  const upstreams = buildUpstreams({
    ...stored,
    ...finders,
    catalog,
    credentials,
    mcpServers,
    mcpClients,
    outbound,
    isReachable,
    urlOf: (connector, { account, details }) => baseUrlOf(connector, 0, account, details),
    listed: async () => (await import('./listed-upstreams.ts')).listedUpstreams(),
    approvalOf: (environmentId) => (environments.get(environmentId).isLocalOnly ? 'first' : 'manual'),
  });
  const calls = buildExecutor({
    ...stored,
    ...finders,
    upstreams,
    accounts,
    pageTokens,
    waiting,
    links,
    credentials,
    rates,
    refresh,
    provider: new ProviderClient(outbound, { clock }),
    handlers: async () => (await import('../../connectors/index.ts')).handlers,
    maxResultBytes: settings.mcp.maxResultBytes,
    areRecordsRequired: settings.executions.areRequired,
    ...(options.observe !== undefined && { observe: options.observe }),
    ...(options.onLostRecords !== undefined && { onLostRecords: options.onLostRecords }),
    ...(settings.logRequests && { callLog: log }),
  });

  const { webhooks } = hooks;
  const { interceptors } = interception;
  await applyDeclared(settings, { environments, connections, webhooks, interceptors });
  const expiry = setInterval(() => {
    catalog.refresh().catch((err: unknown) => log.warn('upstream_catalog_failed', { err }));
    waiting.endExpired().catch((err: unknown) => log.warn('expiry_failed', { err }));
  }, EXPIRY_INTERVAL_MS);
  expiry.unref();

  return {
    ...base,
    ...hooks,
    ...interception,
    ...calls,
    id,
    db,
    vault,
    catalog,
    environments,
    rates,
    signingSecrets,
    connectionFinder: finders.connectionFinder,
    accounts,
    trials,
    connections,
    links,
    consents,
    tokens,
    upstreams,
    verification,
    linkEnds,
    credentialAccess: held.credentialAccess,
    mcpServers: held.mcpServers,
    disconnection: held.disconnection,
    outbound,
    pageTokens,
    shortenTimeouts: () => parts.db.shortenTimeouts(),
    poolUse: () => parts.db.poolUse(),
    checkFile: async (signal) => parts.db.checkFile(signal),
    close: async () => {
      clearInterval(expiry);
      parts.db.shortenTimeouts();
      await Promise.all([hooks.deliverer.stop(), held.drain()]);
      await upstreams.close();
      await outbound.close();
      await Promise.all([calls.executor.settled(), held.settled()]);
      await db.close();
    },
  };
}
