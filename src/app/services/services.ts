/**
 * Everything a process needs, built once by constructor from the settings: database, keys, catalog, rules,
 * executor. Commands and listeners take what they need from it. Holds no rules.
 */
import { AccountFinder } from '../../accounts/account-finder.ts';
import { Accounts } from '../../accounts/accounts.ts';
import { ConnectionFinder } from '../../connections/connection-finder.ts';
import { Connections } from '../../connections/connections.ts';
import { LinkCompletion } from '../../links/link-completion.ts';
import { CredentialAccess } from '../../credentials/credential-access.ts';
import { Disconnection } from '../../credentials/disconnection.ts';
import { Links } from '../../links/links.ts';
import { OAuthFlows } from '../../links/consent/oauth-flows.ts';
import type { TokenEndpoint } from '../../credentials/oauth/token-endpoint.ts';
import { LinkVerifier } from '../../links/link-verifier.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import { IdentityTokenIssuer } from '../../authorization-server/tokens/identity-tokens.ts';
import { PageTokens } from '../../core/page-token.ts';
import { AccountChoice } from '../../executor/call/account-choice.ts';
import { AccountRefresh } from '../../executor/account-refresh.ts';
import type { CallObserver } from '../../executor/call/account-calls.ts';
import { Executor } from '../../executor/executor.ts';
import { ActiveAccountGuard } from '../../executor/call/active-account-guard.ts';
import { ExecutionLog } from '../../executor/call/execution-log.ts';
import { ProviderClient } from '../../outbound/provider-client.ts';
import type { Database, OpenedDatabase } from '../../store/engine/database.ts';
import { openDatabase, type OpenOptions } from '../../store/open.ts';
import { RateLimiter } from '../../store/records/rate-limiter.ts';
import type { Vault } from '../../vault/vault.ts';
import { buildCredentials } from './build-credentials.ts';
import { applyDeclared, requireDeclarable } from './declared.ts';
import { installationId, knownBaseUrl, openEnvironments } from './installation-environments.ts';
import { loadInstalledCatalog } from './installed-catalog.ts';
import { buildIdempotentCalls } from './build-idempotent-calls.ts';
import { buildInterceptors, type InterceptorServices } from './build-interceptors.ts';
import { lazyOutbound, type LazyOutbound } from './lazy-outbound.ts';
import { lazyTokenEndpoint } from './lazy-token-endpoint.ts';
import { openVault } from './open-vault.ts';
import { buildWebhooks, type WebhookServices } from './build-webhooks.ts';

/** What decides how an installation is opened. */
export interface ServicesOptions {
  settings: Settings;
  log: Log;
  clock?: Clock;
  /** Public origin of an environment for links; by default its configured or assigned base URL. @throws ServiceError UNAVAILABLE where there is none */
  linkBase?: (environmentId: string) => Promise<string>;
  observe?: CallObserver;
  /** In the place of the installed one. */
  catalog?: Catalog;
  /** How the database is used, beside what the settings say of it. */
  database?: Omit<OpenOptions, 'url'>;
}

export interface Services extends WebhookServices, InterceptorServices {
  settings: Settings;
  log: Log;
  clock: Clock;
  /** Same for every process on this database; two installations never have the same. */
  id: string;
  db: Database;
  vault: Vault;
  catalog: Catalog;
  environments: Environments;
  rates: RateLimiter;
  accounts: Accounts;
  connections: Connections;
  links: Links;
  consents: OAuthFlows;
  tokens: TokenEndpoint;
  verification: LinkVerifier;
  credentialAccess: CredentialAccess;
  accountRefresh: AccountRefresh;
  disconnection: Disconnection;
  executor: Executor;
  /** The one way out, under the address policy. */
  outbound: LazyOutbound;
  readiness: ActiveAccountGuard;
  pageTokens: PageTokens;
  /** Told to stop: a silent database is not waited for as long as else; see OpenedDatabase. */
  hurry(): void;
  close(): Promise<void>;
}

const EXPIRY_INTERVAL_MS = 5_000;

