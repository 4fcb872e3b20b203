/** The tools that query, explain and list statements: which SQL they take for reading, and what they send. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, refusals, requestOf, shippedTool } from './tool-request.ts';
import { submit } from './warehouse-requests.ts';

const parameters = { MULTI_STATEMENT_COUNT: '1' };

describe('tool warehouse_query: requests', () => {
  it.each([
    [{}, {}],
    [
      { database: 'SALES', schema: 'PUBLIC', role: 'analyst', warehouse: 'my wh', timeout: 0 },
      { database: 'SALES', schema: 'PUBLIC', role: 'analyst', warehouse: 'my wh', timeout: 0 },
    ],
    [{ bindings: { 1: 5 } }, { bindings: { 1: { type: 'FIXED', value: '5' } } }],
  ])('sends one statement for the input %j', async (input, body) => {
    const request = await requestOf('warehouse_query', { statement: 'SELECT ?', ...input });
    expect(request).toEqual(submit({ statement: 'SELECT ?', ...body, parameters }));
    expectRequestMatches(readProviderDescription('warehouse'), request);
  });

  it('tells clients that it only reads', () => {
    expect(shippedTool('warehouse_query').annotations).toMatchObject({ readOnlyHint: true });
  });

  it.each([
    'select 1',
    ' \n\t SELECT 1 ;\n; ',
    '\u00a0SELECT\u00a01',
    ';SELECT 1',
    '-- DELETE FROM t;\n// DROP TABLE t;\n/* MERGE; */ SELECT 1 -- ; DELETE',
    '--\r\nSELECT 1 -- windows\r\n',
    "SELECT '; DELETE FROM t; --' AS a, 'it''s \\'; DROP', \"x;y\", $$; DELETE $$ FROM t",
    '((SELECT 1)) UNION ALL (SELECT 2)',
    'SELECT "SELECT", "INTO", "DELETE" FROM t',
    "SELECT INSERT('abc', 1, 2, 'x')",
    'WITH a AS (SELECT 1), "b;" (x, y) AS (WITH c AS (VALUES (1)) SELECT * FROM c) SELECT * FROM a, "b;"',
    'with recursive r as (select 1 union all select 2 from r) (select * from r)',
    'WITH recursive AS (SELECT 1) SELECT * FROM recursive',
    'VALUES (1), (2)',
    "SHOW TABLES LIKE 'x;y' IN SCHEMA a.b",
    'SHOW TABLES ->> SELECT "name" FROM $1',
    'DESC TABLE t',
    'describe table t',
    'LIST @stage',
    'EXPLAIN DELETE FROM t',
    'EXPLAIN USING JSON INSERT INTO t SELECT 1',
  ])('sends the statement %j unchanged', async (statement) => {
    expect((await requestOf('warehouse_query', { statement })).body).toEqual({ statement, parameters });
  });
});

describe('tool warehouse_query: refused SQL', () => {
  it.each([
    'INSERT INTO t VALUES (1)',
    'delete from t',
    '/* SELECT */ UPDATE t SET a = 1',
    '-- SELECT\nTRUNCATE t',
    '((DELETE FROM t))',
    '(MERGE INTO t USING s ON 1 = 1 WHEN MATCHED THEN DELETE)',
    'CALL p()',
    'EXECUTE IMMEDIATE $$SELECT 1$$',
    'BEGIN SELECT 1; END',
    'BEGIN',
    'USE ROLE ACCOUNTADMIN',
    'CREATE TABLE t AS SELECT 1',
    'COPY INTO @stage FROM (SELECT 1)',
    'GET @stage file:///tmp',
    'SELECT 1 INTO t',
    'SELECT order_ids.NEXTVAL',
    'SELECT * FROM t FOR UPDATE',
    '"SELECT" 1',
    'ſelect 1; delete from t',
    'SELECT1',
    'WITH',
    'WITH a AS (SELECT 1)',
    'WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a',
    'WITH a AS (SELECT 1), b (x) AS (SELECT ")" FROM a) DELETE FROM t USING b',
    "WITH a AS (SELECT ')') /* SELECT */ MERGE INTO t USING a ON 1 = 1 WHEN MATCHED THEN DELETE",
    'WITH a AS (DELETE FROM t) SELECT * FROM a',
    'WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS $$DELETE FROM t$$ CALL p()',
    'SELECT 1 ->> DELETE FROM t',
    'EXPLAIN SELECT 1 ->> TRUNCATE t',
    'SELECT 1; SELECT 2',
    "SELECT 1 /* ; */ ; DELETE FROM t WHERE a = ';'",
    "SELECT 'a\\''; DELETE FROM t",
    "SELECT SYSTEM$CANCEL_QUERY('x')",
    'SELECT "system$wait"(1)',
    "SELECT IDENTIFIER('SYSTEM$WAIT')(5)",
    'EXPLAIN SELECT system$abort_session(1)',
    ';;',
    '-- nothing',
    "SELECT 'open",
    'SELECT "open',
    'SELECT $$open',
    'SELECT 1 /* open',
    'SELECT 1 /*/',
    '/* /* */ SELECT 1 -- */ DELETE FROM t',
    '--\rDELETE FROM t WHERE a IN\n(SELECT 1)',
    '//\u2028DELETE FROM t WHERE a IN\n(SELECT 1)',
    'SELECT 1 AS a$$; DELETE FROM t; $$',
    'WITH a AS ('.repeat(9_000),
  ])('refuses %j before it is sent', async (statement) => {
    expect(await callRefusals('warehouse_query', { statement })).toEqual(['statement read_only']);
  });

  it.each([
    [['statement required'], {}],
    [['statement max_length'], { statement: 'x'.repeat(100_001) }],
    [['async unknown'], { statement: 'SELECT 1', async: true }],
  ])('reports the violations %j', (expected, input) => {
    expect(refusals('warehouse_query', input)).toEqual(expected);
  });

  it('names every fault of an input, and the tool for other SQL', async () => {
    const input = { statement: 'DROP TABLE t', bindings: { 2: 1 } };
    await expect(requestOf('warehouse_query', input)).rejects.toMatchObject({
      violations: [
        { field: 'bindings' },
        {
          field: 'statement',
          description:
            'Must only read: SELECT, WITH … SELECT, VALUES, SHOW, DESCRIBE, EXPLAIN or LIST. For other SQL use warehouse_execute_query.',
        },
      ],
    });
  });
});

