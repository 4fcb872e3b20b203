/** An installation with many rows, for bench/scale.ts: made as the program makes it, then filled by SQL. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import SqliteHandle from 'better-sqlite3';
import { Client } from 'pg';
import type { Dialect } from '../../src/store/engine/database.ts';
import { Deployment } from '../../test/support/deployment/deployment.ts';
import { API_KEY } from '../../test/support/oauth-provider/provider.ts';
import type { ServerProcess } from '../../test/support/deployment/server-process.ts';
import type { TestPostgres } from '../../test/support/postgres.ts';
import { fillEnvironment, GROWING, type RowCounts } from '../../test/support/growing-rows.ts';

/** Accounts that tools are called for. The other rows are never used. */
export const CALLERS = 8;

/** An installation of one size. Its processes are stopped. */
export interface Installation {
  deployment: Deployment;
  dialect: Dialect;
  url: string;
  environmentId: string;
  counts: RowCounts;
  /** Row `i` of a table was written `i` milliseconds after this. */
  since: number;
}

/** Name of a user with an account at `ledger_key`, and of another one at `ledger`. */
export function caller(n: number): string {
  return `caller-${n % CALLERS}`;
}

/** Makes an installation and fills it. */
export async function newInstallation(
  dialect: Dialect,
  counts: RowCounts,
  postgres: TestPostgres,
): Promise<Installation> {
  const databaseUrl = dialect === 'postgres' ? await postgres.createDatabase(true) : undefined;
  const deployment = await Deployment.open({
    ...(databaseUrl !== undefined && { databaseUrl }),
    env: { GATEHOUSE_LOG_LEVEL: 'warn' },
  });
  const server = await deployment.serve();
  await connectCallers(deployment, server);
  await server.stop();
  const since = Date.now() - counts.executions;
  const file = join(deployment.dir, 'data/gatehouse.db');
  const environmentId =
    databaseUrl === undefined
      ? await fillSqlite(file, counts, since)
      : await fillPostgres(databaseUrl, counts, since);
  return { deployment, dialect, url: databaseUrl ?? `sqlite:${file}`, environmentId, counts, since };
}

/**
 * Reads the files of a database, so that the operating system has them in memory. Whether it has them depends on the
 * machine, and a read from its disk takes longer than a list. A Postgres on another machine is left as it is.
 */
export async function readFiles({ dialect, url }: Installation): Promise<void> {
  for (const file of dialect === 'sqlite' ? [url.slice('sqlite:'.length)] : await postgresFiles(url))
    await finished(createReadStream(file, { highWaterMark: 1_000_000 }).resume());
}

async function postgresFiles(connectionString: string): Promise<string[]> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ path: string }>(
    `select current_setting('data_directory') || '/' || pg_relation_filepath(c.oid) as path from pg_class c
      where relkind in ('r', 'i') and relnamespace = current_schema()::regnamespace`,
  );
  await client.end();
  const paths: string[] = [];
  for (const folder of new Set(rows.map(({ path }) => dirname(path)))) {
    const names = await readdir(folder).catch(() => []);
    // A large table has several files: `123`, `123.1`, …
    paths.push(
      ...names
        .map((name) => join(folder, name))
        .filter((name) => rows.some(({ path }) => isPartOf(name, path))),
    );
  }
  return paths;
}

function isPartOf(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}.`);
}

async function connectCallers(deployment: Deployment, server: ServerProcess): Promise<void> {
  for (let n = 0; n < CALLERS; n++) {
    const user = caller(n);
    await deployment.connect(server, user, 86_400_000);
    const { status, text } = await server.api('POST', '/connected_accounts', {
      connector: 'ledger_key',
      identifier: user,
      user_id: user,
      connected_account: { authorization_details: { static_auth: { details: { api_key: API_KEY } } } },
    });
    if (status !== 201) throw new Error(text);
  }
}

/** Indexes are made after the rows: a tenth of the time. */
async function fillSqlite(file: string, counts: RowCounts, since: number): Promise<string> {
  const handle = new SqliteHandle(file);
  try {
    for (const setting of [
      'journal_mode = delete',
      'journal_mode = off',
      'synchronous = off',
      'cache_size = -400000',
      'threads = 2',
    ])
      handle.pragma(setting);
    const indexes = handle
      .prepare(
        `select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (${GROWING.map(() => '?').join(', ')})`,
      )
      .all(...GROWING) as { name: string; sql: string }[];
    for (const { name } of indexes) handle.exec(`drop index ${name}`);
    const environmentId = String(
      handle.prepare(`select id from environments where name = 'development'`).pluck().get(),
    );
    await fillEnvironment(async (text) => void handle.exec(text), environmentId, counts, since);
    for (const { sql } of indexes) handle.exec(sql);
    // The program itself does this for its statistics (src/store/engine/statistics.ts).
    handle.pragma('optimize(0x10012)');
    handle.pragma('journal_mode = wal');
    return environmentId;
  } finally {
    handle.close();
  }
}

async function fillPostgres(connectionString: string, counts: RowCounts, since: number): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const setting of ['session_replication_role = replica', `maintenance_work_mem = '400MB'`])
      await client.query(`set ${setting}`);
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(
      `select i.indexname as name, i.indexdef as sql from pg_indexes i where i.tablename = any($1)
        and not exists (select from pg_constraint c where c.conname = i.indexname)`,
      [GROWING],
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const { rows: environments } = await client.query<{ id: string }>(
      `select id from environments where name = 'development'`,
    );
    const environmentId = environments[0]?.id ?? '';
    const run = async (text: string): Promise<void> => void (await client.query(text));
    await fillEnvironment(run, environmentId, counts, since);
    for (const { sql } of indexes) await client.query(sql);
    // Autovacuum does this.
    await client.query('vacuum analyze');
    return environmentId;
  } finally {
    await client.end();
  }
}
