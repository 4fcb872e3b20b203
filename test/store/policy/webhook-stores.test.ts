/** Rows of webhooks, deliveries and signing secrets. */
import type { CompiledQuery } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database, WriteTransaction } from '../../../src/store/engine/database.ts';
import { isUniqueViolation } from '../../../src/store/engine/database-errors.ts';
import { fixedTime } from '../../../src/store/engine/database-time.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import type { StoredForm } from '../../../src/store/tables/column-types.ts';
import { asRead } from '../../../src/store/engine/row-reader.ts';
import { WebhookDeliveryStore, type EndedAttempt } from '../../../src/store/policy/webhook-delivery-store.ts';
import { expireSecrets, liveSecrets } from '../../../src/store/policy/signing-secret-store.ts';
import { enabledWebhooks } from '../../../src/store/policy/webhook-store.ts';
import type { WebhookDelivery, WebhookTable } from '../../../src/store/tables/webhook-tables.ts';
import { rows } from '../../../src/store/engine/rows.ts';

const NOON = 1_795_176_000_000;

const ops: StoredForm<WebhookTable> = {
  id: 'whk_ops',
  environment_id: 'env_1',
  name: 'ops',
  url: 'https://hooks.example.test/ops',
  events: '["connected_account.created"]',
  enabled: 1,
  managed_by: 'operator',
  created_at: 1,
  updated_at: 1,
};

const first: WebhookDelivery = {
  id: 'whd_1',
  environment_id: 'env_1',
  webhook_id: 'whk_ops',
  event_id: 'evt_1',
  event_type: 'connected_account.created',
  account_id: null,
  body: '{}',
  status: 'pending',
  attempts: 0,
  next_attempt_at: 0,
  taken_until: null,
  last_status: null,
  last_failure: null,
  created_at: NOON,
  finished_at: null,
};

const due = { environmentId: 'env_1', webhookId: 'whk_ops' };

