/** Every warehouse tool of the catalog, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { readAnswerDescription } from './answer-description.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

interface Result {
  resultSetMetaData: {
    numRows: number;
    rowType: { name: string; type: string; scale: number | null; nullable: boolean }[];
    partitionInfo: { rowCount: number }[];
  };
  data: (string | null)[][];
  code: string;
  statementHandle: string;
  statementHandles: string[];
  stats: unknown;
}

const problemsOf = readAnswerDescription('warehouse-answers.json');

let clock: FixedClock;
let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  clock = fixedClock();
  sandbox = await startSandbox({ clock });
  const { access_token } = await standInClient(sandbox, 'warehouse').connect({ scope: 'refresh_token' });
  tools = await openSandboxTools(sandbox, 'warehouse', String(access_token));
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const call = async (name: string, input: Record<string, unknown> = {}): Promise<Result> =>
  (await tools.call(name, input)) as Result;
const run = async (statement: string, more: Record<string, unknown> = {}): Promise<Result> =>
  call('warehouse_execute_query', { statement, ...more });
/** Rows as objects, by the names of the columns. */
const rowsOf = ({ resultSetMetaData, data }: Result): Record<string, string | null>[] =>
  data.map((row) =>
    Object.fromEntries(resultSetMetaData.rowType.map(({ name }, i) => [name, row[i] ?? null])),
  );
const columnOf = (result: Result, name: string): (string | null | undefined)[] =>
  rowsOf(result).map((row) => row[name]);
const refusedWith = (provider_status: number, code: string, message = '') => ({
  code: 'TOOL_ERROR',
  details: { tool_error: { provider_status, code, message: expect.stringMatching(message) } },
});

