/** Webhooks over a real database: environments, services, and a way to see what is in the outbox. */
import { SCOPES, type Caller } from '../../src/core/caller.ts';
import { PageTokens } from '../../src/core/page-token.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { Environments } from '../../src/core/environment.ts';
import { buildInterceptors } from '../../src/interceptors/build-interceptors.ts';
import { buildSignedSender } from '../../src/signed-sender/build-signed-sender.ts';
import { buildWebhooks } from '../../src/webhooks/build-webhooks.ts';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { EnvironmentStore } from '../../src/store/installation/environment-store.ts';
import { openDatabase } from '../../src/store/open.ts';
import type { WebhookDelivery } from '../../src/store/tables/webhook-tables.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { Vault } from '../../src/vault/vault.ts';
import { fixedClock } from '../support/fixed-clock.ts';

/** An administrator of the environment `env_1`. */
export const admin: Caller = {
  kind: 'machine',
  environmentId: 'env_1',
  actor: 'cred_admin',
  scopes: new Set(SCOPES),
  source: 'api',
  ip: '192.0.2.7',
};

export const ALL_EVENTS = [
  'connected_account.created',
  'connected_account.updated',
  'connected_account.status_updated',
  'connected_account.deleted',
  'connected_account.token_refresh_failed',
];

/** A vault whose key is the same for every caller. */
export function testVault(): Vault {
  return new Vault([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
}

/** The environments `env_1` and `env_2`. */
export async function withEnvironments(db: Database): Promise<Database> {
  await db.transaction(async (tx) => {
    for (const id of ['env_1', 'env_2'])
      await new EnvironmentStore(tx).ensure({ id, name: id, created_at: 1 });
  });
  return db;
}

/** @param allowPrivateHosts hosts that may be reached although private */
export async function webhookServices(
  options: { db?: Database; log?: Log; allowPrivateHosts?: string[]; now?: number } = {},
) {
  const db = await withEnvironments(options.db ?? (await openDatabase({ url: 'sqlite::memory:' })));
  const clock = fixedClock(options.now);
  const policy = new AddressPolicy({ allowPrivateHosts: options.allowPrivateHosts ?? [] });
  const isReachable = (url: URL): boolean => {
    try {
      policy.checkUrl(url);
      return true;
    } catch {
      return false;
    }
  };
  const outbound = new Outbound({
    policy,
    connectTimeoutMs: 5_000,
    headersTimeoutMs: 20_000,
    totalTimeoutMs: 30_000,
    maxResponseBytes: 10_000_000,
  });
  const { signingSecrets, sender } = buildSignedSender({ db, vault: testVault(), clock, outbound });
  const pageTokens = new PageTokens(Buffer.alloc(32, 7));
  const base = { db, clock, log: options.log ?? silentLog, isReachable, sender, pageTokens };
  const { webhooks, deliveryLog } = buildWebhooks({
    ...base,
    environments: new Environments([]),
    giveUpAfterMs: 3 * 24 * 3_600_000,
  });
  return { ...base, signingSecrets, webhooks, deliveryLog, close: async () => outbound.close() };
}

/** Interceptors that reach endpoints on loopback over the real way out. `close` ends its connections. */
export async function interceptorServices(options: { db?: Database; log?: Log; now?: number } = {}) {
  const ending = new AbortController();
  const services = await webhookServices({ allowPrivateHosts: ['127.0.0.1'], ...options });
  const interception = buildInterceptors(services);
  interception.endInterceptorsBy(ending.signal);
  return { ...services, ...interception, stop: () => ending.abort() };
}

/** A delivery that has just been written. */
export function newDelivery(change: Partial<WebhookDelivery> & { webhook_id: string }): WebhookDelivery {
  return {
    id: 'whd_1',
    environment_id: 'env_1',
    event_id: 'evt_1',
    event_type: 'connected_account.created',
    account_id: null,
    body: '{"id":"evt_1"}',
    status: 'pending',
    attempts: 0,
    next_attempt_at: 0,
    taken_until: null,
    last_status: null,
    last_failure: null,
    created_at: Date.UTC(2026, 10, 20, 12),
    finished_at: null,
    ...change,
  };
}

export async function putInOutbox(db: Database, ...deliveries: WebhookDelivery[]): Promise<void> {
  await db.transaction(async (tx) => rows(tx, 'webhook_deliveries').insert(...deliveries));
}

/** Every delivery, oldest first. */
export async function outbox(db: Database): Promise<WebhookDelivery[]> {
  return db.read.selectFrom('webhook_deliveries').selectAll().orderBy('created_at').orderBy('id').execute();
}

/** What was done, by whom, to what, in the order in which it was written. */
export async function auditLines(db: Database): Promise<string[]> {
  const lines = await db.read.selectFrom('audit').selectAll().orderBy('at').orderBy('id').execute();
  return lines.map(({ actor, action, target, ip }) => `${actor} ${action} ${target} ${ip}`);
}