async function prepare(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    for (const id of ['env_1', 'env_2'])
      await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
    await rows(tx, 'webhooks').insert(ops);
    await rows(tx, 'webhooks').insert({ ...ops, id: 'whk_foreign', environment_id: 'env_2' });
  });
}

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await open();
    await prepare(db);
  });

  const write = async <T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => db.transaction(work);
  const inLog = async <T>(work: (store: WebhookDeliveryStore) => Promise<T>): Promise<T> =>
    write(async (tx) => work(new WebhookDeliveryStore(tx)));
  const put = async (...deliveries: WebhookDelivery[]) =>
    write(async (tx) => rows(tx, 'webhook_deliveries').insert(...deliveries));
  const stored = async (id = 'whd_1') => rows(db.read, 'webhook_deliveries').find('env_1', id);
  const takeMany = async (now: number, most = 8, webhook = due) =>
    inLog(async (store) => store.take(webhook, { now: fixedTime(now), leaseMs: 20_000, most }));
  const take = async (now: number, webhook = due) => (await takeMany(now, 1, webhook)).taken[0];
  const finish = async (now: number, ...attempts: EndedAttempt[]) =>
    (await inLog(async (store) => store.finish(attempts, { now: fixedTime(now), at: now }))).stored;
  const shortly = async (id: string) => {
    const row = await stored(id);
    return [row?.status, row?.attempts, row?.next_attempt_at];
  };
  const oneOf = (account: string, n: number, change: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
    ...first,
    id: `whd_${account}_${String(n).padStart(4, '0')}`,
    account_id: account,
    ...change,
  });
  const dueAt = async (now: number, environments = ['env_1', 'env_2']) =>
    (await new WebhookDeliveryStore(db.read).dueWebhooks(environments, fixedTime(now))).map(
      ({ webhookId }) => webhookId,
    );

  describe('stored webhooks', () => {
    it('belong to their environment only', async () => {
      const store = rows(db.read, 'webhooks');
      expect(await store.find('env_1', 'whk_ops')).toEqual(asRead('webhooks', ops));
      expect(await store.find('env_2', 'whk_ops')).toBeUndefined();
      expect((await store.list('env_1')).map(({ id }) => id)).toEqual(['whk_ops']);
    });

    it('appear for events while they are enabled, oldest first', async () => {
      await write(async (tx) => {
        const store = rows(tx, 'webhooks');
        await store.insert({ ...ops, id: 'whk_a', name: 'a', created_at: 3 });
        await store.insert({ ...ops, id: 'whk_b', name: 'b', created_at: 2 });
        await store.insert({ ...ops, id: 'whk_off', name: 'off', enabled: 0 });
      });
      const enabled = await enabledWebhooks(db.read, { environmentId: 'env_1' });
      expect(enabled.map(({ id }) => id)).toEqual(['whk_ops', 'whk_b', 'whk_a']);
      expect(enabled[0]).toEqual({ id: 'whk_ops', events: ['connected_account.created'] });
    });

    it('have unique names per environment', async () => {
      const twice = write(async (tx) => rows(tx, 'webhooks').insert({ ...ops, id: 'whk_2' }));
      expect(isUniqueViolation(await twice.catch((error: unknown) => error))).toBe(true);
    });

    it('change and disappear in their environment only, with their deliveries', async () => {
      await put(first);
      const [foreign, own] = await write(async (tx) => {
        const store = rows(tx, 'webhooks');
        return [
          [await store.update('env_2', 'whk_ops', { enabled: 0 }), await store.delete('env_2', 'whk_ops')],
          [await store.update('env_1', 'whk_ops', { enabled: 0 }), await store.delete('env_1', 'whk_ops')],
        ];
      });
      expect([foreign, own]).toEqual([
        [false, false],
        [true, true],
      ]);
      expect(await stored()).toBeUndefined();
    });
  });

  describe('due webhooks', () => {
    it('include those with a pending delivery whose time has come', async () => {
      await put({ ...first, next_attempt_at: NOON });
      expect(await dueAt(NOON - 1)).toEqual([]);
      expect(await dueAt(NOON)).toEqual(['whk_ops']);
      expect(await dueAt(NOON, ['env_2'])).toEqual([]);
      expect(await dueAt(NOON, [])).toEqual([]);
    });

    it.each<[string, Partial<WebhookDelivery>]>([
      ['delivered', { status: 'delivered', finished_at: NOON, next_attempt_at: null }],
      ['failed', { status: 'failed', finished_at: NOON, next_attempt_at: null }],
      ['under way', { attempts: 1, taken_until: NOON + 1 }],
    ])('exclude a webhook whose delivery is %s', async (_what, change) => {
      await put({ ...first, ...change });
      expect(await dueAt(NOON)).toEqual([]);
    });

    it('exclude a disabled webhook', async () => {
      await put(first);
      await write(async (tx) => rows(tx, 'webhooks').update('env_1', 'whk_ops', { enabled: 0 }));
      expect(await dueAt(NOON)).toEqual([]);
      expect(await take(NOON)).toBeUndefined();
    });

    it('appear once each, by id', async () => {
      await put({ ...first, id: 'whd_f', environment_id: 'env_2', webhook_id: 'whk_foreign' }, first, {
        ...first,
        id: 'whd_2',
      });
      expect(await dueAt(NOON)).toEqual(['whk_foreign', 'whk_ops']);
    });
  });

  describe('taking a webhook delivery', () => {
    it('returns the oldest due delivery with the address, and counts the attempt', async () => {
      await put(
        { ...first, id: 'whd_3', created_at: NOON + 1 },
        { ...first, id: 'whd_0', created_at: NOON - 1, next_attempt_at: NOON + 60_000 },
        first,
      );
      const taken = await take(NOON + 5);
      expect(taken).toEqual({
        url: 'https://hooks.example.test/ops',
        row: { ...first, attempts: 1, taken_until: NOON + 20_005 },
      });
      expect(await stored()).toEqual(taken?.row);
    });

    it('returns nothing during its attempt, and the same delivery after its time', async () => {
      await put(first);
      await take(NOON);
      expect(await take(NOON + 19_999)).toBeUndefined();
      const again = await take(NOON + 20_000);
      expect([again?.row.id, again?.row.attempts]).toEqual(['whd_1', 1]);
    });

    it('gives each delivery to one of many concurrent senders', async () => {
      await put(first);
      const taken = await Promise.all(Array.from({ length: 12 }, () => take(NOON)));
      expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
      expect((await stored())?.attempts).toBe(1);
    });

    it('reads no more rows than a batch, however many wait', async () => {
      await put(...Array.from({ length: 300 }, (_, n) => oneOf(n < 200 ? 'ca_1' : `ca_${n}`, n)));
      let count = 0;
      const row = await write(async (tx) => {
        const watched = tx.withPlugin({
          transformQuery: ({ node }) => node,
          transformResult: async ({ result }) => {
            count += result.rows.length;
            return result;
          },
        });
        return new WebhookDeliveryStore(watched).take(due, {
          now: fixedTime(NOON),
          leaseMs: 20_000,
          most: 8,
        });
      });
      expect([row.taken.map(({ row: { id } }) => id), row.putOff]).toEqual([['whd_ca_1_0000'], 63]);
      expect(count).toBeLessThan(70);
    });

    it('takes no delivery of another environment', async () => {
      await put(first);
      expect(await take(NOON, { environmentId: 'env_2', webhookId: 'whk_ops' })).toBeUndefined();
    });
  });

  describe('webhook deliveries of one account', () => {
    const ids = ({ taken }: { taken: { row: WebhookDelivery }[] }) => taken.map(({ row }) => row.id);
    const delivered = { end: 'delivered', lastStatus: 200, lastFailure: null } as const;

    it('give up one delivery of an account at a time, and those of other accounts together', async () => {
      await put(oneOf('ca_1', 1), oneOf('ca_1', 2), oneOf('ca_2', 3), oneOf('ca_1', 4), oneOf('ca_2', 5));
      const batch = await takeMany(NOON);
      expect(ids(batch)).toEqual(['whd_ca_1_0001', 'whd_ca_2_0003']);
      expect(ids(await takeMany(NOON))).toEqual([]);
      await finish(NOON, { row: batch.taken[0]!.row, result: delivered });
      const second = await takeMany(NOON);
      expect(ids(second)).toEqual(['whd_ca_1_0002']);
      await finish(
        NOON,
        ...[batch.taken[1]!, second.taken[0]!].map(({ row }) => ({ row, result: delivered })),
      );
      expect(ids(await takeMany(NOON))).toEqual(['whd_ca_1_0004', 'whd_ca_2_0005']);
    });

    it('wait for one that is tried again, and follow it when it has failed for good', async () => {
      await put(oneOf('ca_1', 1), oneOf('ca_1', 2));
      const [one] = (await takeMany(NOON)).taken;
      const no = { lastStatus: 500, lastFailure: 'no' };
      await finish(NOON, { row: one!.row, result: { end: null, retryInMs: 5_000, ...no } });
      expect(ids(await takeMany(NOON + 4_999))).toEqual([]);
      const again = await takeMany(NOON + 5_000);
      expect(ids(again)).toEqual(['whd_ca_1_0001']);
      await finish(NOON + 5_000, { row: again.taken[0]!.row, result: { end: 'failed', ...no } });
      expect(ids(await takeMany(NOON + 5_000))).toEqual(['whd_ca_1_0002']);
    });

    it('go on after an hour even if nothing reported the end of the one before', async () => {
      await put(oneOf('ca_1', 1), oneOf('ca_1', 2));
      await takeMany(NOON);
      await write(async (tx) => rows(tx, 'webhook_deliveries').delete('env_1', 'whd_ca_1_0001'));
      expect(ids(await takeMany(NOON + 3_599_999))).toEqual([]);
      expect(ids(await takeMany(NOON + 3_600_000))).toEqual(['whd_ca_1_0002']);
    });

    it('keep an order of their own at each webhook', async () => {
      await write(async (tx) => rows(tx, 'webhooks').insert({ ...ops, id: 'whk_2', name: 'second' }));
      await put(oneOf('ca_1', 1), oneOf('ca_1', 2, { webhook_id: 'whk_2' }));
      const second = { ...due, webhookId: 'whk_2' };
      expect([...ids(await takeMany(NOON)), ...ids(await takeMany(NOON, 8, second))]).toHaveLength(2);
    });

    it('have no order when an older program wrote them without their account', async () => {
      await put(first, { ...first, id: 'whd_2' });
      expect(ids(await takeMany(NOON))).toEqual(['whd_1', 'whd_2']);
    });
  });

  describe('a batch of webhook attempts', () => {
    it('has at most eight under way, those of other processes included', async () => {
      await put(...Array.from({ length: 20 }, (_, n) => oneOf(`ca_${n}`, n)));
      expect((await takeMany(NOON, 5)).taken).toHaveLength(5);
      expect((await takeMany(NOON, 8)).taken).toHaveLength(3);
      expect((await takeMany(NOON, 8)).taken).toHaveLength(0);
      expect((await takeMany(NOON + 20_000, 20)).taken).toHaveLength(8);
    });

    it('takes fresh deliveries and repeated ones in turns', async () => {
      await put(
        ...[1, 2, 3].map((n) => oneOf(`ca_a${n}`, n, { attempts: 1, next_attempt_at: NOON - 10 + n })),
        ...[1, 2, 3].map((n) => oneOf(`ca_b${n}`, n, { created_at: NOON + n })),
      );
      const { taken } = await takeMany(NOON, 4);
      expect(taken.map(({ row }) => row.account_id)).toEqual(['ca_b1', 'ca_a1', 'ca_b2', 'ca_a2']);
    });

    it('stores each outcome once, whatever they are', async () => {
      await put(...[1, 2, 3, 4].map((n) => oneOf(`ca_${n}`, n)));
      const { taken } = await takeMany(NOON);
      const [a, b, c, d] = taken.map(({ row }) => row);
      const gone = { ...d!, taken_until: NOON + 1 };
      const no = { lastStatus: 500, lastFailure: 'no' };
      const stored = await finish(
        NOON + 1,
        { row: a!, result: { end: 'delivered', lastStatus: 200, lastFailure: null } },
        { row: b!, result: { end: null, retryInMs: 5_000, ...no } },
        { row: c! },
        { row: gone, result: { end: 'failed', ...no } },
      );
      expect([...stored].toSorted()).toEqual([a!.id, b!.id, c!.id]);
      const after = await Promise.all(taken.map(async ({ row }) => shortly(row.id)));
      expect(after).toEqual([
        ['delivered', 1, null],
        ['pending', 1, NOON + 5_001],
        ['pending', 0, 0],
        ['pending', 1, 0],
      ]);
    });

    it('ends those that are too old, in batches, and lets the next of their accounts follow', async () => {
      await put(
        oneOf('ca_1', 1, { created_at: NOON - 20 }),
        oneOf('ca_2', 2, {
          created_at: NOON - 19,
          attempts: 3,
          next_attempt_at: NOON + 9_000,
          last_status: 500,
        }),
        oneOf('ca_2', 3, { next_attempt_at: NOON + 3_600_000 }),
        oneOf('ca_3', 4, { created_at: NOON - 18, attempts: 1, taken_until: NOON + 20_000 }),
      );
      const tooLate = { createdBefore: NOON, failure: 'too late', at: NOON + 1 };
      const giveUp = async (limit: number) =>
        inLog(async (store) => store.giveUp(due, { ...tooLate, limit }));
      expect([await giveUp(1), await giveUp(5), await giveUp(5)]).toEqual([1, 1, 0]);
      expect(await stored('whd_ca_2_0002')).toMatchObject({
        status: 'failed',
        attempts: 3,
        last_status: 500,
        last_failure: 'too late',
        finished_at: NOON + 1,
        next_attempt_at: null,
      });
      expect((await stored('whd_ca_2_0003'))?.next_attempt_at).toBe(0);
      expect((await stored('whd_ca_3_0004'))?.status).toBe('pending');
    });
  });

  describe('webhook attempt', () => {
    const taken = async (): Promise<WebhookDelivery> => {
      await put(first);
      return (await take(NOON))!.row;
    };
    const ok = { end: 'delivered', lastStatus: 204, lastFailure: null } as const;

    it('ends as delivered after success', async () => {
      const row = await taken();
      expect(await finish(NOON + 7, { row, result: ok })).toEqual(new Set(['whd_1']));
      expect(await stored()).toEqual({
        ...first,
        status: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        last_status: 204,
        finished_at: NOON + 7,
      });
    });

    it('leads to a retry after a wait', async () => {
      const row = await taken();
      const later = { end: null, retryInMs: 5_000, lastStatus: 500, lastFailure: 'no' } as const;
      await finish(NOON + 7, { row, result: later });
      expect(await stored()).toEqual({
        ...first,
        attempts: 1,
        next_attempt_at: NOON + 5_007,
        last_status: 500,
        last_failure: 'no',
      });
      expect(await take(NOON + 5_006)).toBeUndefined();
      expect((await take(NOON + 5_007))?.row.attempts).toBe(2);
    });

    it('stores nothing when another sender has taken the delivery meanwhile', async () => {
      const row = await taken();
      await take(NOON + 20_000);
      expect(await finish(NOON + 20_001, { row, result: ok })).toEqual(new Set());
      expect((await stored())?.status).toBe('pending');
    });

    it('stores nothing when the webhook is gone', async () => {
      const row = await taken();
      await write(async (tx) => rows(tx, 'webhooks').delete('env_1', 'whk_ops'));
      expect(await finish(NOON, { row, result: ok })).toEqual(new Set());
    });

    it('returns uncounted, for an immediate retry', async () => {
      const row = await taken();
      await finish(NOON, { row });
      expect(await stored()).toEqual(first);
    });

    it('moves forward while it waits, not once it has ended', async () => {
      await put(
        { ...first, next_attempt_at: NOON + 60_000 },
        { ...first, id: 'whd_2', status: 'failed', finished_at: NOON, next_attempt_at: null },
      );
      await inLog(async (store) => {
        await store.bringForward('env_1', ['whd_1', 'whd_2']);
        await store.bringForward('env_1', []);
        await store.bringForward('env_2', ['whd_1']);
      });
      expect([(await stored())?.next_attempt_at, (await stored('whd_2'))?.next_attempt_at]).toEqual([
        0,
        null,
      ]);
    });
  });

  it('pages the deliveries of one webhook newest first, and back, and counts them', async () => {
    for (let n = 1; n <= 5; n++)
      await put({ ...first, id: `whd_${n}`, created_at: n, status: n === 2 ? 'failed' : 'pending' });
    await put({ ...first, id: 'whd_9', environment_id: 'env_2', webhook_id: 'whk_foreign' });
    const store = rows(db.read, 'webhook_deliveries');
    const ids = async (...args: Parameters<typeof store.page>) =>
      (await store.page(...args)).map(({ id }) => id);
    const where = { webhook_id: 'whk_ops' };
    const failed = { ...where, status: 'failed' } as const;
    expect(await ids('env_1', { where, position: undefined, limit: 2 })).toEqual(['whd_5', 'whd_4']);
    const after = { direction: 'next', createdAt: 4, id: 'whd_4' } as const;
    expect(await ids('env_1', { where, position: after, limit: 9 })).toEqual(['whd_3', 'whd_2', 'whd_1']);
    const before = { direction: 'prev', createdAt: 2, id: 'whd_2' } as const;
    expect(await ids('env_1', { where, position: before, limit: 2 })).toEqual(['whd_3', 'whd_4']);
    expect(await ids('env_1', { where: failed, position: undefined, limit: 9 })).toEqual(['whd_2']);
    expect(await ids('env_2', { where, position: undefined, limit: 9 })).toEqual([]);
    expect([await store.count('env_1', where), await store.count('env_1', failed)]).toEqual([5, 1]);
  });

  describe('signing secrets of webhooks', () => {
    const secret = { environment_id: 'env_1', secret_sealed: 'sealed', expires_at: null };
    const live = async (now: number, environmentId = 'env_1') =>
      (await liveSecrets(db.read, environmentId, now)).map(({ id }) => id);

    it('appear newest first while they sign, per environment', async () => {
      await write(async (tx) => {
        const store = rows(tx, 'signing_secrets');
        await store.insert({ ...secret, id: 'sec_a', created_at: 1, expires_at: NOON });
        await store.insert({ ...secret, id: 'sec_b', created_at: 2 });
        await store.insert({ ...secret, id: 'sec_c', created_at: 3, environment_id: 'env_2' });
      });
      expect(await live(NOON - 1)).toEqual(['sec_b', 'sec_a']);
      expect(await live(NOON)).toEqual(['sec_b']);
      expect(await live(NOON, 'env_2')).toEqual(['sec_c']);
    });

    it('all end at one time, none of them later than planned', async () => {
      await write(async (tx) => {
        const store = rows(tx, 'signing_secrets');
        await store.insert({ ...secret, id: 'sec_a', created_at: 1, expires_at: NOON });
        await store.insert({ ...secret, id: 'sec_b', created_at: 2 });
        await store.insert({ ...secret, id: 'sec_c', created_at: 3, environment_id: 'env_2' });
        await expireSecrets(tx, 'env_1', NOON + 9);
      });
      expect([await live(NOON), await live(NOON + 9), await live(NOON + 9, 'env_2')]).toEqual([
        ['sec_b'],
        [],
        ['sec_c'],
      ]);
    });
  });
});