describe('tool warehouse_execute_query against the stand-in', () => {
  it('answers with rows as text, and with the types of their columns', async () => {
    const result = await run(
      'select id, ordered_on, total, shipped_at, note from orders where id in (1, 615) order by id',
      { nullable: true },
    );
    expect(result.resultSetMetaData.rowType).toMatchObject([
      { name: 'ID', type: 'fixed', scale: 0, nullable: false },
      { name: 'ORDERED_ON', type: 'date' },
      { name: 'TOTAL', type: 'fixed', scale: 2 },
      { name: 'SHIPPED_AT', type: 'timestamp_ntz', nullable: true },
      { name: 'NOTE', type: 'text' },
    ]);
    expect(result.data).toEqual([
      ['1', '20393', '1280.00', '1762081200.000000000', null],
      ['615', '20749', expect.stringMatching(/^\d+\.\d\d$/), null, null],
    ]);
  });

  it('joins, groups and sorts, with bindings of each kind', async () => {
    const result = await run(
      `SELECT c.name, count(*) AS orders, sum(i.quantity * i.unit_price) AS revenue
       FROM sales.public.orders o
       JOIN customers c ON c.id = o.customer_id
       JOIN order_items i ON i.order_id = o.id
       WHERE o.ordered_on >= ? AND o.status = ? AND c.is_active = ?
       GROUP BY c.name HAVING revenue > ? ORDER BY revenue DESC LIMIT 2`,
      {
        bindings: { '1': { type: 'DATE', value: '1780272000000' }, '2': 'delivered', '3': true, '4': 100.5 },
      },
    );
    expect(result.data).toHaveLength(2);
    expect(result.resultSetMetaData.rowType.map(({ name }) => name)).toEqual(['NAME', 'ORDERS', 'REVENUE']);
  });

  it('writes null as text on request', async () => {
    expect((await run('select null', { nullable: false })).data).toEqual([['null']]);
  });

  it('changes rows, and shows them changed', async () => {
    const inserted = await run('insert into staging.raw_orders (line, payload, loaded_at) values (?, ?, ?)', {
      bindings: {
        '1': 40,
        '2': `{"it's": "\\\\"}`,
        '3': { type: 'TIMESTAMP_NTZ', value: '1798761600000000000' },
      },
    });
    expect(inserted).toMatchObject({ data: [['1']], stats: { numRowsInserted: 1 } });
    const update = 'update sales.staging.raw_orders set payload = null where line = 40';
    expect((await run(update)).data).toEqual([['1', '0']]);
    const select = 'select payload, loaded_at from "SALES"."STAGING"."RAW_ORDERS" where line = 40';
    expect((await run(select)).data).toEqual([[null, '1798761600.000000000']]);
    expect((await run('delete from staging.raw_orders where line = 40')).data).toEqual([['1']]);
    expect((await run(select)).data).toEqual([]);
  });

  it('runs several statements, and keeps a result for each', async () => {
    const result = await run('use schema staging; select count(*) from raw_orders; select 2;');
    expect(result.data).toEqual([['Multiple statements executed successfully.']]);
    expect(result.statementHandles).toHaveLength(3);
    const statement_handle = result.statementHandles[1]!;
    expect((await call('warehouse_get_query_status', { statement_handle })).data).toEqual([['3']]);
  });

  it('runs a request once despite a retry with the same request id', async () => {
    const request_id = '7b1f3a52-1f0e-4f57-9c1e-0d5a7e6f1a01';
    const insert = "insert into staging.raw_orders (line, loaded_at) values (41, '2026-11-20 12:00:00.000')";
    const first = await run(insert, { request_id });
    const again = await run(insert, { request_id, retry: true });
    expect(again.statementHandle).toBe(first.statementHandle);
    expect((await run('select count(*) from staging.raw_orders where line = 41')).data).toEqual([['1']]);
  });

  it('takes database, schema, role and warehouse from the call', async () => {
    const place = { database: 'MARKETING', schema: 'PUBLIC', role: 'ANALYST', warehouse: 'COMPUTE_WH' };
    expect((await run('select name from campaigns where id = 2', place)).data).toEqual([['Boat fair']]);
    const facts = 'select current_database(), current_schema(), current_role(), current_user()';
    expect((await run(facts, place)).data).toEqual([['MARKETING', 'PUBLIC', 'ANALYST', 'ROBIN']]);
  });

  it.each([
    ['no SQL', 'selec 1', '001003', "line 1 at position 0 unexpected 'SELEC'"],
    ['a table that is not there', 'select * from nowhere', '002003', "Object 'NOWHERE' does not exist"],
    ['a column that is not there', 'select foo from orders', '000904', "invalid identifier 'FOO'"],
    ['a value too little', 'insert into products values (1)', '002020', 'does not match column list'],
    ['a null where none may be', 'insert into products (id) values (1)', '100072', 'non-nullable column'],
    ['a change that the role may not make', 'delete from marketing.public.visits', '003001', 'privileges'],
    ['a ? without a value', 'select ?', '002049', 'Bind variable .* not set'],
    ['what only the real provider can', 'merge into orders using x on 1 = 1', '000002', 'sandbox'],
  ])('refuses a statement with %s', async (_, statement, code, message) => {
    expect(await tools.refusal('warehouse_execute_query', { statement })).toMatchObject(
      refusedWith(422, code, message),
    );
  });

  it.each([
    ['role', { role: 'ACCOUNTADMIN' }, '390189'],
    ['warehouse', { warehouse: 'compute_wh' }, '002043'],
    ['database', { database: 'sales' }, '002003'],
    ['schema', { schema: 'NOWHERE' }, '002003'],
  ])('refuses a %s that does not exist for this user', async (_, input, code) => {
    const refusal = await tools.refusal('warehouse_execute_query', { statement: 'select 1', ...input });
    expect(refusal).toMatchObject(refusedWith(422, code));
  });

  it('stops a statement that exceeds its timeout', async () => {
    const input = { statement: 'select system$wait(30)', timeout: 10 };
    expect(await tools.refusal('warehouse_execute_query', input)).toMatchObject(
      refusedWith(408, '000630', 'timeout of 10 second'),
    );
  });

  it('answers with a handle when a statement takes longer than the provider waits', async () => {
    const waiting = await run('select system$wait(60)');
    expect(waiting).toMatchObject({ code: '333334', statementHandle: expect.any(String) });
    const { statementHandle: statement_handle } = waiting;
    clock.advance(59_999);
    expect((await call('warehouse_get_query_status', { statement_handle })).code).toBe('333334');
    clock.advance(1);
    expect((await call('warehouse_get_query_status', { statement_handle })).data).toEqual([
      ['waited 60 seconds'],
    ]);
  });
});

