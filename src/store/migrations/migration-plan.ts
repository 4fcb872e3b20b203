/**
 * The plan of a migration, shown before it runs: its statements, the rows of their tables, and the estimated time.
 */
import { sql } from 'kysely';
import type { Database } from '../engine/database.ts';

/** The way to a version of the tables from the version before it. */
export interface Migration {
  version: number;
  statements: readonly string[];
}

/** A statement of a migration. */
export interface PlannedStatement {
  /** Version of the tables that it belongs to. */
  version: number;
  /** SQL in one line. */
  statement: string;
  /** The table that it makes, changes or reads; null if it names none. */
  table: string | null;
  /** Rows of that table, on Postgres by its statistics; null for a new table, or if they are not known. */
  rows: number | null;
}

/** A migration that is to be done. */
export interface MigrationPlan {
  /** Version of the tables now; 0 for an empty database. */
  from: number;
  to: number;
  statements: PlannedStatement[];
  /** SQLite: about how long it takes at most. */
  seconds: number | undefined;
}

/**
 * Time of SQLite for one row of a statement that reads the whole table. It took 0.56 µs for 5,000,000 executions
 * (docs/upgrade.md).
 */
const MICROSECONDS_A_ROW = 0.7;

const TABLE =
  /^(?:create (?:unique )?index \w+ on|create table|alter table|drop table|insert into|update) (\w+)/;

/** @param from version of the tables now */
export async function migrationPlan(
  db: Database,
  from: number,
  migrations: readonly Migration[],
): Promise<MigrationPlan> {
  const rows = await rowsOfTables(db);
  const statements = migrations.flatMap(({ version, statements: all }) =>
    all.map((statement) => {
      const table = TABLE.exec(statement)?.[1] ?? null;
      return {
        version,
        statement: statement.replaceAll(/\s+/g, ' '),
        table,
        rows: rows.get(table ?? '') ?? null,
      };
    }),
  );
  const work = statements.reduce((sum, each) => sum + (each.rows ?? 0), 0);
  return {
    from,
    to: migrations.at(-1)?.version ?? from,
    statements,
    seconds: db.dialect === 'sqlite' ? Math.ceil(1 + (work * MICROSECONDS_A_ROW) / 1e6) : undefined,
  };
}

/** Rows of each table: counted on SQLite, estimated on Postgres. */
async function rowsOfTables(db: Database): Promise<ReadonlyMap<string, number>> {
  if (db.dialect === 'postgres') {
    const { rows } = await sql<{ name: string; count: number }>`
      select relname as name, reltuples::bigint as count from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and reltuples >= 0`.execute(
      db.read,
    );
    return new Map(rows.map(({ name, count }) => [name, count]));
  }
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table'`.execute(db.read);
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
      db.longRead,
    );
    counts.set(name, rows[0]?.count ?? 0);
  }
  return counts;
}
