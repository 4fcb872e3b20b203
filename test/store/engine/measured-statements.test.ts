import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { queueWaits } from '../../../src/core/telemetry/measured.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { measuring } from '../../support/measured.ts';

const COUNT = 'gatehouse_database_statement_duration_seconds_count';

forEachDatabase((_name, open) => {
  it('measures each statement of the database, also of transactions and after an error', async () => {
    const db = await open();
    const series = measuring();
    await db.read.selectFrom('environments').selectAll().execute();
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
    });
    const refused = db.transaction(async (tx) => {
      await tx.deleteFrom('environments').execute();
      await sql`nonsense`.execute(tx);
    });
    await expect(refused).rejects.toThrow(/nonsense/);
    const lines = await series(COUNT);
    expect(lines.toSorted()).toEqual(
      ['begin"} 2', 'commit"} 1', 'delete"} 1', 'insert"} 1', 'other"} 1', 'rollback"} 1', 'select"} 1'].map(
        (end) => `${COUNT}{operation="${end}`,
      ),
    );
  });

  it('tells how long work waits for its turn', async () => {
    const db = await open({ poolSize: 1 });
    const waits: string[] = [];
    onTestFinished(queueWaits.listen(({ queue }) => void waits.push(queue)));
    const begun = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const running = db.transaction(async (tx) => {
      await tx.selectFrom('environments').select('id').execute();
      begun.resolve();
      await asked.promise;
      // Keeps its turn for more than a millisecond after the other asked for one.
      for (const startedAt = performance.now(); performance.now() - startedAt < 10;)
        await tx.selectFrom('environments').select('id').execute();
    });
    await begun.promise;
    const waiting = db.transaction(async () => {});
    asked.resolve();
    await Promise.all([running, waiting]);
    expect(waits).toContain('database');
  });
});

onDatabase('postgres', (_name, _open, newUrl) => {
  it('tells which connections of the pool are in use, and how much work waits for one', async () => {
    const db = await openDatabase({ url: await newUrl(), poolSize: 1 });
    onTestFinished(async () => db.close());
    expect(db.poolUse()).toEqual({ inUse: 0, idle: 1, waiting: 0, max: 1 });
    let seen: unknown;
    await db.transaction(async (tx) => {
      await sql`select 1`.execute(tx);
      const waiting = sql`select 2`.execute(db.read);
      await sql`select 3`.execute(tx);
      seen = db.poolUse();
      void waiting;
    });
    expect(seen).toEqual({ inUse: 1, idle: 0, waiting: 1, max: 1 });
  });
});

onDatabase('sqlite', (_name, _open, newUrl) => {
  it('has no connections to count on SQLite', async () => {
    const db = await openDatabase({ url: await newUrl() });
    onTestFinished(async () => db.close());
    expect(db.poolUse()).toBeUndefined();
  });
});