describe('tools warehouse_get_query_status and warehouse_get_query_partition against the stand-in', () => {
  it('give the partitions of a long result one by one', async () => {
    const statement = 'select order_id, line_no from order_items order by order_id, line_no';
    const { statementHandle: statement_handle } = await run(statement, { async: true });
    clock.advance(2000);
    const first = await call('warehouse_get_query_status', { statement_handle });
    const sizes = first.resultSetMetaData.partitionInfo.map(({ rowCount }) => rowCount);
    expect(sizes).toEqual([500, 500, 500, 29]);
    expect(first.resultSetMetaData.numRows).toBe(1529);
    const all = [...first.data];
    for (const partition of [1, 2, 3]) {
      const part = await call('warehouse_get_query_partition', { statement_handle, partition });
      expect(Object.keys(part)).toEqual(['data']);
      all.push(...part.data);
    }
    expect(all).toHaveLength(1529);
    expect(new Set(all.map((row) => row.join('.'))).size).toBe(1529);
  });

  it('refuse an unknown partition with 400', async () => {
    const { statementHandle: statement_handle } = await run('select 1');
    const refusal = await tools.refusal('warehouse_get_query_partition', { statement_handle, partition: 1 });
    expect(refusal).toMatchObject(refusedWith(400, '390142'));
  });

  it('refuse an unknown handle with 404', async () => {
    const statement_handle = '00000000-0000-4000-8000-000000000000';
    const refusal = await tools.refusal('warehouse_get_query_status', { statement_handle });
    expect(refusal).toMatchObject(refusedWith(404, '000709', 'not found'));
  });

  it('report a statement that failed meanwhile', async () => {
    const { statementHandle: statement_handle } = await run('select nobody', { async: true });
    clock.advance(2000);
    const refusal = await tools.refusal('warehouse_get_query_status', { statement_handle });
    expect(refusal).toMatchObject(refusedWith(422, '000904'));
  });
});

describe('tool warehouse_cancel_query against the stand-in', () => {
  it('stops a running statement without any effect', async () => {
    const insert = "insert into staging.raw_orders (line, loaded_at) values (42, '2026-11-20 12:00:00.000')";
    const { statementHandle: statement_handle } = await run(insert, { async: true });
    expect(await call('warehouse_cancel_query', { statement_handle })).toMatchObject({
      code: '000604',
      message: 'SQL execution canceled',
      statementHandle: statement_handle,
    });
    clock.advance(2000);
    expect((await run('select * from staging.raw_orders where line = 42')).data).toEqual([]);
    expect(await tools.refusal('warehouse_get_query_status', { statement_handle })).toMatchObject(
      refusedWith(422, '000604'),
    );
  });

  it('refuses a statement that has ended', async () => {
    const { statementHandle: statement_handle } = await run('select 1');
    expect(await tools.refusal('warehouse_cancel_query', { statement_handle })).toMatchObject(
      refusedWith(422, '000709'),
    );
  });
});

/** What each tool about tables, keys, grants and so on answers with: one column of its rows. */
const PUBLIC = { database_name: 'sales', schema_name: 'public' };

