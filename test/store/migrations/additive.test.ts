/**
 * A migration adds, and takes away only in a later version what no program uses any more: the program before works on
 * together with the one that migrates (docs/upgrade.md).
 */
import SqliteHandle from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { planMigration } from '../../../src/store/migrations/migrator.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';

/** The tables of the released version 0.1.0. Programs of earlier versions were never released. */
const RELEASED = 3;

const ADDITIVE = [
  /^create table /,
  // A unique index could refuse what the program before writes.
  /^create index /,
  // It may take longer to find rows, and finds the same ones.
  /^drop index /,
  /^alter table \w+ add column \w+ \w+( collate "C")?$/,
  /^alter table \w+ add column \w+ \w+( collate "C")? not null default \S+$/,
  // A row that no earlier version reads.
  /^insert into installation /,
];

/** Statements that are not additive by their form, and why the program before does not notice. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'alter table interceptor_logs drop constraint interceptor_logs_interceptor_id_fkey':
    'the program before deletes no row that the constraint would have deleted, and may write the rows it allowed',
  'insert into interceptor_logs_kept select * from interceptor_logs':
    'the same on SQLite: the table is written anew',
  'drop table interceptor_logs': 'it is replaced in the same transaction',
  'alter table interceptor_logs_kept rename to interceptor_logs': 'with the columns that it had',
  "update webhook_deliveries set account_id = body::json #>> '{data,connected_account,id}' where status = 'pending'":
    'fills only the new column',
  "update webhook_deliveries set account_id = json_extract(body, '$.data.connected_account.id') where status = 'pending'":
    'fills only the new column',
};

forEachDatabase((_name, open) => {
  it('adds in every migration, and lists the exceptions with their reasons', async () => {
    const { statements } = await planMigration(await open(), RELEASED);
    const others = statements
      .map(({ statement }) => statement)
      .filter((statement) => !ADDITIVE.some((form) => form.test(statement)));
    expect(others.filter((statement) => EXCEPTIONS[statement] === undefined)).toEqual([]);
  });
});

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

/** Columns of each table by name. */
function columnsOf(handle: SqliteHandle.Database): Map<string, Map<string, Column>> {
  const tables = handle
    .prepare("select name from sqlite_master where type = 'table'")
    .pluck()
    .all() as string[];
  return new Map(
    tables.map((table) => [
      table,
      new Map((handle.pragma(`table_info(${table})`) as Column[]).map((column) => [column.name, column])),
    ]),
  );
}

onDatabase('sqlite', (_name, open) => {
  describe('database columns after each migration', () => {
    it('contain those of before, and new ones that the program before need not write', async () => {
      const { statements } = await planMigration(await open(), 0);
      const handle = new SqliteHandle(':memory:');
      handle.exec('create table installation (key text primary key, value text not null) strict');
      const versions = Map.groupBy(statements, ({ version }) => version);
      for (const [version, all] of versions) {
        const before = columnsOf(handle);
        for (const { statement } of all) handle.exec(statement);
        if (version <= RELEASED) continue;
        const after = columnsOf(handle);
        for (const [table, columns] of before) {
          const now = after.get(table) ?? new Map<string, Column>();
          for (const [name, { type, notnull, pk }] of columns)
            expect(now.get(name), `${table}.${name} after migration ${version}`).toMatchObject({
              type,
              notnull,
              pk,
            });
          for (const [name, column] of now)
            if (!columns.has(name))
              expect(
                column.notnull === 0 || column.dflt_value !== null,
                `${table}.${name} may be left out`,
              ).toBe(true);
        }
      }
      handle.close();
    });
  });
});
