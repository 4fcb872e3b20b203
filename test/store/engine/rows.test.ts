/** What all tables have in common: find, list, page, count, insert, update and delete, within one environment. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database, WriteTransaction } from '../../../src/store/engine/database.ts';
import { isUniqueViolation } from '../../../src/store/engine/database-errors.ts';
import { byAge, countUpTo, rowsFrom } from '../../../src/store/engine/keyset.ts';
import { asRead, storedFlag } from '../../../src/store/engine/row-reader.ts';
import { rows, type Where } from '../../../src/store/engine/rows.ts';
import type { StoredForm } from '../../../src/store/tables/column-types.ts';
import type { WebhookTable } from '../../../src/store/tables/webhook-tables.ts';
import { forEachDatabase } from '../../support/databases.ts';

const webhook = (id: string, change: Partial<StoredForm<WebhookTable>> = {}): StoredForm<WebhookTable> => ({
  id,
  environment_id: 'env_1',
  name: id,
  url: 'https://hooks.example.test/ops',
  events: '["connected_account.created"]',
  enabled: 1,
  managed_by: 'operator',
  created_at: 1,
  updated_at: 1,
  ...change,
});

const line = { environment_id: 'env_1', actor: 'cred_1', action: 'user.create', target: 'usr_1', ip: '' };

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      for (const id of ['env_1', 'env_2'])
        await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
      await rows(tx, 'webhooks').insert(
        webhook('whk_a', { created_at: 2 }),
        webhook('whk_b', { enabled: 0, created_at: 1 }),
        webhook('whk_c', { managed_by: 'file', created_at: 2 }),
      );
    });
  });

  const write = async <T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => db.transaction(work);
  const webhooks = () => rows(db.read, 'webhooks');
  const idsOf = async (read: Promise<readonly { id: string }[]>) => (await read).map(({ id }) => id);

  it('finds a row by id, decoded, and by other columns', async () => {
    const expected = asRead('webhooks', webhook('whk_b', { enabled: 0 }));
    expect(await webhooks().find('env_1', 'whk_b')).toEqual(expected);
    expect(await webhooks().findBy('env_1', { name: 'whk_b', enabled: 0 })).toEqual(expected);
    expect(await webhooks().find('env_1', 'whk_x')).toBeUndefined();
    expect(await webhooks().findBy('env_1', { name: 'whk_b', enabled: 1 })).toBeUndefined();
  });

  it('finds those of many ids that are there, and asks nothing for none', async () => {
    const found = await idsOf(webhooks().findAll('env_1', ['whk_c', 'whk_x', 'whk_a']));
    expect(found.toSorted()).toEqual(['whk_a', 'whk_c']);
    expect(await webhooks().findAll('env_1', [])).toEqual([]);
  });

  it('lists by values, by a condition, in an order, and up to a number', async () => {
    const orderBy = ['created_at', 'id'] as const;
    const list = async (options: Parameters<ReturnType<typeof webhooks>['list']>[1]) =>
      idsOf(webhooks().list('env_1', { orderBy, ...options }));
    expect(await list({})).toEqual(['whk_b', 'whk_a', 'whk_c']);
    expect(await list({ direction: 'desc' })).toEqual(['whk_c', 'whk_a', 'whk_b']);
    expect(await list({ limit: 2 })).toEqual(['whk_b', 'whk_a']);
    expect(await list({ where: { managed_by: 'operator', enabled: 1 } })).toEqual(['whk_a']);
    expect(await list({ where: { managed_by: undefined } })).toHaveLength(3);
    expect(
      await list({ where: (e) => e.or([e('id', '=', 'whk_c'), e('enabled', '=', storedFlag(false))]) }),
    ).toEqual(['whk_b', 'whk_c']);
  });

  it('finds rows without a value by null', async () => {
    const secret = { environment_id: 'env_1', secret_sealed: 'sealed', created_at: 1 };
    await write(async (tx) =>
      rows(tx, 'signing_secrets').insert(
        { ...secret, id: 'sec_a', expires_at: null },
        { ...secret, id: 'sec_b', expires_at: 5 },
      ),
    );
    const where = { expires_at: null };
    expect(await idsOf(rows(db.read, 'signing_secrets').list('env_1', { where }))).toEqual(['sec_a']);
  });

  it('pages newest first, and back, with the same filter as its count', async () => {
    const all = { position: undefined, limit: 2 };
    expect(await idsOf(webhooks().page('env_1', all))).toEqual(['whk_c', 'whk_a']);
    const after = { direction: 'next', createdAt: 2, id: 'whk_a' } as const;
    expect(await idsOf(webhooks().page('env_1', { position: after, limit: 2 }))).toEqual(['whk_b']);
    const before = { direction: 'prev', createdAt: 1, id: 'whk_b' } as const;
    expect(await idsOf(webhooks().page('env_1', { position: before, limit: 1 }))).toEqual(['whk_a']);
    const where = { enabled: 1 } as const;
    expect(await idsOf(webhooks().page('env_1', { where, position: undefined, limit: 9 }))).toHaveLength(2);
    expect([await webhooks().count('env_1'), await webhooks().count('env_1', where)]).toEqual([3, 2]);
  });

  it('fills a page with later rows where one leaves the list between its two statements', async () => {
    const list = {
      db: db.read,
      table: 'webhooks' as const,
      order: byAge('created_at'),
      matches: () => db.read.selectFrom('webhooks'),
      among: { column: 'managed_by', values: ['operator', 'file'] },
    };
    // What the second statement finds no more.
    const left = db.read.selectFrom('webhooks').selectAll().where('id', '!=', 'whk_c');
    const page = { position: undefined, limit: 2 };
    expect(await idsOf(rowsFrom(left, list, page))).toEqual(['whk_a', 'whk_b']);
    const back = { position: { direction: 'prev', createdAt: 0, id: '' }, limit: 3 } as const;
    expect(await idsOf(rowsFrom(left, list, back))).toEqual(['whk_b', 'whk_a']);
  });

  it('reads and counts nothing of a list among no values', async () => {
    const list = {
      db: db.read,
      table: 'webhooks' as const,
      order: byAge('created_at'),
      matches: () => db.read.selectFrom('webhooks'),
      among: { column: 'managed_by', values: [] },
    };
    const all = db.read.selectFrom('webhooks').selectAll();
    expect(await rowsFrom(all, list, { position: undefined, limit: 2 })).toEqual([]);
    expect(await countUpTo(list, 9)).toBe(0);
  });

  it('pages records by the time they have', async () => {
    await write(async (tx) =>
      rows(tx, 'audit').insert({ ...line, id: 'aud_b', at: 1 }, { ...line, id: 'aud_a', at: 2 }),
    );
    const { read, count, timeOf } = rows(db.read, 'audit').pages('env_1', { actor: 'cred_1' });
    const found = await read(undefined, 9);
    expect([await count(9), found.map(({ id }) => id), found.map(timeOf)]).toEqual([
      2,
      ['aud_a', 'aud_b'],
      [2, 1],
    ]);
  });

  it('inserts nothing for no rows, and all or none of several', async () => {
    await write(async (tx) => rows(tx, 'webhooks').insert());
    const twice = write(async (tx) =>
      rows(tx, 'webhooks').insert(webhook('whk_d'), webhook('whk_e', { name: 'whk_a' })),
    );
    expect(isUniqueViolation(await twice.catch((error: unknown) => error))).toBe(true);
    expect(await webhooks().count('env_1')).toBe(3);
  });

  it('changes and deletes one row, and says whether it was there', async () => {
    const done = await write(async (tx) => {
      const store = rows(tx, 'webhooks');
      return [
        await store.update('env_1', 'whk_a', { enabled: 0, updated_at: 9 }),
        await store.update('env_1', 'whk_x', { enabled: 0 }),
        await store.delete('env_1', 'whk_b'),
        await store.delete('env_1', 'whk_b'),
      ];
    });
    expect(done).toEqual([true, false, true, false]);
    expect(await webhooks().find('env_1', 'whk_a')).toMatchObject({ enabled: false, updated_at: 9 });
    expect((await idsOf(webhooks().list('env_1'))).toSorted()).toEqual(['whk_a', 'whk_c']);
  });

  it('changes a row only if it matches, and says whether it did', async () => {
    const done = await write(async (tx) => {
      const store = rows(tx, 'webhooks');
      return [
        await store.update('env_1', 'whk_a', { url: 'https://b.example.test/' }, { enabled: 0 }),
        await store.update('env_1', 'whk_a', { updated_at: 8 }, (e) => e('updated_at', '<', 8)),
        await store.update('env_1', 'whk_a', { updated_at: 9 }, (e) => e('updated_at', '<', 8)),
      ];
    });
    expect(done).toEqual([false, true, false]);
    expect(await webhooks().find('env_1', 'whk_a')).toMatchObject({
      url: 'https://hooks.example.test/ops',
      updated_at: 8,
    });
  });

  describe('rows of another environment', () => {
    it('stay out of finds, lists, pages and counts', async () => {
      const foreign = webhooks();
      expect([
        await foreign.find('env_2', 'whk_a'),
        await foreign.findBy('env_2', { name: 'whk_a' }),
        await foreign.findAll('env_2', ['whk_a', 'whk_b']),
        await foreign.list('env_2', { orderBy: ['name'] }),
        await foreign.page('env_2', { position: undefined, limit: 9 }),
        await foreign.count('env_2'),
      ]).toEqual([undefined, undefined, [], [], [], 0]);
    });

    it('stay out of reach of a condition that names their environment or matches everything', async () => {
      const foreign = webhooks();
      const conditions: Where<'webhooks'>[] = [
        { environment_id: 'env_1' },
        { id: 'whk_a', environment_id: undefined },
        (e) => e.or([e('id', '=', 'whk_a'), e('id', '!=', 'whk_a')]),
        (e) => e.or([e('environment_id', '=', 'env_1'), e('enabled', '=', storedFlag(false))]),
      ];
      for (const where of conditions)
        expect([
          await foreign.list('env_2', { where }),
          await foreign.page('env_2', { where, position: undefined, limit: 9 }),
          await foreign.count('env_2', where),
        ]).toEqual([[], [], 0]);
    });

    it('survive changes and deletions in another environment', async () => {
      const done = await write(async (tx) => {
        const foreign = rows(tx, 'webhooks');
        return [
          await foreign.update('env_2', 'whk_a', { enabled: 0 }),
          await foreign.delete('env_2', 'whk_a'),
        ];
      });
      expect(done).toEqual([false, false]);
      expect(await webhooks().find('env_1', 'whk_a')).toEqual(
        asRead('webhooks', webhook('whk_a', { created_at: 2 })),
      );
    });
  });
});