const METADATA: readonly [
  tool: string,
  input: Record<string, unknown>,
  column: string,
  values: readonly string[],
][] = [
  [
    'warehouse_get_tables',
    { database: 'sales', schema: 'public', table_name_like: 'order%' },
    'TABLE_NAME',
    ['ORDERS', 'ORDER_ITEMS'],
  ],
  ['warehouse_get_tables', { database: 'SALES', limit: 2 }, 'TABLE_NAME', ['CUSTOMERS', 'MONTHLY_REVENUE']],
  ['warehouse_get_tables', { database: 'SALES', schema: 'STAGING' }, 'TABLE_TYPE', ['BASE TABLE']],
  ['warehouse_get_tables', { database: 'SALES', schema: '"public"' }, 'TABLE_NAME', []],
  [
    'warehouse_get_schemata',
    { database: 'sales' },
    'SCHEMA_NAME',
    ['INFORMATION_SCHEMA', 'PUBLIC', 'STAGING'],
  ],
  ['warehouse_get_schemata', { database: 'sales', schema_like: 'STAG%' }, 'SCHEMA_OWNER', ['SYSADMIN']],
  [
    'warehouse_get_columns',
    { database: 'sales', schema: 'public', table: 'order_items' },
    'COLUMN_NAME',
    ['ORDER_ID', 'LINE_NO', 'PRODUCT_ID', 'QUANTITY', 'UNIT_PRICE'],
  ],
  [
    'warehouse_get_columns',
    { database: 'sales', column_name_like: '%_at' },
    'DATA_TYPE',
    ['TIMESTAMP_NTZ', 'TIMESTAMP_NTZ', 'TIMESTAMP_NTZ'],
  ],
  [
    'warehouse_get_table_constraints',
    { database: 'sales', table: 'order_items' },
    'CONSTRAINT_NAME',
    ['FK_ORDER_ITEMS_ORDER', 'FK_ORDER_ITEMS_PRODUCT', 'PK_ORDER_ITEMS'],
  ],
  [
    'warehouse_get_table_constraints',
    { database: 'sales', constraint_type: 'unique' },
    'TABLE_NAME',
    ['CUSTOMERS', 'PRODUCTS'],
  ],
  [
    'warehouse_get_referential_constraints',
    { database: 'sales', schema: 'public' },
    'UNIQUE_CONSTRAINT_NAME',
    ['PK_CUSTOMERS', 'PK_ORDERS', 'PK_PRODUCTS'].toSorted(),
  ],
  [
    'warehouse_get_referential_constraints',
    { database: 'sales', table: 'orders', limit: 5 },
    'CONSTRAINT_NAME',
    ['FK_ORDERS_CUSTOMER'],
  ],
  ['warehouse_show_databases_schemas', { object_type: 'databases' }, 'name', ['MARKETING', 'SALES']],
  [
    'warehouse_show_databases_schemas',
    { object_type: 'schemas', like_pattern: 'p%' },
    'database_name',
    ['MARKETING', 'SALES'],
  ],
  [
    'warehouse_show_databases_schemas',
    { object_type: 'schemas', database_name: 'sales', like_pattern: "it's\\" },
    'name',
    [],
  ],
  [
    'warehouse_show_grants',
    { grant_view: 'of_role', role_name: 'analyst' },
    'grantee_name',
    ['ROBIN', 'SANNA', 'SYSADMIN'],
  ],
  ['warehouse_show_grants', { grant_view: 'to_user', user_name: 'robin' }, 'role', ['ANALYST', 'PUBLIC']],
  [
    'warehouse_show_grants',
    { grant_view: 'to_role', role_name: 'loader', role: 'ANALYST' },
    'privilege',
    [
      'USAGE',
      'USAGE',
      'CREATE TABLE',
      'USAGE',
      'CREATE TABLE',
      ...['CUSTOMERS', 'no view', 'ORDERS', 'ORDER_ITEMS', 'PRODUCTS', 'RAW_ORDERS'].flatMap((name) =>
        name === 'no view' ? ['SELECT'] : ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
      ),
      'USAGE',
    ],
  ],
  [
    'warehouse_show_grants',
    { grant_view: 'on_object', object_type: 'view', object_name: 'sales.public.monthly_revenue' },
    'grantee_name',
    ['SYSADMIN', 'ANALYST', 'LOADER'],
  ],
  [
    'warehouse_show_grants',
    { grant_view: 'on_object', object_type: 'account' },
    'privilege',
    ['CREATE DATABASE', 'MONITOR USAGE'],
  ],
  [
    'warehouse_show_imported_exported_keys',
    {
      key_direction: 'imported',
      database_name: 'sales',
      schema_name: 'public',
      table_name: 'order_items',
    },
    'pk_table_name',
    ['ORDERS', 'PRODUCTS'],
  ],
  [
    'warehouse_show_imported_exported_keys',
    { key_direction: 'exported', table_name: 'orders' },
    'fk_table_name',
    ['ORDER_ITEMS'],
  ],
  [
    'warehouse_show_primary_keys',
    {},
    'table_name',
    ['CAMPAIGNS', 'VISITS', 'VISITS', 'CUSTOMERS', 'ORDERS', 'ORDER_ITEMS', 'ORDER_ITEMS', 'PRODUCTS'],
  ],
  [
    'warehouse_show_primary_keys',
    { database_name: 'sales', schema_name: 'public', table_name: 'order_items' },
    'column_name',
    ['ORDER_ID', 'LINE_NO'],
  ],
  ['warehouse_show_primary_keys', { database_name: 'marketing' }, 'key_sequence', ['1', '1', '2']],
  [
    'warehouse_describe_table',
    { ...PUBLIC, table_name: 'products' },
    'name',
    ['ID', 'SKU', 'NAME', 'CATEGORY', 'UNIT_PRICE', 'ATTRIBUTES', 'DISCONTINUED_ON'],
  ],
  ['warehouse_describe_table', { ...PUBLIC, table_name: 'monthly_revenue' }, 'null?', ['Y', 'Y', 'Y']],
  ['warehouse_show_tables', { ...PUBLIC, like_pattern: 'order%' }, 'name', ['ORDERS', 'ORDER_ITEMS']],
  ['warehouse_show_tables', { limit: 2 }, 'database_name', ['MARKETING', 'MARKETING']],
  ['warehouse_show_tables', { kind: 'views', database_name: 'sales' }, 'name', ['MONTHLY_REVENUE']],
  ['warehouse_sample_rows', { ...PUBLIC, table_name: 'orders', columns: ['id'], limit: 2 }, 'ID', ['1', '2']],
  ['warehouse_list_semantic_views', PUBLIC, 'name', ['ORDER_ANALYSIS']],
  ['warehouse_list_semantic_views', { database_name: 'marketing' }, 'name', []],
  ['warehouse_show_warehouses', {}, 'name', ['COMPUTE_WH', 'LOAD_WH']],
  ['warehouse_show_warehouses', { like_pattern: 'load%' }, 'state', ['SUSPENDED']],
];

