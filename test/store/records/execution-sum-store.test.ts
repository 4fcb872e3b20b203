/** Sums of executions: what is added, how they are read, and several processes that add to the same hour. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { ExecutionLog } from '../../../src/executor/call/execution-log.ts';
import type { Database, WriteTransaction } from '../../../src/store/engine/database.ts';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import { ExecutionStore } from '../../../src/store/records/execution-store.ts';
import { addToSums, otherPart } from '../../../src/store/records/execution-sum-store.ts';
import type { Execution } from '../../../src/store/tables/tables.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { connectedAccount, testServices } from '../../support/services.ts';
import { executionRow } from '../../support/stored-rows.ts';

const ENV = 'env_test';
const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 10, 20, 12);
const ALL = { from: 0, to: 2 * NOON, spanMs: HOUR_MS, groupBy: undefined };

/** Counts of the classes of durations, as [class, count]; the others are 0. */
const classes = (...counted: [place: number, count: number][]): number[] =>
  counted.reduce((all, [place, count]) => all.with(place, count), Array<number>(20).fill(0));

async function makeEnvironment(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    for (const id of [ENV, 'env_other'])
      await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
  });
}

const recordOf = (change: Partial<Execution>) => ({ execution: executionRow(change) });

forEachDatabase((_name, open) => {
  describe('sums of executions', () => {
    async function summed(...executions: Partial<Execution>[]): Promise<Database> {
      const db = await open();
      await makeEnvironment(db);
      await db.transaction(async (tx) =>
        addToSums(
          tx,
          executions.map((change) => executionRow({ at: NOON, ...change })),
          { dialect: db.dialect, part: otherPart(db.dialect) },
        ),
      );
      return db;
    }

    it('have one row for all executions of one kind and hour', async () => {
      const db = await summed({}, { at: NOON + HOUR_MS - 1 }, { tool_name: 'notes_list', user_id: 'bob' });
      const rows = await db.read.selectFrom('execution_sums').selectAll().execute();
      expect(rows).toMatchObject([
        { hour: NOON, connector: 'notes', source: 'api', status: 'ok', error_code: '', up_to_20: 3 },
      ]);
    });

    it('tell hours, connections, sources, outcomes and error codes apart', async () => {
      const failed = { status: 'error', error_code: 'TOOL_ERROR' } as const;
      const db = await summed(
        {},
        { at: NOON - 1 },
        { connector: null },
        { source: 'mcp' },
        failed,
        { ...failed, error_code: 'RATE_LIMITED' },
        { environment_id: 'env_other' },
      );
      const { total } = await db.read
        .selectFrom('execution_sums')
        .select((e) => e.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      expect(total).toBe(7);
    });

    it('count a duration in the first class that it does not exceed', async () => {
      const db = await summed(...[0, 5, 6, 60_000, 60_001, 600_000].map((ms) => ({ duration_ms: ms })));
      expect(await new ExecutionStore(db.read).sums(ENV, ALL)).toEqual([
        { at: NOON, group: '', status: 'ok', counts: classes([0, 2], [1, 1], [18, 1], [19, 2]) },
      ]);
    });

    it('grow with each batch, in order of their spans and groups', async () => {
      const db = await summed({ connector: 'notes' }, { connector: 'crm' });
      await db.transaction(async (tx) =>
        addToSums(
          tx,
          [executionRow({ at: NOON }), executionRow({ at: NOON + 12 * HOUR_MS, status: 'error' })],
          { dialect: db.dialect, part: otherPart(db.dialect) },
        ),
      );
      const read = new ExecutionStore(db.read);
      const byDay = { ...ALL, spanMs: 24 * HOUR_MS, groupBy: 'connector' } as const;
      const midnight = NOON - 12 * HOUR_MS;
      expect(await read.sums(ENV, byDay)).toEqual([
        { at: midnight, group: 'crm', status: 'ok', counts: classes([2, 1]) },
        { at: midnight, group: 'notes', status: 'ok', counts: classes([2, 2]) },
        { at: midnight + 24 * HOUR_MS, group: 'notes', status: 'error', counts: classes([2, 1]) },
      ]);
      expect(await read.sums(ENV, { ...byDay, from: midnight + 24 * HOUR_MS })).toHaveLength(1);
      expect(await read.sums('env_other', byDay)).toEqual([]);
    });

    it('commit together with the records that they count, or not at all', async () => {
      const db = await summed();
      const log = new ExecutionLog(db, silentLog);
      await log.record(recordOf({ id: 'exe_1', at: NOON }));
      // The second one has the same id, so its batch cannot be stored.
      await log.record(recordOf({ id: 'exe_1', at: NOON }));
      await log.record(recordOf({ id: 'exe_2', at: NOON }));
      expect(await new ExecutionStore(db.read).sums(ENV, ALL)).toMatchObject([{ counts: classes([2, 2]) }]);
    });
  });
});

onDatabase('postgres', (_name, open, newUrl) => {
  describe('sums of executions of several processes', () => {
    /** A database of another process, which counts how often its transactions ran. */
    async function processOn(url: string) {
      const db = await open({ url });
      const runs = { count: 0 };
      const counted: Database = {
        dialect: db.dialect,
        read: db.read,
        longRead: db.longRead,
        version: () => db.version(),
        transaction: async (work) =>
          db.transaction(async (tx) => {
            runs.count += 1;
            return work(tx);
          }),
        close: async () => db.close(),
      };
      return { db: counted, runs };
    }

    it('lose nothing where two add to the same hour at the same time', async () => {
      const url = await newUrl();
      const processes = [await processOn(url), await processOn(url), await processOn(url)];
      await makeEnvironment(processes[0]!.db);
      await Promise.all(
        processes.map(async ({ db }, process) => {
          const log = new ExecutionLog(db, silentLog);
          for (let n = 0; n < 20; n++) await log.record(recordOf({ id: `exe_${process}_${n}`, at: NOON }));
        }),
      );
      expect(await new ExecutionStore(processes[0]!.db.read).sums(ENV, ALL)).toMatchObject([
        { counts: classes([2, 60]) },
      ]);
    });

    it('grow in another part when the transaction is repeated', async () => {
      const url = await newUrl();
      const { db, runs } = await processOn(url);
      const services = await testServices({ db });
      const { id } = await connectedAccount(services);
      // The end of a pause needs a transaction.
      const wasPaused = await new AccountStore(db.read).find({ environmentId: ENV }, id);
      const log = new ExecutionLog(db, silentLog);
      await log.record(recordOf({ id: 'exe_1', at: NOON }));
      const { part } = await db.read.selectFrom('execution_sums').select('part').executeTakeFirstOrThrow();
      const other = await processOn(url);
      runs.count = 0;
      const begun = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const rival = other.db.transaction(async (tx: WriteTransaction) => {
        await addToSums(tx, [executionRow({ at: NOON })], { dialect: 'postgres', part });
        begun.resolve();
        await end.promise;
      });
      await begun.promise;
      const recorded = log.record({ ...recordOf({ id: 'exe_2', at: NOON }), wasPaused: wasPaused! });
      await untilLocked(db);
      end.resolve();
      await Promise.all([rival, recorded]);
      expect(runs.count).toBe(2);
      const parts = await db.read.selectFrom('execution_sums').select(['part', 'up_to_20']).execute();
      expect(parts.map(({ up_to_20: count }) => count).toSorted((a, b) => a - b)).toEqual([1, 2]);
    });
  });
});

/** Resolves when a statement waits for a row that another transaction has changed. */
async function untilLocked(db: Database): Promise<void> {
  for (;;) {
    const { rows } =
      await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
        db.read,
      );
    if (rows.length > 0) return;
  }
}
