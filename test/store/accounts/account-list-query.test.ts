/** Lists of accounts that are read in parts: several connections, and identifiers that begin with a text. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PagePosition } from '../../../src/core/page-token.ts';
import type { AccountFilter } from '../../../src/store/accounts/account-list-query.ts';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { ENV, fill } from '../../support/growing-rows.ts';

const reach = { environmentId: ENV };

forEachDatabase((_name, open) => {
  describe('accounts of a list', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      await db.transaction(fill);
    });

    const page = async (filter: AccountFilter, position?: PagePosition, limit = 3) =>
      (await new AccountStore(db.read).page(reach, filter, position, limit)).map(({ id }) => id);

    it('mix accounts of several connections by age, forwards and backwards', async () => {
      const filter = { connections: ['notes', 'mail', 'nobody'] };
      expect(await page(filter)).toEqual(['ca_10100', 'ca_10099', 'ca_10098']);
      const last = { createdAt: 10_098, id: 'ca_10098' };
      expect(await page(filter, { ...last, direction: 'next' })).toEqual([
        'ca_10097',
        'ca_10096',
        'ca_10095',
      ]);
      expect(await page(filter, { ...last, direction: 'prev' })).toEqual(['ca_10099', 'ca_10100']);
      expect(await page({ connections: ['nobody'] })).toEqual([]);
      expect(await new AccountStore(db.read).count(reach, { connections: ['nobody'] }, 9)).toBe(0);
    });

    it('begin with a text, in the order of identifiers, forwards and backwards', async () => {
      expect(await page({ identifierPrefix: 'user-1009' })).toEqual(['ca_1009', 'ca_10090', 'ca_10091']);
      const last = { createdAt: 10_091, id: 'ca_10091', identifier: 'user-10091' };
      expect(await page({ identifierPrefix: 'user-1009' }, { ...last, direction: 'next' })).toEqual([
        'ca_10092',
        'ca_10093',
        'ca_10094',
      ]);
      expect(await page({ identifierPrefix: 'user-1009' }, { ...last, direction: 'prev' })).toEqual([
        'ca_10090',
        'ca_1009',
      ]);
      expect(await page({ identifierPrefix: 'user-', connections: ['mail', 'notes'] })).toEqual([
        'ca_1',
        'ca_10',
        'ca_100',
      ]);
      for (const wildcard of ['user_', '%', 'User-'])
        expect(await page({ identifierPrefix: wildcard })).toEqual([]);
    });

    it('stop being counted at the bound that is asked for', async () => {
      const store = new AccountStore(db.read);
      expect(await store.count(reach, {}, 10_001)).toBe(10_001);
      expect(await store.count(reach, { identifierPrefix: 'user-' }, 7)).toBe(7);
      expect(await store.count(reach, { identifierPrefix: 'user-1009' }, 100)).toBe(11);
    });

    it('count groups by connection and status in one statement, each up to the bound', async () => {
      const groups = [
        {},
        { connectionId: 'con_mail' },
        { connectionId: 'con_mail', status: 'EXPIRED' },
      ] as const;
      expect(await new AccountStore(db.read).counts(reach, groups, 3_000)).toEqual([3_000, 3_000, 673]);
      expect(await new AccountStore(db.read).counts(reach, [], 3_000)).toEqual([]);
    });

    it('know since when the first of the expired ones has no access', async () => {
      const store = new AccountStore(db.read);
      expect(await store.expiredSince(reach, undefined, 100)).toBeUndefined();
      const newest = await store.page(reach, { connections: ['mail'], status: 'EXPIRED' }, undefined, 3);
      const [first = '', second = '', third = ''] = newest.map(({ id }) => id);
      const changes = [
        [first, 'ACTIVE', 'EXPIRED', 900],
        [first, 'EXPIRED', 'ACTIVE', 950],
        [first, 'ACTIVE', 'EXPIRED', 3_000],
        [first, 'EXPIRED', 'EXPIRED', 4_000],
        [second, 'PENDING_AUTH', 'EXPIRED', 2_000],
        [third, 'ACTIVE', 'EXPIRED', 1_000],
      ] as const;
      await db.transaction(async (tx) =>
        tx
          .insertInto('account_events')
          .values(
            changes.map(([account_id, from_status, to_status, at], place) => ({
              id: `lost_${place}`,
              environment_id: reach.environmentId,
              account_id,
              at,
              from_status,
              to_status,
              cause: 'refresh_failed',
              actor: '',
            })),
          )
          .execute(),
      );
      expect(await store.expiredSince(reach, 'con_mail', 1)).toBe(3_000);
      expect(await store.expiredSince(reach, 'con_mail', 2)).toBe(2_000);
      expect(await store.expiredSince(reach, undefined, 100)).toBe(1_000);
      expect(await store.expiredSince({ ...reach, userId: 'nobody' }, 'con_mail', 100)).toBeUndefined();
    });

    // The last one, because it adds accounts.
    it('put several with one identifier in order of age', async () => {
      await db.transaction(async (tx) =>
        sql`insert into accounts (id, environment_id, connection_id, organization_id, user_id, identifier, status,
            api_config, generation, refresh_state, failed_attempts, refusals, created_at, updated_at)
          select 'younger_' || id, environment_id, connection_id, organization_id, 'other_' || id, 'user-10', status,
            api_config, generation, refresh_state, failed_attempts, refusals, created_at + 20000, updated_at
          from accounts where id in ('ca_2', 'ca_4')`.execute(tx),
      );
      expect(await page({ identifierPrefix: 'user-10' })).toEqual(['ca_10', 'younger_ca_2', 'younger_ca_4']);
      const middle = { createdAt: 20_002, id: 'younger_ca_2', identifier: 'user-10' };
      for (const filter of [{}, { connections: ['mail', 'notes'] }]) {
        const list = { identifierPrefix: 'user-10', ...filter };
        expect(await page(list, { ...middle, direction: 'next' }, 2)).toEqual(['younger_ca_4', 'ca_100']);
        expect(await page(list, { ...middle, direction: 'prev' }, 2)).toEqual(['ca_10']);
      }
    });
  });
});
