/** Lists of accounts that are read in parts: several connections, and identifiers that begin with a text. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
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
    beforeEach(async () => {
      db = await open();
      await db.transaction(fill);
    });

    const page = async (filter: AccountFilter, position?: PagePosition, limit = 3) =>
      (await new AccountStore(db.read).page(reach, filter, position, limit)).map(({ id }) => id);

    it('mix those of several connections by age, forwards and back', async () => {
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
      expect(await new AccountStore(db.read).count(reach, { connections: ['nobody'] })).toBe(0);
    });

    it('begin with a text that few or many identifiers have, in the same order', async () => {
      expect(await page({ identifierPrefix: 'user-1009' })).toEqual(['ca_10099', 'ca_10098', 'ca_10097']);
      const last = { createdAt: 10_097, id: 'ca_10097' };
      expect(await page({ identifierPrefix: 'user-1009' }, { ...last, direction: 'next' })).toEqual([
        'ca_10096',
        'ca_10095',
        'ca_10094',
      ]);
      expect(await page({ identifierPrefix: 'user-1009' }, { ...last, direction: 'prev' })).toEqual([
        'ca_10098',
        'ca_10099',
      ]);
      expect(await page({ identifierPrefix: 'user-' })).toEqual(['ca_10100', 'ca_10099', 'ca_10098']);
      expect(await page({ identifierPrefix: 'user-', connections: ['mail'] })).toEqual([
        'ca_10098',
        'ca_10095',
        'ca_10092',
      ]);
      for (const wildcard of ['user_', '%', 'User-'])
        expect(await page({ identifierPrefix: wildcard })).toEqual([]);
    });

    it('begin with a text that many old identifiers have, in the same order', async () => {
      await db.transaction(async (tx) =>
        sql`insert into accounts (id, environment_id, connection_id, organization_id, user_id, identifier, status,
            api_config, generation, refresh_state, failed_attempts, refusals, created_at, updated_at)
          select 'new_' || id, environment_id, connection_id, organization_id, user_id, 'new-' || identifier, status,
            api_config, generation, refresh_state, failed_attempts, refusals, created_at + 20000, updated_at
          from accounts`.execute(tx),
      );
      expect(await page({ identifierPrefix: 'user-' })).toEqual(['ca_10100', 'ca_10099', 'ca_10098']);
      const middle = { createdAt: 5_000, id: 'ca_5000' };
      expect(await page({ identifierPrefix: 'new-' }, { ...middle, direction: 'prev' })).toEqual([
        'new_ca_1',
        'new_ca_2',
        'new_ca_3',
      ]);
      expect(await page({ identifierPrefix: 'new-' }, { ...middle, direction: 'next' })).toEqual([]);
    });

    it('stop being counted at the bound that is asked for', async () => {
      const store = new AccountStore(db.read);
      expect(await store.count(reach, {}, 10_001)).toBe(10_001);
      expect(await store.count(reach, { identifierPrefix: 'user-' }, 7)).toBe(7);
      expect(await store.count(reach, { identifierPrefix: 'user-1009' }, 100)).toBe(11);
    });
  });
});