describe('warehouse metadata tools against the stand-in', () => {
  it.each(METADATA)('%s finds the objects for %j', async (tool, input, column, values) => {
    expect(columnOf(await call(tool, input), column)).toEqual(values);
  });

  it('find a new table with its columns and key', async () => {
    await run("create table staging.checks (id int primary key, label varchar(20) not null default 'x')");
    const place = { database: 'sales', schema: 'staging' };
    expect(columnOf(await call('warehouse_get_tables', place), 'TABLE_NAME')).toEqual([
      'CHECKS',
      'RAW_ORDERS',
    ]);
    const columns = await call('warehouse_get_columns', { ...place, table: 'checks' });
    expect(rowsOf(columns)).toMatchObject([
      { COLUMN_NAME: 'ID', DATA_TYPE: 'NUMBER', NUMERIC_PRECISION: '38', IS_NULLABLE: 'NO' },
      { COLUMN_NAME: 'LABEL', CHARACTER_MAXIMUM_LENGTH: '20', COLUMN_DEFAULT: "'x'" },
    ]);
    const key = { database_name: 'sales', schema_name: 'staging', table_name: 'checks' };
    expect(columnOf(await call('warehouse_show_primary_keys', key), 'column_name')).toEqual(['ID']);
    await run('drop table staging.checks');
    const refusal = await tools.refusal('warehouse_show_primary_keys', key);
    expect(refusal).toMatchObject(refusedWith(422, '002003'));
  });

  it.each([
    ['warehouse_get_tables', { database: 'nowhere' }, "Database 'NOWHERE'"],
    ['warehouse_show_databases_schemas', { object_type: 'schemas', database_name: 'nowhere' }, 'Database'],
    ['warehouse_describe_table', { ...PUBLIC, table_name: 'nowhere' }, "Object 'SALES.PUBLIC.NOWHERE'"],
    ['warehouse_show_tables', { database_name: 'nowhere' }, "Database 'NOWHERE'"],
    [
      'warehouse_describe_semantic_view',
      { ...PUBLIC, view_name: 'nowhere' },
      "Semantic view 'SALES.PUBLIC.NOWHERE'",
    ],
    ['warehouse_sample_rows', { ...PUBLIC, table_name: 'nowhere' }, "Object 'SALES.PUBLIC.NOWHERE'"],
    ['warehouse_list_queries', { database_name: 'nowhere' }, "Database 'NOWHERE'"],
    ['warehouse_show_grants', { grant_view: 'to_role', role_name: 'nobody' }, "Role 'NOBODY'"],
    ['warehouse_show_grants', { grant_view: 'to_user', user_name: 'nobody' }, "User 'NOBODY'"],
    [
      'warehouse_show_imported_exported_keys',
      { key_direction: 'imported', table_name: 'nowhere' },
      "Object 'NOWHERE'",
    ],
  ])('%s refuses the unknown object of %j', async (tool, input, words) => {
    expect(await tools.refusal(tool, input)).toMatchObject(
      refusedWith(422, '002003', `${words}.* does not exist or not authorized`),
    );
  });
});