const COLUMNS =
  'QUERY_ID, QUERY_TEXT, USER_NAME, WAREHOUSE_NAME, EXECUTION_STATUS, START_TIME, TOTAL_ELAPSED_TIME, ROWS_PRODUCED, BYTES_SCANNED, ERROR_MESSAGE';
const HISTORY = `SELECT ${COLUMNS} FROM TABLE("SALES".INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 10000))`;
const FAILED = "(EXECUTION_STATUS ILIKE 'FAIL%' OR EXECUTION_STATUS ILIKE '%INCIDENT%')";
const RUNNING = `NOT (EXECUTION_STATUS ILIKE 'SUCCESS%' OR ${FAILED})`;

describe('tools warehouse_explain_query and warehouse_list_queries: requests', () => {
  it.each<[string, object, object]>([
    [
      'warehouse_explain_query',
      { statement: 'DELETE FROM t WHERE a = 1;', format: 'json', database: 'SALES', schema: 'PUBLIC' },
      {
        statement: 'EXPLAIN USING JSON DELETE FROM t WHERE a = 1;',
        database: 'SALES',
        schema: 'PUBLIC',
        parameters,
      },
    ],
    [
      'warehouse_explain_query',
      { statement: '-- ; DROP\nSELECT 1', role: 'r' },
      { statement: 'EXPLAIN USING TABULAR -- ; DROP\nSELECT 1', role: 'r', parameters },
    ],
    [
      'warehouse_list_queries',
      { database_name: 'sales' },
      { statement: `${HISTORY} WHERE ${RUNNING} ORDER BY START_TIME DESC LIMIT 20` },
    ],
    [
      'warehouse_list_queries',
      { database: 'sales', status: 'failed', user: 'ada@example.com', warehouse_name: 'wh', limit: 1000 },
      {
        statement: `${HISTORY} WHERE ${FAILED} AND USER_NAME = ? AND WAREHOUSE_NAME = ? ORDER BY START_TIME DESC LIMIT 1000`,
        bindings: { 1: { type: 'TEXT', value: 'ada@example.com' }, 2: { type: 'TEXT', value: 'WH' } },
      },
    ],
    [
      'warehouse_list_queries',
      { database_name: 'sales', status: 'all', since: '2026-11-20T10:00:00+02:00', warehouse: 'W' },
      {
        statement: `${HISTORY} WHERE START_TIME >= TO_TIMESTAMP_LTZ(?) ORDER BY START_TIME DESC LIMIT 20`,
        bindings: { 1: { type: 'TEXT', value: '2026-11-20T08:00:00.000+00:00' } },
        warehouse: 'W',
      },
    ],
  ])('%s sends its statement for %j', async (name, input, body) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(submit(body));
    expectRequestMatches(readProviderDescription('warehouse'), request);
    expect(shippedTool(name).annotations).toMatchObject({ readOnlyHint: true });
  });

  it.each([
    'SELECT 1; DROP TABLE t',
    'SELECT 1 ->> SELECT 2',
    '; DROP TABLE t',
    'SELECT 1 ->> DELETE FROM t',
    "SELECT 'open",
    'SELECT SYSTEM$WAIT(5)',
    '/* open',
  ])('warehouse_explain_query refuses %j before it is sent', async (statement) => {
    expect(await callRefusals('warehouse_explain_query', { statement })).toEqual(['statement read_only']);
  });

  it.each<[string, string[], object]>([
    ['warehouse_explain_query', ['statement required'], {}],
    ['warehouse_explain_query', ['format enum'], { statement: 'SELECT 1', format: 'xml' }],
    ['warehouse_list_queries', ['database_name required', 'status enum'], { status: 'queued' }],
    ['warehouse_list_queries', ['limit maximum'], { database_name: 'd', limit: 1001 }],
    ['warehouse_list_queries', ['since format'], { database_name: 'd', since: 'yesterday' }],
  ])('%s reports the violations %j: %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});
