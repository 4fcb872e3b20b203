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
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, inject } from 'vitest';
import type { Database, Dialect } from '../../src/store/database.ts';
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

/** Runs the tests on one of them: for what only this database does. */
export function onDatabase(
  name: Dialect,
  define: (name: Dialect, open: OpenTestDatabase, newUrl: NewDatabaseUrl) => void,
): void {
  const isMissing = name === 'postgres' && inject('postgresDatabases') === '';
  describe.skipIf(isMissing)(name, () => {
    const folders: string[] = [];
    /** Postgres databases of tests that are over, to be emptied and used again. */
    const used: string[] = [];
    let opened: { database: Database; isReusable: boolean; url: string }[] = [];
    let openedForFile: typeof opened = [];

    const newUrl: NewDatabaseUrl = async (kind) => {
      if (name === 'postgres') return newPostgresUrl(kind);
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
      folders.push(folder);
      return `sqlite:${join(folder, 'gatehouse.db')}`;
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

/** Emptying a Postgres database takes a tenth of the time that creating one takes. */
async function empty(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await sql`alter table audit disable trigger user`.execute(tx);
    for (const table of CHILDREN_FIRST) await tx.deleteFrom(table).execute();
    await tx.deleteFrom('installation').where('key', '!=', 'schema_version').execute();
    await sql`alter table audit enable trigger user`.execute(tx);
  });
}

const CHILDREN_FIRST = [
  'idempotency_keys',
  'webhook_deliveries',
  'webhooks',
  'signing_secrets',
  'account_events',
  'links',
  'auth_requests',
  'accounts',
  'connections',
  'executions',
  'credential_secrets',
  'credentials',
  'signing_keys',
  'revoked_tokens',
  'audit',
  'rate_windows',
  'environments',
] as const;

async function newPostgresUrl(kind?: 'empty'): Promise<string> {
  const response = await fetch(inject('postgresDatabases') + (kind === 'empty' ? '?empty' : ''));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
