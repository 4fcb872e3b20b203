/** The real rules over a real database, with an invented catalog and a provider that answers what it is told. */
import { randomBytes } from 'node:crypto';
import { buildAccounts, buildFinders } from '../../src/accounts/build-accounts.ts';
import type { Catalog, ToolHandler } from '../../src/catalog/model/types.ts';
import { SCOPES, type Caller, type MachineCaller } from '../../src/core/caller.ts';
import { Environments, type Environment } from '../../src/core/environment.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { PageTokens } from '../../src/core/page-token.ts';
import { buildCredentials } from '../../src/credentials/build-credentials.ts';
import type { RefreshSettings } from '../../src/credentials/refresh/refresher.ts';
import { whoAsker } from '../../src/executor/call/credential-who.ts';
import { sendCredentialCheck } from '../../src/executor/call/credential-check.ts';
import { buildExecutor } from '../../src/executor/build-executor.ts';
import { callerNames } from '../../src/app/services/caller-names.ts';
import { buildLinks } from '../../src/links/consent/build-links.ts';
import type { OutboundRequest, OutboundResponse } from '../../src/outbound/outbound.ts';
import { ProviderClient } from '../../src/outbound/provider-client.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { EnvironmentStore } from '../../src/store/installation/environment-store.ts';
import { openDatabase } from '../../src/store/open.ts';
import { RateLimiter } from '../../src/store/records/rate-limiter.ts';
import { Vault } from '../../src/vault/vault.ts';
import { FakeTokenEndpoint } from './fake-token-endpoint.ts';
import { fixedClock, type FixedClock } from './fixed-clock.ts';
import { ManualTimers } from './manual-timers.ts';
import { testCatalog } from './test-catalog.ts';

export const ENVIRONMENT_ID = 'env_test';
export const OTHER_ENVIRONMENT_ID = 'env_other';

/** A machine with every permission in the test environment. */
export const machine: MachineCaller = {
  kind: 'machine',
  environmentId: ENVIRONMENT_ID,
  actor: 'cred_test',
  scopes: new Set(SCOPES),
  source: 'api',
  ip: '127.0.0.1',
};

/** The same machine calling over MCP for one user. */
export function mcpCaller(userId: string): Caller {
  return { ...machine, source: 'mcp', owner: { userId, organizationId: '' } };
}

/**
 * Fresh services. `environment` changes the settings of the test environment.
 *
 * Called again with `db` and `vault` of others, they are what another process on the same database has.
 */
