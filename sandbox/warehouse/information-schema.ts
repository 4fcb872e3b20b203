/** INFORMATION_SCHEMA of each database: the views read by the tools about tables, columns and keys. */
import { CREATED_AT, DATABASES } from './account.ts';
import type { StoredTable, WarehouseDatabase } from './database.ts';
import { primaryKeyName } from './tables.ts';
import { declaredType } from './types.ts';

/** Name of the schema. */
export const INFORMATION_SCHEMA = 'INFORMATION_SCHEMA';

type Row = readonly (string | number | null)[];

const TEXT = 'VARCHAR(16777216)';
const NUMBER = 'NUMBER(18,0)';
const TIME = 'TIMESTAMP_LTZ(9)';

interface View {
  columns: readonly string[];
  rows: (database: string, tables: readonly StoredTable[], warehouse: WarehouseDatabase) => Row[];
}

/** Columns in short form: a type followed by the names of its columns. */
function columns(...groups: readonly [type: string, names: string][]): string[] {
  return groups.flatMap(([type, names]) => names.split(' ').map((name) => `${name} ${type}`));
}

const VIEWS: Readonly<Record<string, View>> = {
  SCHEMATA: {
    columns: columns(
      [TEXT, 'CATALOG_NAME SCHEMA_NAME SCHEMA_OWNER'],
      [TIME, 'CREATED LAST_ALTERED'],
      [TEXT, 'COMMENT'],
    ),
    rows: (database) => [
      ...Object.entries(DATABASES[database]?.schemas ?? {}).map(
        ([schema, comment]) =>
          [database, schema, 'SYSADMIN', CREATED_AT, CREATED_AT, comment || null] as const,
      ),
      [
        database,
        INFORMATION_SCHEMA,
        null,
        CREATED_AT,
        CREATED_AT,
        'Views describing the contents of schemas in this database',
      ],
    ],
  },
  TABLES: {
    columns: columns(
      [TEXT, 'TABLE_CATALOG TABLE_SCHEMA TABLE_NAME TABLE_OWNER TABLE_TYPE'],
      [NUMBER, 'ROW_COUNT BYTES'],
      [TIME, 'CREATED LAST_ALTERED'],
      [TEXT, 'COMMENT'],
    ),
    rows: (database, tables, warehouse) =>
      tables.map((table) => {
        const count = warehouse.rowCount(table);
        const type = table.kind === 'TABLE' ? 'BASE TABLE' : 'VIEW';
        const size = count === null ? null : 1024 * Math.ceil((count * table.columns.length * 8) / 1024);
        const { schema, name, createdAt, changedAt, comment } = table;
        return [database, schema, name, 'SYSADMIN', type, count, size, createdAt, changedAt, comment];
      }),
  },
  COLUMNS: {
    columns: columns(
      [TEXT, 'TABLE_CATALOG TABLE_SCHEMA TABLE_NAME COLUMN_NAME'],
      [NUMBER, 'ORDINAL_POSITION'],
      [TEXT, 'COLUMN_DEFAULT IS_NULLABLE DATA_TYPE'],
      [NUMBER, 'CHARACTER_MAXIMUM_LENGTH NUMERIC_PRECISION NUMERIC_SCALE'],
      [TEXT, 'COMMENT'],
    ),
    rows: (database, tables) =>
      tables.flatMap((table) =>
        table.columns.map(({ name, type, isNullable, defaultValue, comment }, i) => {
          const { type: kind, length, precision, scale } = declaredType(type);
          const isNumber = kind === 'fixed';
          return [
            database,
            table.schema,
            table.name,
            name,
            i + 1,
            defaultValue,
            isNullable ? 'YES' : 'NO',
            kind === 'text' ? 'TEXT' : (type.split('(')[0] ?? ''),
            length,
            isNumber ? precision : null,
            isNumber ? scale : null,
            comment,
          ];
        }),
      ),
  },
  TABLE_CONSTRAINTS: {
    columns: columns([
      TEXT,
      'CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME TABLE_CATALOG TABLE_SCHEMA TABLE_NAME CONSTRAINT_TYPE IS_DEFERRABLE INITIALLY_DEFERRED ENFORCED RELY COMMENT',
    ]),
    rows: (database, tables) =>
      tables.flatMap(({ schema, name, primaryKey, uniqueKeys, foreignKeys }) => {
        const row = (constraint: string, type: string): Row => [
          database,
          schema,
          constraint,
          database,
          schema,
          name,
          type,
          'NO',
          'YES',
          'NO',
          'NO',
          null,
        ];
        return [
          ...(primaryKey.length > 0 ? [row(primaryKeyName(name), 'PRIMARY KEY')] : []),
          ...uniqueKeys.map((key) => row(key.name, 'UNIQUE')),
          ...foreignKeys.map((key) => row(key.name, 'FOREIGN KEY')),
        ];
      }),
  },
  REFERENTIAL_CONSTRAINTS: {
    columns: columns([
      TEXT,
      'CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME UNIQUE_CONSTRAINT_CATALOG UNIQUE_CONSTRAINT_SCHEMA UNIQUE_CONSTRAINT_NAME MATCH_OPTION UPDATE_RULE DELETE_RULE COMMENT',
    ]),
    rows: (database, tables) =>
      tables.flatMap(({ schema, foreignKeys }) =>
        foreignKeys.map((key) => [
          database,
          schema,
          key.name,
          database,
          schema,
          primaryKeyName(key.table),
          'FULL',
          'NO ACTION',
          'NO ACTION',
          null,
        ]),
      ),
  },
};

/** The name of the view in SQLite; `undefined` if there is no such view. */
export function viewId(database: string, name: string): string | undefined {
  return Object.hasOwn(VIEWS, name) ? `${database}.${INFORMATION_SCHEMA}.${name}` : undefined;
}

/** Fills the views with the current objects. Call it before a statement reads them. */
export function publishViews(warehouse: WarehouseDatabase): void {
  for (const database of Object.keys(DATABASES)) {
    const tables = warehouse.tables().filter((table) => table.database === database);
    for (const [name, view] of Object.entries(VIEWS))
      warehouse.publish(viewId(database, name) ?? '', view.columns, view.rows(database, tables, warehouse));
  }
}