describe('tool warehouse_query against the stand-in', () => {
  it('answers with the rows of a statement that reads', async () => {
    const statement = 'select ordered_on, count(*) as n from orders group by ordered_on order by ordered_on';
    const rows = rowsOf(await call('warehouse_query', { statement }));
    expect(rows).toEqual(rowsOf(await run(statement)));
    expect(rows.length).toBeGreaterThan(1);
  });

  it('refuses a statement that changes data before anything is sent, and nothing changes', async () => {
    const count = async () => rowsOf(await run('select count(*) as n from orders'));
    const before = await count();
    expect(await tools.refusal('warehouse_query', { statement: 'delete from orders' })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await count()).toEqual(before);
  });
});

describe('tool warehouse_query against the stand-in: other statements that read', () => {
  it.each([
    ["values (1, 'a'), (2, 'b')", [{ COLUMN1: '1', COLUMN2: 'a' }, { COLUMN1: '2' }]],
    ['list @staging.inbound/2026', [{ name: 'inbound/2026/orders-11-18.csv', size: '48112' }, {}]],
    ['show views in database sales limit 1', [{ name: 'MONTHLY_REVENUE' }]],
    [
      'explain select * from orders o join customers c on c.id = o.customer_id',
      [
        { operation: 'GlobalStats', partitionsTotal: '2', bytesAssigned: '2048' },
        { step: '1', id: '0', operation: 'Result' },
        { id: '1', parentOperators: '[0]', operation: 'TableScan', objects: 'SALES.PUBLIC.ORDERS' },
        { id: '2', operation: 'TableScan', objects: 'SALES.PUBLIC.CUSTOMERS' },
      ],
    ],
  ])('returns the rows of %s', async (statement, rows) => {
    expect(rowsOf(await call('warehouse_query', { statement }))).toMatchObject(rows);
  });
});

describe('tool warehouse_explain_query against the stand-in', () => {
  it('tells the plan of a change, which is not made', async () => {
    const count = async () => (await run('select count(*) from orders')).data;
    const before = await count();
    const input = { statement: 'delete from orders', format: 'json' };
    const { data } = await call('warehouse_explain_query', input);
    expect(JSON.parse(data[0]![0]!)).toMatchObject({
      Operations: [[{ operation: 'Delete', objects: ['SALES.PUBLIC.ORDERS'] }]],
    });
    const text = await call('warehouse_explain_query', { ...input, format: 'text' });
    expect(text.data[0]![0]).toContain('->Delete  SALES.PUBLIC.ORDERS');
    expect(await count()).toEqual(before);
  });

  it.each([
    ['select nothing from orders', '000904'],
    ['delete from marketing.public.visits', '003001'],
  ])('passes on why %s would fail', async (statement, code) => {
    const refusal = await tools.refusal('warehouse_explain_query', { statement });
    expect(refusal).toMatchObject(refusedWith(422, code));
  });
});

describe('tool warehouse_list_queries against the stand-in', () => {
  it('finds a running statement by its id, which cancel takes, and then the failed one', async () => {
    clock.advance(1_000);
    const { statementHandle } = await run('select 7 as marked', { async: true });
    clock.advance(1_000);
    const list = async (input: object) =>
      rowsOf(await call('warehouse_list_queries', { database_name: 'sales', ...input }));
    const [own, running, ...others] = await list({});
    expect(own).toMatchObject({ EXECUTION_STATUS: 'RUNNING' });
    expect(running).toMatchObject({
      QUERY_ID: statementHandle,
      QUERY_TEXT: 'select 7 as marked',
      USER_NAME: 'ROBIN',
      WAREHOUSE_NAME: 'COMPUTE_WH',
      EXECUTION_STATUS: 'RUNNING',
    });
    expect(others).toEqual([]);
    await call('warehouse_cancel_query', { statement_handle: statementHandle });
    const since = new Date(clock.now() - 1_000).toISOString();
    expect(await list({ status: 'failed', since })).toMatchObject([
      { QUERY_ID: statementHandle, ERROR_MESSAGE: 'SQL execution canceled' },
    ]);
    expect(await list({ status: 'all', user: 'sanna' })).toEqual([]);
    expect(await list({ status: 'all', warehouse_name: 'compute_wh', limit: 3 })).toHaveLength(3);
  });
});