/**
 * Opens the database, checks the keys, creates what a first start needs, and builds the services.
 *
 * @throws SettingsError, CatalogError, KeyError, DatabaseError: each says what is wrong and what to do
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { settings, log, clock = systemClock } = options;
  const catalog = options.catalog ?? (await loadInstalledCatalog(settings.catalogDirs));
  requireDeclarable(settings, catalog);
  const outbound = lazyOutbound(settings.outbound);
  const db = await openDatabase({ ...options.database, url: settings.databaseUrl });
  try {
    return await build(options, { catalog, db, outbound }, { settings, log, clock });
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function build(
  options: ServicesOptions,
  parts: { catalog: Catalog; db: OpenedDatabase; outbound: LazyOutbound },
  base: { settings: Settings; log: Log; clock: Clock },
): Promise<Services> {
  const { catalog, outbound } = parts;
  const { settings, clock, log } = base;
  const vault = await openVault(settings, parts.db, log);
  const id = await installationId(parts.db);
  const environments = await openEnvironments(settings, parts.db, clock);
  const pageTokens = new PageTokens(vault.derive('page-token'));
  const { db, ...hooks } = buildWebhooks({ ...parts, ...base, vault, environments, pageTokens });
  const { signingSecrets } = hooks;
  const interception = buildInterceptors({ ...base, db, outbound, signingSecrets, pageTokens });

  const connectionFinder = new ConnectionFinder(db, catalog);
  const finder = new AccountFinder(db, connectionFinder);
  const finders = { finder, connections: connectionFinder };
  const rates = new RateLimiter(db, clock, log);
  const tokens = lazyTokenEndpoint(outbound, clock);
  const identityTokens = new IdentityTokenIssuer({ database: db, vault, clock, log, environments });
  const services = { vault, clock, tokens, http: outbound, identityTokens };
  const held = buildCredentials({
    ...base,
    db,
    vault,
    rates,
    connections: connectionFinder,
    tokens,
    services,
  });
  const { sealed, waiting, credentials, revocation } = held;
  const accounts = new Accounts({ db, ...finders, sealed, waiting, pageTokens, clock });
  const connections = new Connections({
    db,
    vault,
    catalog,
    clock,
    environments,
    isReachable: outbound.isReachable,
  });
  const completion = new LinkCompletion({
    db,
    clock,
    environments,
    sealed,
    waiting,
    pendingMs: settings.lifetimes.pendingVerificationMs,
  });
  const links = new Links({
    db,
    clock,
    environments,
    finder,
    connections: connectionFinder,
    catalog,
    completion,
    waiting,
    csrfKey: vault.derive('connect-form'),
    lifetimeMs: settings.lifetimes.linkMs,
    baseUrl: options.linkBase ?? (async (environmentId) => knownBaseUrl(environments.get(environmentId))),
  });
  const consents = new OAuthFlows({
    db,
    clock,
    environments,
    connections: connectionFinder,
    catalog,
    vault,
    waiting,
    completion,
    services,
    revocation,
    stateMs: settings.lifetimes.stateMs,
  });
  const readiness = new ActiveAccountGuard({ db, links, waiting, clock });
  const executor = new Executor({
    keyed: buildIdempotentCalls({ ...base, db, vault }),
    catalog,
    accounts: new AccountChoice({ db, ...finders, clock }),
    connections: connectionFinder,
    readiness,
    rates,
    credentials,
    provider: new ProviderClient(outbound, { clock }),
    handlers: async () => (await import('../../connectors/index.ts')).handlers,
    recorder: new ExecutionLog(db, log),
    clock,
    maxResultBytes: settings.mcp.maxResultBytes,
    ...(options.observe !== undefined && { observe: options.observe }),
  });

  const { webhooks } = hooks;
  const { interceptors } = interception;
  await applyDeclared(settings, { environments, connections, webhooks, interceptors });
  const expiry = setInterval(() => {
    waiting.endExpired().catch((err: unknown) => log.warn('expiry_failed', { err }));
  }, EXPIRY_INTERVAL_MS);
  expiry.unref();

  return {
    ...base,
    ...hooks,
    ...interception,
    id,
    db,
    vault,
    catalog,
    environments,
    rates,
    accounts,
    connections,
    links,
    consents,
    tokens,
    verification: new LinkVerifier({ db, clock, sealed, waiting, environments }),
    credentialAccess: new CredentialAccess({ db, ...finders, sealed, credentials, clock }),
    accountRefresh: new AccountRefresh({ ...finders, sealed, readiness, credentials }),
    disconnection: new Disconnection({ db, clock, finder, sealed, revocation }),
    executor,
    outbound,
    readiness,
    pageTokens,
    hurry: () => parts.db.hurry(),
    close: async () => {
      clearInterval(expiry);
      parts.db.hurry();
      await Promise.all([hooks.deliverer.stop(), held.drain()]);
      await outbound.close();
      await Promise.all([executor.settled(), held.settled()]);
      await db.close();
    },
  };
}
