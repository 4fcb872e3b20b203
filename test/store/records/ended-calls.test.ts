import { beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { ExecutionStore } from '../../../src/store/records/execution-store.ts';
import { storeCalls } from '../../../src/store/records/ended-calls.ts';
import type { Execution } from '../../../src/store/tables/tables.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { sentStatements } from '../../support/measured.ts';
import {
  connectedAccount,
  ENVIRONMENT_ID,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../../support/services.ts';
import { executionRow } from '../../support/stored-rows.ts';

const AT = Date.UTC(2026, 10, 20, 12);

forEachDatabase((name, open) => {
  let db: Database;
  let services: Services;
  let ada: string;
  let bob: string;

  beforeEach(async () => {
    db = await open();
    services = await testServices({ db });
    ada = (await connectedAccount(services, { user_id: 'ada' })).id;
    bob = (await connectedAccount(services, { user_id: 'bob' })).id;
  });

  let made = 0;
  const end = (change: Partial<Execution>) => ({
    execution: executionRow({ id: `exe_${made++}`, ...change }),
  });
  const use = (id: string, at: number, change: Partial<Execution> = {}) =>
    end({ connected_account_id: id, at, ...change });

  const used = async () => {
    const rows = await db.read
      .selectFrom('accounts')
      .select(['id', 'last_used_at', 'refusals'])
      .orderBy('id')
      .execute();
    return Object.fromEntries(rows.map((row) => [row.id, [row.last_used_at, row.refusals]]));
  };

  describe('records of ended calls', () => {
    it('keep every column, with and without a value', async () => {
      const full = executionRow({
        id: 'exe_full',
        status: 'error',
        error_code: 'TOOL_ERROR',
        error_message: 'It says "no", {with} \\ commas, and NULL.',
        provider_status: 404,
        at: AT,
      });
      const bare = executionRow({
        id: 'exe_bare',
        connected_account_id: null,
        user_id: null,
        organization_id: null,
        connector: null,
        at: AT + 1,
      });
      await storeCalls(db, [{ execution: full }, { execution: bare }]);
      expect(await new ExecutionStore(db.read).page(ENVIRONMENT_ID, {}, undefined, 10)).toEqual([bare, full]);
    });

    it('note the last use of each account that answered, and forget its refusals', async () => {
      await db.transaction(async (tx) =>
        new AccountStore(tx).update(ENVIRONMENT_ID, ada, { refusals: 1, last_used_at: AT }),
      );
      await storeCalls(db, [use(ada, AT + 10), use(ada, AT + 30), use(bob, AT, { status: 'error' })]);
      expect(await used()).toEqual({ [ada]: [AT + 30, 0], [bob]: [null, 0] });
    });

    it('leave an account alone that was used less than a second ago, and one of another environment', async () => {
      await storeCalls(db, [use(ada, AT)]);
      await storeCalls(db, [use(ada, AT + 999), use(bob, AT, { environment_id: OTHER_ENVIRONMENT_ID })]);
      expect(await used()).toEqual({ [ada]: [AT, 0], [bob]: [null, 0] });
      await storeCalls(db, [use(ada, AT + 1_000)]);
      expect(await used()).toMatchObject({ [ada]: [AT + 1_000, 0] });
    });

    it('replace those that were stored before the calls', async () => {
      const { execution } = use(ada, AT + 5);
      const failed = { status: 'error', error_code: 'UNAVAILABLE', at: AT } as const;
      await storeCalls(db, [], [{ ...execution, ...failed }]);
      expect(await used()).toMatchObject({ [ada]: [null, 0] });
      await storeCalls(db, [{ execution, hasBegun: true }]);
      expect(await new ExecutionStore(db.read).page(ENVIRONMENT_ID, {}, undefined, 10)).toEqual([execution]);
      expect(await used()).toMatchObject({ [ada]: [AT + 5, 0] });
    });

    it('come all or not at all', async () => {
      const twice = [use(ada, AT), end({ id: 'exe_twice' }), end({ id: 'exe_twice' })];
      await expect(storeCalls(db, twice)).rejects.toThrow();
      expect(await new ExecutionStore(db.read).count(ENVIRONMENT_ID, {}, 10_000)).toBe(0);
      expect(await used()).toMatchObject({ [ada]: [null, 0] });
    });
  });

  if (name === 'sqlite') return;

  describe('records of ended calls at a server', () => {
    it('take one statement, however many they are, and one more if they were begun', async () => {
      const sent = sentStatements();
      await storeCalls(
        db,
        Array.from({ length: 2_000 }, (_, i) => use(i % 2 === 0 ? ada : bob, AT + i)),
      );
      const { execution } = use(ada, AT);
      await storeCalls(db, [], [{ ...execution, status: 'error' }]);
      await storeCalls(db, [{ execution, hasBegun: true }]);
      expect(sent).toHaveLength(3);
      expect(await new ExecutionStore(db.read).count(ENVIRONMENT_ID, {}, 10_000)).toBe(2_001);
    });

    it('lose none when processes record calls of the same accounts at the same time', async () => {
      const batches = Array.from({ length: 40 }, (_, i) => {
        const both = [use(ada, AT + i * 2_000), use(bob, AT + i * 2_000)];
        return i % 2 === 0 ? both : both.toReversed();
      });
      await Promise.all(batches.map(async (batch) => storeCalls(db, batch)));
      expect(await new ExecutionStore(db.read).count(ENVIRONMENT_ID, {}, 10_000)).toBe(80);
    });

    it('wait for an account that a transaction holds, and then follow its change', async () => {
      const held = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const change = db.transaction(async (tx) => {
        await new AccountStore(tx).update(ENVIRONMENT_ID, ada, { refusals: 1 });
        held.resolve();
        await gate.promise;
      });
      await held.promise;
      const stored = storeCalls(db, [use(ada, AT)]);
      gate.resolve();
      await Promise.all([change, stored]);
      expect(await used()).toMatchObject({ [ada]: [AT, 0] });
    });
  });
});
