/** Toolset metadata of the warehouse: for each input the exact statement and its bound values. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, refusals, requestOf } from './tool-request.ts';
import { submit } from './warehouse-requests.ts';

const description = readProviderDescription('warehouse');

const texts = (...values: string[]) =>
  Object.fromEntries(values.map((value, i) => [String(i + 1), { type: 'TEXT', value }]));

const TABLE = { database_name: 'd', schema_name: 's', table_name: 't' };
const TABLES =
  'SELECT TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ROW_COUNT, BYTES, CREATED, LAST_ALTERED, COMMENT FROM "SALES".INFORMATION_SCHEMA.TABLES';
const SCHEMATA =
  'SELECT CATALOG_NAME, SCHEMA_NAME, SCHEMA_OWNER, CREATED, LAST_ALTERED, COMMENT FROM "SALES".INFORMATION_SCHEMA.SCHEMATA';
const COLUMNS =
  'SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, DATA_TYPE, IS_NULLABLE, COLUMN_DEFAULT, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, COMMENT FROM "SALES".INFORMATION_SCHEMA.COLUMNS';
const CONSTRAINTS =
  'SELECT CONSTRAINT_SCHEMA, CONSTRAINT_NAME, TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_TYPE, ENFORCED, RELY, COMMENT FROM "SALES".INFORMATION_SCHEMA.TABLE_CONSTRAINTS';
const REFERENCES =
  'SELECT RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME, RC.UNIQUE_CONSTRAINT_CATALOG, RC.UNIQUE_CONSTRAINT_SCHEMA, RC.UNIQUE_CONSTRAINT_NAME, RC.MATCH_OPTION, RC.UPDATE_RULE, RC.DELETE_RULE FROM "SALES".INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS RC';
const JOINED =
  ' JOIN "SALES".INFORMATION_SCHEMA.TABLE_CONSTRAINTS TC ON TC.CONSTRAINT_CATALOG = RC.CONSTRAINT_CATALOG AND TC.CONSTRAINT_SCHEMA = RC.CONSTRAINT_SCHEMA AND TC.CONSTRAINT_NAME = RC.CONSTRAINT_NAME';

describe('warehouse tools: statements over INFORMATION_SCHEMA', () => {
  it.each([
    ['warehouse_get_tables', {}, `${TABLES} ORDER BY TABLE_SCHEMA, TABLE_NAME`, []],
    [
      'warehouse_get_tables',
      { schema: 'public' },
      `${TABLES} WHERE TABLE_SCHEMA = ? ORDER BY TABLE_SCHEMA, TABLE_NAME`,
      ['PUBLIC'],
    ],
    [
      'warehouse_get_tables',
      { table_name_like: 'ord\\_%', limit: 5 },
      `${TABLES} WHERE TABLE_NAME ILIKE ? ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT 5`,
      ['ord\\_%'],
    ],
    [
      'warehouse_get_tables',
      { schema: '"public"', table_name_like: "o'r%", limit: 1 },
      `${TABLES} WHERE TABLE_SCHEMA = ? AND TABLE_NAME ILIKE ? ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT 1`,
      ['public', "o'r%"],
    ],
    ['warehouse_get_schemata', {}, `${SCHEMATA} ORDER BY SCHEMA_NAME`, []],
    [
      'warehouse_get_schemata',
      { schema_like: 'p%', limit: 9_007_199_254_740_991 },
      `${SCHEMATA} WHERE SCHEMA_NAME ILIKE ? ORDER BY SCHEMA_NAME LIMIT 9007199254740991`,
      ['p%'],
    ],
    ['warehouse_get_columns', {}, `${COLUMNS} ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`, []],
    [
      'warehouse_get_columns',
      { schema: 'public', table: 'Order Lines', column_name_like: '%id', limit: 10 },
      `${COLUMNS} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_NAME ILIKE ? ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION LIMIT 10`,
      ['PUBLIC', 'Order Lines', '%id'],
    ],
    [
      'warehouse_get_columns',
      { table: '"orders"' },
      `${COLUMNS} WHERE TABLE_NAME = ? ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`,
      ['orders'],
    ],
    [
      'warehouse_get_table_constraints',
      {},
      `${CONSTRAINTS} ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME`,
      [],
    ],
    [
      'warehouse_get_table_constraints',
      { schema: 'public', table: 'orders', constraint_type: 'primary_key', limit: 3 },
      `${CONSTRAINTS} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND CONSTRAINT_TYPE = ? ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME LIMIT 3`,
      ['PUBLIC', 'ORDERS', 'PRIMARY KEY'],
    ],
    [
      'warehouse_get_table_constraints',
      { constraint_type: 'Unique' },
      `${CONSTRAINTS} WHERE CONSTRAINT_TYPE = ? ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME`,
      ['UNIQUE'],
    ],
    [
      'warehouse_get_referential_constraints',
      { schema: 'public', limit: 2 },
      `${REFERENCES} WHERE RC.CONSTRAINT_SCHEMA = ? ORDER BY RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME LIMIT 2`,
      ['PUBLIC'],
    ],
    [
      'warehouse_get_referential_constraints',
      {},
      `${REFERENCES} ORDER BY RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME`,
      [],
    ],
    [
      'warehouse_get_referential_constraints',
      { schema: 'public', table: 'orders' },
      `${REFERENCES}${JOINED} WHERE RC.CONSTRAINT_SCHEMA = ? AND TC.TABLE_NAME = ? ORDER BY RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME`,
      ['PUBLIC', 'ORDERS'],
    ],
    [
      'warehouse_get_referential_constraints',
      { table: 'orders' },
      `${REFERENCES}${JOINED} WHERE TC.TABLE_NAME = ? ORDER BY RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME`,
      ['ORDERS'],
    ],
  ])('send the SQL of %s for %j', async (name, input, statement, values) => {
    const request = await requestOf(name, { database: 'sales', ...input });
    const body = values.length === 0 ? { statement } : { statement, bindings: texts(...values) };
    expect(request).toEqual(submit(body));
    expectRequestMatches(description, request);
  });
});

describe('warehouse tools: SHOW statements', () => {
  it.each([
    ['warehouse_show_databases_schemas', { object_type: 'databases' }, 'SHOW DATABASES'],
    [
      'warehouse_show_databases_schemas',
      { object_type: 'databases', like_pattern: "s'a\\%" },
      "SHOW DATABASES LIKE 's''a\\\\%'",
    ],
    ['warehouse_show_databases_schemas', { object_type: 'schemas' }, 'SHOW SCHEMAS IN ACCOUNT'],
    [
      'warehouse_show_databases_schemas',
      { object_type: 'schemas', like_pattern: 'p%', database_name: 'sales' },
      'SHOW SCHEMAS LIKE \'p%\' IN DATABASE "SALES"',
    ],
    ['warehouse_show_warehouses', {}, 'SHOW WAREHOUSES'],
    [
      'warehouse_describe_table',
      { database_name: 'sales', schema_name: 'public', table_name: '"Order Lines"' },
      'DESCRIBE TABLE "SALES"."PUBLIC"."Order Lines"',
    ],
    [
      'warehouse_sample_rows',
      { database: 'sales', schema: 'public', table: 'orders' },
      'SELECT * FROM "SALES"."PUBLIC"."ORDERS" LIMIT 10',
    ],
    [
      'warehouse_sample_rows',
      { database_name: 'd', schema_name: 's', table_name: 't', columns: ['id', '"a""b"', 'x y'], limit: 100 },
      'SELECT "ID", "a""b", "x y" FROM "D"."S"."T" LIMIT 100',
    ],
    ['warehouse_show_tables', {}, 'SHOW TABLES IN ACCOUNT'],
    [
      'warehouse_show_tables',
      { kind: 'views', database_name: 'sales', like_pattern: "o'r%", limit: 5 },
      "SHOW VIEWS LIKE 'o''r%' IN DATABASE \"SALES\" LIMIT 5",
    ],
    [
      'warehouse_show_tables',
      { database_name: 'sales', schema_name: 'a b' },
      'SHOW TABLES IN SCHEMA "SALES"."a b"',
    ],
    ['warehouse_show_warehouses', { like_pattern: '%_wh' }, "SHOW WAREHOUSES LIKE '%_wh'"],
    ['warehouse_show_primary_keys', {}, 'SHOW PRIMARY KEYS IN ACCOUNT'],
    ['warehouse_show_primary_keys', { database_name: 'sales' }, 'SHOW PRIMARY KEYS IN DATABASE "SALES"'],
    [
      'warehouse_show_primary_keys',
      { database_name: 'sales', schema_name: 'public' },
      'SHOW PRIMARY KEYS IN SCHEMA "SALES"."PUBLIC"',
    ],
    [
      'warehouse_show_primary_keys',
      { database_name: 'sales', schema_name: 'public', table_name: '"Order Lines"' },
      'SHOW PRIMARY KEYS IN TABLE "SALES"."PUBLIC"."Order Lines"',
    ],
    ['warehouse_show_primary_keys', { table_name: 'orders' }, 'SHOW PRIMARY KEYS IN TABLE "ORDERS"'],
    [
      'warehouse_show_imported_exported_keys',
      { key_direction: 'imported', table_name: 'orders' },
      'SHOW IMPORTED KEYS IN TABLE "ORDERS"',
    ],
    [
      'warehouse_show_imported_exported_keys',
      { key_direction: 'exported', table_name: 'orders', schema_name: 'public' },
      'SHOW EXPORTED KEYS IN TABLE "PUBLIC"."ORDERS"',
    ],
    [
      'warehouse_show_imported_exported_keys',
      { key_direction: 'exported', table_name: 'orders', schema_name: 'public', database_name: 'a b' },
      'SHOW EXPORTED KEYS IN TABLE "a b"."PUBLIC"."ORDERS"',
    ],
    [
      'warehouse_show_grants',
      { grant_view: 'to_role', role_name: 'analyst' },
      'SHOW GRANTS TO ROLE "ANALYST"',
    ],
    ['warehouse_show_grants', { grant_view: 'of_role', role_name: '"r""1"' }, 'SHOW GRANTS OF ROLE "r""1"'],
    [
      'warehouse_show_grants',
      { grant_view: 'to_user', user_name: 'ada@example.com' },
      'SHOW GRANTS TO USER "ada@example.com"',
    ],
    ['warehouse_show_grants', { grant_view: 'on_object', object_type: 'account' }, 'SHOW GRANTS ON ACCOUNT'],
    [
      'warehouse_show_grants',
      { grant_view: 'on_object', object_type: 'table', object_name: 'sales.public.orders' },
      'SHOW GRANTS ON TABLE "SALES"."PUBLIC"."ORDERS"',
    ],
    [
      'warehouse_show_grants',
      { grant_view: 'on_object', object_type: 'file_format', object_name: 'sales."a.b".csv' },
      'SHOW GRANTS ON FILE FORMAT "SALES"."a.b"."CSV"',
    ],
    [
      'warehouse_show_grants',
      { grant_view: 'on_object', object_type: 'Materialized View', object_name: 'v' },
      'SHOW GRANTS ON MATERIALIZED VIEW "V"',
    ],
  ])('send the SQL of %s for %j', async (name, input, statement) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(submit({ statement }));
    expectRequestMatches(description, request);
  });
});

describe('warehouse tools: role and warehouse', () => {
  it.each([
    ['warehouse_get_tables', { database: 'd' }],
    ['warehouse_get_schemata', { database: 'd' }],
    ['warehouse_get_columns', { database: 'd' }],
    ['warehouse_get_table_constraints', { database: 'd' }],
    ['warehouse_get_referential_constraints', { database: 'd' }],
    ['warehouse_show_databases_schemas', { object_type: 'databases' }],
    ['warehouse_show_grants', { grant_view: 'to_role', role_name: 'x' }],
    ['warehouse_show_imported_exported_keys', { key_direction: 'imported', table_name: 't' }],
    ['warehouse_show_primary_keys', {}],
    ['warehouse_show_warehouses', {}],
  ])('accompany the statement of %s, unchanged', async (name, input) => {
    const plain = await requestOf(name, input);
    const chosen = await requestOf(name, { ...input, role: 'my "role"', warehouse: "wh'1" });
    expect(chosen.body).toEqual({ ...(plain.body as object), role: 'my "role"', warehouse: "wh'1" });
    expectRequestMatches(description, chosen);
  });
});

describe('warehouse tools for metadata: invalid input', () => {
  it.each([
    ['warehouse_get_tables', ['database required'], {}],
    ['warehouse_get_tables', ['database min_length'], { database: '' }],
    ['warehouse_get_tables', ['database nul'], { database: 'a\0b' }],
    ['warehouse_get_tables', ['limit minimum'], { database: 'd', limit: 0 }],
    ['warehouse_get_tables', ['limit type'], { database: 'd', limit: '5; DROP TABLE t' }],
    ['warehouse_get_tables', ['limit type'], { database: 'd', limit: 1.5 }],
    ['warehouse_get_schemata', ['database required'], { schema_like: '%' }],
    ['warehouse_get_schemata', ['schema_like min_length'], { database: 'd', schema_like: '' }],
    ['warehouse_get_columns', ['database required'], { table: 't' }],
    ['warehouse_get_columns', ['table type'], { database: 'd', table: ['t'] }],
    ['warehouse_get_table_constraints', ['database required'], {}],
    ['warehouse_get_referential_constraints', ['database required'], {}],
    ['warehouse_get_referential_constraints', ['tables unknown'], { database: 'd', tables: 't' }],
    ['warehouse_show_databases_schemas', ['object_type required'], {}],
    ['warehouse_show_databases_schemas', ['object_type enum'], { object_type: 'tables' }],
    [
      'warehouse_show_databases_schemas',
      ['database_name forbid'],
      { object_type: 'databases', database_name: 'd' },
    ],
    ['warehouse_show_grants', ['grant_view required'], {}],
    ['warehouse_show_grants', ['grant_view enum'], { grant_view: 'to_role; DROP ROLE x' }],
    ['warehouse_show_grants', ['role_name require'], { grant_view: 'to_role' }],
    ['warehouse_show_grants', ['role_name require'], { grant_view: 'of_role' }],
    ['warehouse_show_grants', ['user_name require'], { grant_view: 'to_user' }],
    ['warehouse_show_grants', ['object_type require'], { grant_view: 'on_object' }],
    [
      'warehouse_show_grants',
      ['user_name forbid'],
      { grant_view: 'to_role', role_name: 'r', user_name: 'u' },
    ],
    [
      'warehouse_show_grants',
      ['role_name forbid'],
      { grant_view: 'on_object', object_type: 'ACCOUNT', role_name: 'r' },
    ],
    [
      'warehouse_show_imported_exported_keys',
      ['key_direction required', 'table_name required'].toSorted(),
      {},
    ],
    [
      'warehouse_show_imported_exported_keys',
      ['key_direction enum'],
      { key_direction: 'both', table_name: 't' },
    ],
    [
      'warehouse_show_imported_exported_keys',
      ['schema_name require'],
      { key_direction: 'imported', table_name: 't', database_name: 'd' },
    ],
    ['warehouse_show_primary_keys', ['database_name require'], { schema_name: 's' }],
    ['warehouse_show_warehouses', ['like_pattern min_length'], { like_pattern: '' }],
    ['warehouse_describe_table', ['database_name required', 'schema_name required'], { table_name: 't' }],
    ['warehouse_sample_rows', ['columns min_items', 'limit maximum'], { ...TABLE, columns: [], limit: 101 }],
    ['warehouse_sample_rows', ['columns[1] min_length'], { ...TABLE, columns: ['a', ''] }],
    ['warehouse_show_tables', ['kind enum'], { kind: 'stages' }],
    ['warehouse_show_tables', ['database_name require'], { schema_name: 's' }],
  ])('%s reports the violations %j: %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it.each([
    ['warehouse_get_tables', ['database max_length'], { database: 'x'.repeat(256) }],
    ['warehouse_get_tables', ['database name', 'schema name'], { database: '""', schema: '""' }],
    ['warehouse_describe_table', ['table_name name'], { ...TABLE, table_name: '""' }],
    ['warehouse_sample_rows', ['columns[1] name'], { ...TABLE, columns: ['a', '""'] }],
    ['warehouse_get_columns', ['table name'], { database: 'd', table: '""' }],
    [
      'warehouse_get_table_constraints',
      ['constraint_type enum'],
      { database: 'd', constraint_type: 'CHECK' },
    ],
    [
      'warehouse_get_table_constraints',
      ['database name', 'constraint_type enum'],
      { database: '""', constraint_type: "UNIQUE' OR 1=1" },
    ],
    ['warehouse_show_primary_keys', ['schema_name require'], { database_name: 'd', table_name: 't' }],
    [
      'warehouse_show_grants',
      ['object_type enum'],
      { grant_view: 'on_object', object_type: 'TABLE x', object_name: 'y' },
    ],
    [
      'warehouse_show_grants',
      ['object_type enum'],
      { grant_view: 'on_object', object_type: 'FUNCTION', object_name: 'f(NUMBER)' },
    ],
    ['warehouse_show_grants', ['object_name require'], { grant_view: 'on_object', object_type: 'TABLE' }],
    [
      'warehouse_show_grants',
      ['object_name forbid'],
      { grant_view: 'on_object', object_type: 'ACCOUNT', object_name: 'x' },
    ],
    ...['a..b', '.a', 'a.', 'a.b.c.d', '""', 'a.""'].map((object_name): [string, string[], object] => [
      'warehouse_show_grants',
      ['object_name name'],
      { grant_view: 'on_object', object_type: 'TABLE', object_name },
    ]),
  ])('%s reports from the handler the violations %j: %j', async (name, expected, input) => {
    expect(await callRefusals(name, input)).toEqual(expected);
  });
});