describe('tool warehouse_ask_analyst against the stand-in', () => {
  const ask = async (question: string) =>
    (await tools.call('warehouse_ask_analyst', {
      question,
      semantic_view: 'sales.public.order_analysis',
    })) as { message: { content: { type: string; statement?: string }[] } };

  it('writes SQL for a question about what the semantic view names, which warehouse_query runs', async () => {
    const view = { ...PUBLIC, view_name: 'order_analysis' };
    const metrics = rowsOf(await call('warehouse_describe_semantic_view', view)).filter(
      ({ object_kind, property }) => object_kind === 'METRIC' && property === 'EXPRESSION',
    );
    expect(metrics[0]).toMatchObject({ object_name: 'REVENUE', property_value: 'SUM(ORDERS.TOTAL)' });
    const { message } = await ask('What is the revenue per country?');
    const statement = message.content.find(({ type }) => type === 'sql')?.statement;
    const rows = rowsOf(await call('warehouse_query', { statement }));
    expect(rows.map(({ COUNTRY }) => COUNTRY)).toEqual(['DK', 'IT', 'NL', 'NO', 'PT']);
    expect(problemsOf('analyst', await ask('Revenue by month'))).toEqual([]);
  });

  it('suggests other questions for one that it cannot answer', async () => {
    const answer = await ask('What is the weather?');
    expect(answer.message.content.map(({ type }) => type)).toEqual(['text', 'suggestions']);
    expect(problemsOf('analyst', answer)).toEqual([]);
  });

  it('refuses a semantic view that is not there', async () => {
    const input = { question: 'x', semantic_view: 'sales.public.nowhere' };
    expect(await tools.refusal('warehouse_ask_analyst', input)).toMatchObject(refusedWith(400, '002003'));
  });
});

describe('tools warehouse_list_search_services and warehouse_search against the stand-in', () => {
  const service = { ...PUBLIC, service_name: 'product_search' };

  it('list the services of a schema', async () => {
    const answer = (await tools.call('warehouse_list_search_services', PUBLIC)) as { services: object[] };
    expect(answer.services).toMatchObject([{ name: 'PRODUCT_SEARCH', search_column: 'NAME' }]);
    expect(problemsOf('services', answer.services)).toEqual([]);
    const none = { ...PUBLIC, like_pattern: 'x%' };
    expect(await tools.call('warehouse_list_search_services', none)).toEqual({ services: [] });
  });

  it('find rows as they are now, best first, with the columns and the filter asked for', async () => {
    const find = async (input: object) =>
      (await tools.call('warehouse_search', { ...service, ...input })) as { results: object[] };
    const lamps = await find({ query: 'dimmable reading lamp', limit: 2 });
    expect(lamps.results).toEqual([
      { NAME: 'Reading lamp Skerry, dimmable' },
      { NAME: 'Reading lamp Skerry' },
    ]);
    expect(problemsOf('found', lamps)).toEqual([]);
    const input = {
      query: 'battery',
      columns: ['sku', 'unit_price'],
      filter: { '@and': [{ '@eq': { CATEGORY: 'Batteries' } }, { '@not': { '@eq': { SKU: 'BAT-01' } } }] },
    };
    expect((await find(input)).results).toEqual([
      { SKU: 'BAT-02', UNIT_PRICE: 3250 },
      { SKU: 'BAT-03', UNIT_PRICE: 410 },
    ]);
    await run("update products set name = 'Night battery 9 kWh' where sku = 'BAT-02'");
    expect((await find({ query: '9' })).results).toEqual([{ NAME: 'Night battery 9 kWh' }]);
  });

  it.each<[string, object, number, string]>([
    ['a service that is not there', { service_name: 'nowhere' }, 404, '002003'],
    ['a schema that is not there', { schema_name: 'nowhere' }, 404, '002003'],
    ['a column that is not in the service', { columns: ['x'] }, 400, '390142'],
    ['an unknown filter', { filter: { '@near': { SKU: 'a' } } }, 400, '390142'],
  ])('refuse a call with %s', async (_, input, status, code) => {
    const refusal = await tools.refusal('warehouse_search', { ...service, query: 'lamp', ...input });
    expect(refusal).toMatchObject(refusedWith(status, code));
  });
});

describe('warehouse tools against the stand-in', () => {
  it('appear completely in these tests', () => {
    expect(tools.all).toHaveLength(25);
    expect(tools.all.filter((name) => !tools.called.has(name))).toEqual([]);
  });
});