export async function testServices(
  options: {
    db?: Database;
    vault?: Vault;
    clock?: FixedClock;
    catalog?: Catalog;
    tokens?: FakeTokenEndpoint;
    environment?: Partial<Environment>;
    handlers?: ReadonlyMap<string, ToolHandler>;
    refresh?: Partial<RefreshSettings>;
    log?: Log;
    areRecordsRequired?: boolean;
    onLostRecords?: (count: number) => void;
  } = {},
) {
  const catalog = options.catalog ?? testCatalog;
  const log = options.log ?? silentLog;
  const db = options.db ?? (await openDatabase({ url: 'sqlite::memory:' }));
  const clock = options.clock ?? fixedClock();
  const environments = new Environments(
    [ENVIRONMENT_ID, OTHER_ENVIRONMENT_ID].map((id) => ({
      id,
      name: id === ENVIRONMENT_ID ? 'development' : 'production',
      baseUrl: id === ENVIRONMENT_ID ? 'http://127.0.0.1:3000' : 'https://gate.example',
      userVerification: 'app' as const,
      userVerifyUrl: 'https://app.example/verify',
      userVerifyUrls: [],
      signUp: 'open',
      isLocalOnly: true,
      ...options.environment,
    })),
  );
  for (const { id, name } of environments.all) {
    await db.transaction(async (tx) =>
      new EnvironmentStore(tx).ensure({ id, name, created_at: clock.now() }),
    );
  }
  const vault = options.vault ?? new Vault([{ id: 'k1', bytes: randomBytes(32) }]);
  const tokens = options.tokens ?? new FakeTokenEndpoint();
  const timers = new ManualTimers();
  const exchanges: OutboundRequest[] = [];
  const exchangeAnswers: OutboundResponse[] = [];
  const sent: OutboundRequest[] = [];
  const answers: OutboundResponse[] = [];
  const base = {
    db,
    vault,
    clock,
    log,
    catalog,
    environments,
    timers,
    rates: new RateLimiter(db, clock),
    refresh: { marginMs: 60_000, leaseMs: 10_000, deadlineMs: 60_000, ...options.refresh },
    lifetimes: { linkMs: 3_600_000, pendingVerificationMs: 600_000, stateMs: 600_000 },
    pageTokens: new PageTokens(vault.derive('page-token')),
    isReachable: (url: URL) => url.protocol === 'https:',
  };
  const finders = buildFinders(base);
  const held = buildCredentials({
    ...base,
    ...finders,
    tokens,
    http: {
      totalTimeoutMs: 30_000,
      send: async (request) => {
        exchanges.push(request);
        return exchangeAnswers.shift() ?? answer(404, {});
      },
    },
    opener: {
      open: async () => {
        throw new Error('this test opens no streams');
      },
    },
    identityTokens: {
      issue: async ({ subject, audience }) => `identity-token-of-${subject}-for-${audience}`,
    },
    random: () => 0,
  });
  const send = async (request: OutboundRequest): Promise<OutboundResponse> => {
    sent.push(request);
    return answers.shift() ?? answer(200, { results: [] });
  };
  const accounts = buildAccounts({
    ...base,
    ...finders,
    erased: held.revocation,
    sendTrial: async (candidate) => sendCredentialCheck({ send }, candidate),
    askWho: whoAsker({ send }, clock),
  });
  const links = buildLinks({
    ...base,
    ...finders,
    ...held,
    ...accounts,
    linkBase: async (id) => environments.get(id).baseUrl,
    callerName: callerNames(base),
  });
  const provider = new ProviderClient(
    { totalTimeoutMs: 30_000, send },
    { clock, sleep: async () => {}, random: () => 0.5 },
  );
  const calls = buildExecutor({
    ...base,
    ...finders,
    ...held,
    ...accounts,
    ...links,
    provider,
    handlers: () => Promise.resolve(options.handlers ?? new Map()),
    ...(options.areRecordsRequired !== undefined && { areRecordsRequired: options.areRecordsRequired }),
    ...(options.onLostRecords !== undefined && { onLostRecords: options.onLostRecords }),
  });
  for (const { id } of environments.all) await accounts.connections.synchronize(id, []);
  return {
    ...base,
    ...finders,
    ...held,
    ...accounts,
    ...links,
    ...calls,
    /** The provider's token endpoint. */
    tokens,
    /** Requests of schemes to what is no OAuth token endpoint, and its answers; 404 when empty. */
    exchanges,
    exchangeAnswers,
    /** Requests the provider has received. */
    sent,
    /** What the provider answers next; 200 with no results when empty. */
    answers,
  };
}

export type Services = Awaited<ReturnType<typeof testServices>>;

/** A provider's JSON answer. */
export function answer(status: number, json: unknown): OutboundResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(json)) };
}

/** An account of the notes connector that works. */
export async function connectedAccount(
  services: Services,
  owner: { user_id?: string; organization_id?: string } = { user_id: 'u1' },
  identifier = owner.user_id ?? owner.organization_id ?? 'shared',
) {
  return services.accounts.create(machine, {
    connector: 'notes',
    identifier,
    ...owner,
    connected_account: { authorization_details: { static_auth: { details: { api_key: 'key-1' } } } },
  });
}

/** Value of the cookie of the browser that submits forms in tests. */
export const BROWSER = 'browser-of-the-tests'.padEnd(43, '0');

/** Opens a link as a browser and submits the form. Returns where the browser is sent. */
export async function submitForm(
  services: Services,
  link: string,
  values: Record<string, string>,
  environmentId = ENVIRONMENT_ID,
): Promise<string | null> {
  const token = link.split('/connect/')[1] ?? '';
  const { page, browser } = await services.links.open(environmentId, token, BROWSER);
  const form = { ...values, csrf: page.csrf };
  const submitted = await services.links.submit(environmentId, token, browser, form);
  if (submitted === null) throw new Error('the form leads on to a consent');
  return submitted.redirectTo;
}
