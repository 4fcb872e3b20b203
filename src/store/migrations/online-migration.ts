/**
 * Migrates a Postgres database under the programs that use it.
 *
 * Each statement is a step of its own, so that no lock of a table is held for long, and never two of them. Indexes are
 * built and dropped `concurrently`, which no transaction may contain. A row of `installation` counts the steps, so that
 * an interrupted migration is continued.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import type { OpenedDatabase } from '../engine/database.ts';
import { isBusy } from '../engine/database-errors.ts';
import type { Tables } from '../tables/tables.ts';
import type { Migration } from './migration-plan.ts';
import { setVersion } from './schema-version.ts';

/** Postgres advisory lock of migrations: any fixed number, here the letters of `gate`. */
const MIGRATION_LOCK = 0x67617465;

/** Time between two looks whether another process still migrates. */
const LOOK_AGAIN_MS = 200;

/**
 * Longest wait of one try for a table that others use. Everybody who comes later waits behind it, and their own
 * transactions wait 5 s.
 */
const LOCK_TIMEOUT = '2s';

/** Rest between two tries, for those who waited behind. */
const REST_MS = 1_000;

/** Row of `installation` with the steps that are done of the version after `schema_version`. */
const STEPS_KEY = 'migration_steps';

const NEW_INDEX = /^create index (\w+) on /;
const OLD_INDEX = /^drop index (?:if exists )?(\w+)$/;

/**
 * Runs `work` on one connection while no other process migrates.
 *
 * A waiting process asks again and again, because it must have no statement open: `concurrently` waits for the
 * statements of everybody else, and that statement would wait for the lock.
 */
export async function underMigrationLock<T>(
  database: OpenedDatabase,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return database.withoutTimeout(async () =>
    database.read.connection().execute(async (db) => {
      while (!(await tryLock(db))) await sleep(LOOK_AGAIN_MS);
      try {
        return await work(db);
      } finally {
        // A connection that is lost has lost the lock too.
        await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(db).catch(() => {});
      }
    }),
  );
}

/** Does the steps of each migration that are not done yet. */
export async function inSteps(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<void> {
  for (const { version, statements } of migrations) {
    const done = await stepsDone(db);
    for (const [index, statement] of statements.entries()) {
      const [, made] = NEW_INDEX.exec(statement) ?? [];
      const [, dropped] = OLD_INDEX.exec(statement) ?? [];
      if (made !== undefined) await buildIndex(db, made, statement);
      else if (dropped !== undefined)
        await untilFree(async () => run(db, `drop index concurrently if exists ${dropped}`));
      else if (index >= done) await step(db, statement, index + 1);
    }
    await untilFree(async () =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('installation').where('key', '=', STEPS_KEY).execute();
        await setVersion(tx, version);
      }),
    );
  }
}

async function step(db: Kysely<Tables>, statement: string, done: number): Promise<void> {
  const value = String(done);
  await untilFree(async () =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        await run(tx, `set local lock_timeout = '${LOCK_TIMEOUT}'`);
        await run(tx, statement);
        await tx
          .insertInto('installation')
          .values({ key: STEPS_KEY, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
      }),
  );
}

/** An index whose building ended early is there, but not valid, and its name is taken. */
async function buildIndex(db: Kysely<Tables>, name: string, statement: string): Promise<void> {
  await untilFree(async () => {
    const { rows } = await sql<{ isValid: boolean }>`
      select indisvalid as "isValid" from pg_index
      where indexrelid = to_regclass(quote_ident(current_schema()) || '.' || ${name})`.execute(db);
    if (rows[0]?.isValid === true) return;
    if (rows.length > 0) await run(db, `drop index concurrently ${name}`);
    await run(db, statement.replace('create index', 'create index concurrently'));
  });
}

/** Repeats what a lock of others ended. */
async function untilFree(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await sleep(REST_MS);
  }
}

async function tryLock(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isOurs"`.execute(db);
  return rows[0]?.isOurs === true;
}

async function stepsDone(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', STEPS_KEY)
    .executeTakeFirst();
  return Number(row?.value ?? 0);
}

async function run(db: Kysely<Tables>, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement));
}
