import { Client } from 'pg';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import type { MigrationPlan } from '../../../src/store/migrations/migration-plan.ts';
import { SqliteDatabase } from '../../../src/store/engine/sqlite-database.ts';
import { migrate, planMigration, SCHEMA_VERSION } from '../../../src/store/migrations/migrator.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { makeOlderTables } from '../../support/older-tables.ts';
import { ROUNDS } from '../../support/rounds.ts';

/** The version that 0.1.0 made. */
const RELEASED = 3;

const EARLIER = Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1);

/** Columns and indexes of a database, each in a line. */
async function structure(db: Database): Promise<string[]> {
  const query =
    db.dialect === 'postgres'
      ? sql<{ line: string }>`
          select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as line
          from information_schema.columns where table_schema = current_schema()
          union all select indexdef from pg_indexes where schemaname = current_schema()
          union all select relname || ' is not valid' from pg_index join pg_class on oid = indexrelid where not indisvalid
          order by 1`
      : sql<{ line: string }>`
          select m.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" as line
          from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'
          union all select sql from sqlite_master where type = 'index' and sql is not null order by 1`;
  return (await query.execute(db.read)).rows.map(({ line }) => line);
}

async function facts(db: Database): Promise<Record<string, string>> {
  const rows = await db.read.selectFrom('installation').selectAll().execute();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

forEachDatabase((name, open, newUrl) => {
  it.each(ROUNDS.full ? EARLIER : [RELEASED])(
    'brings tables of version %i to what a new database has',
    async (version) => {
      const url = await newUrl('empty');
      await makeOlderTables(url, version);
      const db = await open({ url });
      expect(await structure(db)).toEqual(await structure(await open()));
      expect(await facts(db)).toEqual({ schema_version: String(SCHEMA_VERSION), compatible_from: '0.1.0' });
    },
  );

  it('tells what it is about to do, with the rows of each table', async () => {
    const url = await newUrl('empty');
    await makeOlderTables(url, 12);
    const onMigration = vi.fn<(plan: MigrationPlan) => Promise<void>>(async () => {});
    await open({ url, onMigration });
    await open({ url, onMigration });
    const [[plan] = []] = onMigration.mock.calls;
    expect(onMigration).toHaveBeenCalledTimes(1);
    expect(plan).toMatchObject({ from: 12, to: SCHEMA_VERSION, seconds: name === 'sqlite' ? 1 : undefined });
    expect(plan?.statements).toContainEqual({
      version: 13,
      statement: expect.stringContaining('alter table webhook_deliveries add column account_id'),
      table: 'webhook_deliveries',
      rows: name === 'sqlite' ? 0 : null,
    });
  });

  it('tells nothing of a new database', async () => {
    const onMigration = vi.fn<(plan: MigrationPlan) => Promise<void>>(async () => {});
    await open({ url: await newUrl('empty'), onMigration });
    expect(onMigration).not.toHaveBeenCalled();
  });

  it('plans every statement for an empty database', async () => {
    const { statements } = await planMigration(await open(), 0);
    expect(statements.length).toBeGreaterThan(100);
    expect(new Set(statements.map(({ version }) => version)).size).toBe(SCHEMA_VERSION);
  });
});

onDatabase('sqlite', (_name, open, newUrl) => {
  it('migrates a large file in a thread', async () => {
    const url = await newUrl('empty');
    await makeOlderTables(url, RELEASED);
    const db = await open({ url, smallFileBytes: 0 });
    expect(await structure(db)).toEqual(await structure(await open()));
  });

  it.each([
    [
      'in a thread',
      0,
      /^The tables of .* cannot be brought up to date\. table user_identities already exists$/,
    ],
    ['in the process', 8_000_000, /^table user_identities already exists$/],
  ])('leaves the tables as they were when a statement fails %s', async (_where, smallFileBytes, message) => {
    const url = await newUrl('empty');
    await makeOlderTables(url, RELEASED);
    const file = await SqliteDatabase.open(url.slice('sqlite:'.length), 1_000);
    await file.transaction(async (tx) => sql`create table user_identities (id text)`.execute(tx));
    const before = await structure(file);
    await expect(open({ url, smallFileBytes })).rejects.toThrow(message);
    expect(await structure(file)).toEqual(before);
    expect(await facts(file)).toEqual({ schema_version: '3' });
    await file.close();
  });

  it('leaves the tables as they were on a full disk, and says so', async () => {
    const url = await newUrl('empty');
    await makeOlderTables(url, RELEASED);
    const file = await SqliteDatabase.open(url.slice('sqlite:'.length), 1_000);
    const before = await structure(file);
    await file.transaction(async (tx) => sql`pragma max_page_count = 1`.execute(tx)); // SQLite takes the present size
    await expect(migrate(file)).rejects.toThrow(
      'The disk of the database is full. Nothing was stored; make room and try again.',
    );
    expect(await structure(file)).toEqual(before);
    await file.close();
  });
});

onDatabase('postgres', (_name, open, newUrl) => {
  const clients: Client[] = [];

  afterEach(async () => {
    await Promise.all(clients.splice(0).map(async (client) => client.end()));
  });

  /** A program that uses the database during the migration. */
  async function other(url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    clients.push(client);
    return client;
  }

  const isWaiting = async (client: Client, statement: string): Promise<boolean> => {
    const { rows } = await client.query<{ query: string }>(
      "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
      [`${statement}%`],
    );
    return rows.length > 0;
  };

  const rowOf = (n: number): string =>
    `insert into users (id, environment_id, email, email_verified, given_name, family_name, is_operator, created_at, updated_at)
     values ('usr_${n}', 'env_1', 'u${n}@example.test', 0, '', '', 0, 1, 1)`;

  it('builds indexes while others write', async () => {
    const url = await newUrl('empty');
    await makeOlderTables(url, 11);
    const [writer, second] = [await other(url), await other(url)];
    await writer.query("insert into environments (id, name, created_at) values ('env_1', 'development', 1)");
    // The first index over accounts waits for this transaction, and nobody else waits for that index.
    await writer.query('begin');
    await writer.query('lock table accounts in row exclusive mode');
    const opening = open({ url });
    await expect
      .poll(async () => isWaiting(second, 'create index concurrently'), { timeout: 20_000 })
      .toBe(true);
    await second.query('begin');
    await second.query("set local lock_timeout = '1s'");
    await second.query('lock table accounts in row exclusive mode');
    await second.query(rowOf(1));
    await second.query('commit');
    await writer.query('commit');
    expect(await structure(await opening)).toEqual(await structure(await open()));
  });

  it('builds an index again whose building was interrupted', async () => {
    const url = await newUrl('empty');
    await makeOlderTables(url, 11);
    const client = await other(url);
    await client.query(
      'create index executions_of_account on executions (environment_id, connected_account_id, at, id)',
    );
    await client.query(
      "update pg_index set indisvalid = false where indexrelid = 'executions_of_account'::regclass",
    );
    expect(await structure(await open({ url }))).toEqual(await structure(await open()));
  });

  it('continues at the statement where it was interrupted', async () => {
    const url = await newUrl('empty');
    await makeOlderTables(url, 8);
    const client = await other(url);
    await client.query('alter table executions add column user_id text collate "C"');
    await client.query('alter table executions add column organization_id text collate "C"');
    await client.query("insert into installation (key, value) values ('migration_steps', '2')");
    const db = await open({ url });
    expect(await structure(db)).toEqual(await structure(await open()));
    expect(await facts(db)).toEqual({ schema_version: String(SCHEMA_VERSION), compatible_from: '0.1.0' });
  });

  describe.runIf(ROUNDS.full)('with a table that others hold', () => {
    it('lets those who come later go on, and takes the table when it is free', async () => {
      const url = await newUrl('empty');
      await makeOlderTables(url, 9);
      const [reader, later] = [await other(url), await other(url)];
      await reader.query('begin');
      await reader.query('select 1 from accounts');
      const opening = open({ url });
      await expect.poll(async () => isWaiting(later, 'alter table accounts'), { timeout: 20_000 }).toBe(true);
      await later.query("set lock_timeout = '5s'");
      await later.query('select 1 from accounts');
      await reader.query('commit');
      expect(await structure(await opening)).toEqual(await structure(await open()));
    });
  });
});