onDatabase('sqlite', (_name, open) => {
  it('searches webhook deliveries by an index that ends where the search ends, however many there are', async () => {
    const db = await open();
    await prepare(db);
    const own = { ...first, account_id: 'ca_1' };
    const failed = { status: 'failed', finished_at: NOON, next_attempt_at: null } as const;
    const asked: CompiledQuery[] = [];
    await db.transaction(async (tx) => {
      await rows(tx, 'webhook_deliveries').insert(
        own,
        { ...own, id: 'whd_2' },
        { ...own, id: 'whd_3', ...failed },
      );
      const watched = tx.withPlugin({
        transformQuery: ({ node, queryId }) => {
          asked.push(tx.getExecutor().compileQuery(node, queryId));
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const store = new WebhookDeliveryStore(watched);
      await store.dueWebhooks(['env_1'], fixedTime(NOON));
      const { taken } = await store.take(due, { now: fixedTime(NOON), leaseMs: 1, most: 8 });
      const result = { end: 'delivered', lastStatus: 200, lastFailure: null } as const;
      await store.finish([{ row: taken[0]!.row, result }], { now: fixedTime(NOON), at: NOON });
      await store.giveUp(due, { createdBefore: NOON, failure: 'too late', at: NOON, limit: 1 });
      await store.bringForward('env_1', ['whd_2']);
      for (const status of ['pending', 'failed'] as const)
        await store.inRange({ ...due, status, from: 0, until: NOON }, 1);
    });
    const plans = [];
    for (const query of asked) {
      const { rows: steps } = await db.transaction(async (tx) =>
        tx.executeQuery<{ detail: string }>({ ...query, sql: `explain query plan ${query.sql}` }),
      );
      const ofDeliveries = steps
        .map(({ detail }) =>
          detail.replace(/(?:SEARCH|SCAN) (?=later|older|ended|taken)/, '$&webhook_deliveries '),
        )
        .filter((detail) => detail.includes('webhook_deliveries') || detail.includes('B-TREE'));
      plans.push(ofDeliveries);
    }
    const id = 'USING INDEX sqlite_autoindex_webhook_deliveries_1 (id=?)';
    const range = 'environment_id=? AND webhook_id=?';
    const older = `older USING COVERING INDEX webhook_deliveries_of_account (${range} AND account_id=? AND created_at<?)`;
    const taken = `taken USING INDEX webhook_deliveries_taken (${range})`;
    const shortened = plans.map((steps) =>
      steps.map((step) => step.replace(/^SEARCH (webhook_deliveries )?/, '')),
    );
    expect(shortened).toEqual([
      // The webhooks themselves are sorted.
      [
        `USING INDEX webhook_deliveries_due (${range} AND next_attempt_at<?)`,
        `USING INDEX webhook_deliveries_due (${range} AND next_attempt_at>?)`,
        'USE TEMP B-TREE FOR ORDER BY',
      ],
      [`USING INDEX webhook_deliveries_due (${range} AND next_attempt_at=?)`, older, taken],
      [
        `USING INDEX webhook_deliveries_due (${range} AND next_attempt_at>? AND next_attempt_at<?)`,
        older,
        taken,
      ],
      [`USING INDEX webhook_deliveries_due (${range} AND next_attempt_at>?)`, older, taken],
      [id],
      [id],
      [id],
      [
        id,
        'ended USING INDEX sqlite_autoindex_webhook_deliveries_1 (id=?)',
        `later USING COVERING INDEX webhook_deliveries_of_account (${range} AND account_id=?)`,
      ],
      [`USING INDEX webhook_deliveries_pending (${range} AND created_at<?)`],
      [id, `USING INDEX webhook_deliveries_pending (${range} AND created_at<?)`],
      [id],
      [`USING INDEX webhook_deliveries_pending (${range} AND created_at>? AND created_at<?)`],
      [`USING INDEX webhook_deliveries_failed (${range} AND created_at>? AND created_at<?)`],
    ]);
  });
});
