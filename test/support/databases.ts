/**
 * Every store test on both databases:
 *
 *     forEachDatabase((name, open) => {
 *       it('stores a row', async () => {
 *         const db = await open();
 *
 * `open()` gives a database with empty tables, closed by itself: at the end of the test when a test or its
 * beforeEach opened it, else at the end of the file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, inject } from 'vitest';
import type { Database, Dialect } from '../../src/store/engine/database.ts';
import { openDatabase, type OpenOptions } from '../../src/store/open.ts';
import { ROUNDS } from './rounds.ts';

/** Opens a new database, or the one of `url`. */
export type OpenTestDatabase = (options?: Partial<OpenOptions>) => Promise<Database>;

/** URL of a new database, for tests with several connections or processes; `empty`: without tables. */
export type NewDatabaseUrl = (kind?: 'empty') => Promise<string>;

/** Runs the tests once per database. Without Postgres its half is skipped; under CI=true that fails instead. */
export function forEachDatabase(
  define: (name: Dialect, open: OpenTestDatabase, newUrl: NewDatabaseUrl) => void,
): void {
  onDatabase('sqlite', define);
  onDatabase('postgres', define);
}

/** The same for tests of many processes, which are slow: on Postgres in the full rounds only. */
export function forEachDatabaseInFull(
  define: (name: Dialect, open: OpenTestDatabase, newUrl: NewDatabaseUrl) => void,
): void {
  onDatabase('sqlite', define);
  if (ROUNDS.slowOnPostgres) onDatabase('postgres', define);
}

/** Postgres databases of tests that are over, in this file and those before it, to be emptied and used again. */
const used: string[] = [];

/** Runs the tests on one of them: for what only this database does. */
export function onDatabase(
  name: Dialect,
  define: (name: Dialect, open: OpenTestDatabase, newUrl: NewDatabaseUrl) => void,
): void {
  const isMissing = name === 'postgres' && inject('postgresDatabases') === '';
  describe.skipIf(isMissing)(name, () => {
    const folders: string[] = [];
    let opened: { database: Database; isReusable: boolean; url: string }[] = [];
    let openedForFile: typeof opened = [];

    const newUrl: NewDatabaseUrl = async (kind) => {
      if (name === 'postgres') return newPostgresUrl(kind);
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
      folders.push(folder);
      const file = join(folder, 'gatehouse.db');
      if (kind === 'empty') writeFileSync(file, '');
      return `sqlite:${file}`;
    };
    const open: OpenTestDatabase = async (options) => {
      const isReusable = name === 'postgres' && options?.url === undefined;
      const again = isReusable ? used.pop() : undefined;
      const url = options?.url ?? again ?? (await newUrl());
      const database = await openDatabase({ ...options, url });
      opened.push({ database, isReusable, url });
      if (again !== undefined) await empty(database);
      return database;
    };
    const closeAll = async (): Promise<void> => {
      for (const { database, isReusable, url } of opened.splice(0)) {
        await database.close();
        if (isReusable) used.push(url);
      }
    };

    beforeEach(() => {
      openedForFile = opened;
      opened = [];
    });
    afterEach(async () => {
      await closeAll();
      opened = openedForFile;
    });
    afterAll(async () => {
      await closeAll();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });

    define(name, open, newUrl);
  });
}

/** Statements that empty a migrated database, in one text: the same for each of them. */
let emptying: Promise<string> | undefined;

/** Emptying a Postgres database takes a tenth of the time that creating one takes. */
async function empty(database: Database): Promise<void> {
  emptying ??= statementsToEmpty(database);
  const statements = await emptying;
  await database.transaction(async (tx) => sql.raw(statements).execute(tx));
}

async function statementsToEmpty(database: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(database.read);
  const { rows: references } = await sql<{ from: string; to: string }>`
    select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
    where contype = 'f' and conrelid <> confrelid`.execute(database.read);
  const left = new Set(tables.map(({ name }) => name));
  const statements: string[] = [];
  // A table is emptied when no other one refers to it any more.
  while (left.size > 0) {
    const isReferred = (name: string): boolean =>
      references.some(({ from, to }) => to === name && left.has(from));
    const free = [...left].filter((name) => !isReferred(name));
    if (free.length === 0) throw new Error('Tables refer to each other in a circle.');
    for (const name of free) {
      left.delete(name);
      if (name === 'installation')
        statements.push(`delete from installation where key not in ('schema_version', 'compatible_from')`);
      else statements.push(name === 'audit' ? EMPTY_AUDIT : `delete from "${name}"`);
    }
  }
  return statements.join(';\n');
}

/** Its triggers let nothing be deleted, and switching them off and on is slow. */
const EMPTY_AUDIT = `do $$ begin
  if exists (select from audit) then
    alter table audit disable trigger user;
    delete from audit;
    alter table audit enable trigger user;
  end if;
end $$`;

async function newPostgresUrl(kind?: 'empty'): Promise<string> {
  const response = await fetch(inject('postgresDatabases') + (kind === 'empty' ? '?empty' : ''));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
