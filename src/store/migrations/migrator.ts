/**
 * Brings the tables of a database to the version that this program knows.
 *
 * All missing migrations run in one write transaction. Only one process can hold it: SQLite has one writer,
 * Postgres an advisory lock. Of two starting processes the second finds the work done.
 */
import { CompiledQuery, sql, type Kysely } from 'kysely';
import type { Dialect, OpenedDatabase, WriteTransaction } from '../engine/database.ts';
import { DatabaseError } from '../engine/database-errors.ts';
import { firstTables } from './0001-first-tables.ts';
import { idempotencyKeys } from './0002-idempotency-keys.ts';
import { peopleAndPolicy } from './0003-people-and-policy.ts';
import { identityProviderReach } from './0004-identity-provider-reach.ts';
import type { Tables } from '../tables/tables.ts';

/** The first n entries make version n of the schema. */
const MIGRATIONS: readonly ((dialect: Dialect) => string[])[] = [
  firstTables,
  idempotencyKeys,
  peopleAndPolicy,
  identityProviderReach,
];

/** Row of `installation` that holds the version. */
const VERSION_KEY = 'schema_version';

/** Postgres advisory lock of migrations: any fixed number, here the letters of `gate`. */
const MIGRATION_LOCK = 0x67617465;

/** @throws DatabaseError if a newer program made the tables */
export async function migrate(database: OpenedDatabase): Promise<void> {
  if ((await versionOf(database.read, database.dialect)) === MIGRATIONS.length) return;
  if (database.dialect === 'sqlite') return database.transaction((tx) => raise(tx, 'sqlite'));
  // A serializable transaction would not see the changes of another process made while this one waited for
  // the lock.
  const transaction = database.read.transaction().setIsolationLevel('read committed');
  await database.patiently(async () =>
    transaction.execute(async (tx) => {
      await sql`set local lock_timeout = '60s'`.execute(tx);
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
      await raise(tx, 'postgres');
    }),
  );
}

async function raise(tx: WriteTransaction, dialect: Dialect): Promise<void> {
  const run = (statement: string) => tx.executeQuery(CompiledQuery.raw(statement));
  const version = await versionOf(tx, dialect);
  if (version === MIGRATIONS.length) return;
  if (version === 0) await run(installationTable(dialect));
  for (const migration of MIGRATIONS.slice(version)) {
    for (const statement of migration(dialect)) await run(statement);
  }
  const value = String(MIGRATIONS.length);
  await tx
    .insertInto('installation')
    .values({ key: VERSION_KEY, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/**
 * Version of the tables; 0 for an empty database.
 *
 * @throws DatabaseError if a newer program made them
 */
export async function versionOf(db: Kysely<Tables>, dialect: Dialect): Promise<number> {
  const { rows } =
    dialect === 'postgres'
      ? await sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'installation'`.execute(
          db,
        )
      : await sql`select 1 from sqlite_master where name = 'installation'`.execute(db);
  if (rows.length === 0) return 0;
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', VERSION_KEY)
    .executeTakeFirst();
  const version = Number(row?.value);
  if (Number.isInteger(version) && version >= 1 && version <= MIGRATIONS.length) return version;
  throw new DatabaseError(
    `The database has schema version ${row?.value ?? 'unknown'}; this program knows versions up to ${MIGRATIONS.length}. ` +
      'It was made by a newer Gatehouse: start that one, or use another database. Nothing was changed.',
  );
}

function installationTable(dialect: Dialect): string {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  return `create table installation (key ${text} primary key, value ${text} not null)${dialect === 'sqlite' ? ' strict' : ''}`;
}
