/** Toolset queries of the warehouse: for each input the exact SQL API request, held against Snowflake's description too. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, refusals, requestOf, shippedTool } from './tool-request.ts';
import { cancel, fetchResult, submit } from './warehouse-requests.ts';

const description = readProviderDescription('warehouse');

const ID = '3d8c1b5e-7a64-4b7e-9f60-9f1f0a3f7c11';
const HANDLE = '01b2c3d4-0000-4f5a-0000-012300045678';
const HANDLE_PATH = HANDLE;
const QUERY: [string, string][] = [['requestId', ID]];

describe('tool warehouse_execute_query: requests', () => {
  it.each([
    [{}, QUERY, {}],
    [{ async: true, nullable: false }, [...QUERY, ['async', 'true'], ['nullable', 'false']], {}],
    [{ async: false, nullable: true }, [...QUERY, ['async', 'false'], ['nullable', 'true']], {}],
    [{ retry: true }, [...QUERY, ['retry', 'true']], {}],
    [{ retry: false }, QUERY, {}],
    [
      { database: 'SALES', schema: 'PUBLIC', role: 'analyst', warehouse: 'my wh', timeout: 0 },
      QUERY,
      { database: 'SALES', schema: 'PUBLIC', role: 'analyst', warehouse: 'my wh', timeout: 0 },
    ],
    [{ timeout: 604_800 }, QUERY, { timeout: 604_800 }],
    [
      { parameters: { QUERY_TAG: 'report', TIMEZONE: 'UTC', ROWS_PER_RESULTSET: 10, AUTOCOMMIT: true } },
      QUERY,
      { parameters: { QUERY_TAG: 'report', TIMEZONE: 'UTC', ROWS_PER_RESULTSET: 10, AUTOCOMMIT: true } },
    ],
    [{ bindings: {} }, QUERY, {}],
    [
      { bindings: { 2: 'x', 1: 5 } },
      QUERY,
      { bindings: { 1: { type: 'FIXED', value: '5' }, 2: { type: 'TEXT', value: 'x' } } },
    ],
    [
      { bindings: { 1: 0.5, 2: true, 3: -7, 4: null, 5: 1e300, 6: '' } },
      QUERY,
      {
        bindings: {
          1: { type: 'REAL', value: '0.5' },
          2: { type: 'BOOLEAN', value: 'true' },
          3: { type: 'FIXED', value: '-7' },
          4: { type: 'TEXT', value: null },
          5: { type: 'REAL', value: '1e+300' },
          6: { type: 'TEXT', value: '' },
        },
      },
    ],
    [
      {
        bindings: {
          1: { type: 'fixed', value: 123 },
          2: { type: 'DATE', value: '1798761600000' },
          3: { type: 'TIMESTAMP_TZ', value: '1611871777123456789 960' },
          4: { type: 'TEXT', value: ['a', null] },
          5: { type: 'BINARY', value: null },
        },
      },
      QUERY,
      {
        bindings: {
          1: { type: 'FIXED', value: '123' },
          2: { type: 'DATE', value: '1798761600000' },
          3: { type: 'TIMESTAMP_TZ', value: '1611871777123456789 960' },
          4: { type: 'TEXT', value: ['a', null] },
          5: { type: 'BINARY', value: null },
        },
      },
    ],
    [
      { bindings: { 1: [1, 2, null], 2: [1, 0.5], 3: ['a'], 4: [true], 5: [null] } },
      QUERY,
      {
        bindings: {
          1: { type: 'FIXED', value: ['1', '2', null] },
          2: { type: 'REAL', value: ['1', '0.5'] },
          3: { type: 'TEXT', value: ['a'] },
          4: { type: 'BOOLEAN', value: ['true'] },
          5: { type: 'TEXT', value: [null] },
        },
      },
    ],
  ])('sends the request for the input %j', async (input, query, body) => {
    const statement = 'SELECT ?';
    const request = await requestOf('warehouse_execute_query', { statement, request_id: ID, ...input });
    expect(request).toEqual(submit({ statement, ...body }, query as [string, string][]));
    expectRequestMatches(description, request);
  });

  it('sends the statement of the caller unchanged', async () => {
    const statement = " select 'it''s \\'; drop' /* ; */ as \"a;b\" -- ;\n;\t";
    expect((await requestOf('warehouse_execute_query', { statement })).body).toEqual({ statement });
  });

  it('creates a new request id for each call where none is given', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const request = await requestOf('warehouse_execute_query', { statement: 'SELECT 1' });
        expectRequestMatches(description, request);
        return new Map(request.query).get('requestId');
      }),
    );
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('waits 50 seconds for the first byte and 55 for all, because Snowflake answers after 45', () => {
    expect(shippedTool('warehouse_execute_query').deadline).toEqual({ headersMs: 50_000, totalMs: 55_000 });
  });

  it('tells clients that it may change anything, and that a repeat may change it twice', () => {
    expect(shippedTool('warehouse_execute_query').annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
  });
});

describe('tool warehouse_execute_query: several statements', () => {
  const announced = async (statement: string, input: object = {}): Promise<unknown> => {
    const request = await requestOf('warehouse_execute_query', { statement, ...input });
    expectRequestMatches(description, request);
    return (request.body as { parameters?: unknown }).parameters;
  };

  it.each([
    'SELECT 1; SELECT 2',
    'SELECT 1;\nSELECT 2;',
    'BEGIN; INSERT INTO t VALUES (1); COMMIT',
    'begin transaction; delete from t; rollback;',
    'BEGIN WORK; SELECT 1; COMMIT;',
    'BEGIN NAME t1; SELECT 1; COMMIT;',
    'USE ROLE x; SELECT 1',
    "SELECT 'a\\'; b'; SELECT 2",
    "SELECT 'it''s;'; SELECT 2",
    'SELECT "a"";b"; SELECT 2',
    'SELECT $$;$$; SELECT 2',
    'SELECT 1 -- one\n; SELECT 2 // two',
    'SELECT 1 /* ; \n ; */; SELECT 2',
    "SELECT 'AS BEGIN x'; SELECT 2",
  ])('announces the number of statements: %s', async (statement) => {
    expect(await announced(statement)).toEqual({ MULTI_STATEMENT_COUNT: '0' });
  });

  it.each([
    'SELECT 1',
    'SELECT 1;',
    ';SELECT 1; ;\n',
    'SELECT 1; -- done; really',
    'SELECT 1; /* SELECT 2; */',
    "SELECT ';'",
    "SELECT 'it''s; \\'; x'",
    'SELECT ";"',
    'SELECT $$ a; b $$',
    'SELECT 1 // a; b',
    "SELECT 'open; SELECT 2",
    'SELECT "open; SELECT 2',
    'SELECT $$open; SELECT 2',
    'SELECT /* open; SELECT 2',
    "SELECT 'ends with a backslash; \\",
    'BEGIN\n INSERT INTO t VALUES (1);\n RETURN 1;\nEND',
    '-- a script\nDECLARE x INT; BEGIN x := 1; RETURN x; END;',
    'CREATE PROCEDURE p() RETURNS INT LANGUAGE SQL AS BEGIN LET x := 1; RETURN x; END;',
    'create task t as declare x int; begin return x; end',
    'EXECUTE IMMEDIATE $$ BEGIN SELECT 1; SELECT 2; END $$',
  ])('announces nothing for a single statement: %s', async (statement) => {
    expect(await announced(statement)).toBeUndefined();
  });

  it('announces them in addition to other parameters, unless the caller has done it', async () => {
    const statement = 'SELECT 1; SELECT 2';
    expect(await announced(statement, { parameters: { QUERY_TAG: 'x' } })).toEqual({
      QUERY_TAG: 'x',
      MULTI_STATEMENT_COUNT: '0',
    });
    expect(await announced(statement, { parameters: { multi_statement_count: 2 } })).toEqual({
      multi_statement_count: 2,
    });
    expect(await announced('SELECT 1', { parameters: { MULTI_STATEMENT_COUNT: '1' } })).toEqual({
      MULTI_STATEMENT_COUNT: '1',
    });
  });

  it.each([["'"], ['"'], ['$$'], ['/*'], ['--'], ["''\\"], ["'\\"], [';']])(
    'counts statements in linear time however long a text repeats %s (ReDoS)',
    async (part) => {
      const statement = part.repeat(Math.floor(99_000 / part.length));
      expect(await cpuMs(async () => announced(`x${statement}`))).toBeLessThan(2_000);
    },
  );
});

describe('tool warehouse_execute_query: lost answer', () => {
  const toolError = (tool_error: object) => new ServiceError('TOOL_ERROR', 'x', { details: { tool_error } });
  const call = async (input: object, failures: ServiceError[]) => {
    const sent: ProviderRequest[] = [];
    const answer = (request: ProviderRequest) => {
      sent.push(request);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { code: '090001' };
    };
    const outcome = await callTool(
      'warehouse_execute_query',
      { statement: 'INSERT 1', ...input },
      answer,
    ).then(
      ({ data }) => data,
      (error: unknown) => error,
    );
    return { outcome, sent };
  };

  it.each([
    [{ code: 'PROVIDER_CONNECTION_LOST', provider_status: null }],
    [{ code: 'HTTP_503', provider_status: 503 }],
    [{ code: '000001', provider_status: 504 }],
  ])('retries once with the same request id: %j', async (failure) => {
    const { outcome, sent } = await call({ async: true }, [toolError(failure)]);
    expect(outcome).toEqual({ code: '090001' });
    const [first, second] = sent.map(({ query }) => Object.fromEntries(query));
    expect(second).toEqual({ ...first, retry: 'true' });
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    for (const request of sent) expectRequestMatches(description, request);
  });

  it('does not retry a second time', async () => {
    const lost = toolError({ code: 'PROVIDER_CONNECTION_LOST', provider_status: null });
    const { outcome, sent } = await call({}, [lost, lost]);
    expect(outcome).toBe(lost);
    expect(sent).toHaveLength(2);
  });

  it.each([
    [{ code: 'PROVIDER_TIMEOUT', provider_status: null }],
    [{ code: 'CANCELLED', provider_status: null }],
    [{ code: '000604', provider_status: 408 }],
    [{ code: '002003', provider_status: 422 }],
    [{ code: '390505', provider_status: 429 }],
    [{ code: '390318', provider_status: 401 }],
    [{ code: 'TOKEN_REFRESH_FAILED', provider_status: 503 }],
  ])('does not retry after a refusal: %j', async (failure) => {
    const error = toolError(failure);
    const { outcome, sent } = await call({}, [error]);
    expect(outcome).toBe(error);
    expect(sent).toHaveLength(1);
  });
});

describe('tool warehouse_execute_query: invalid input', () => {
  it.each([
    [['statement required'], {}],
    [['statement min_length'], { statement: '' }],
    [['statement type', 'async type', 'nullable type'], { statement: ['x'], async: 'true', nullable: 1 }],
    [['bindings type', 'parameters type'], { statement: 'x', bindings: [1], parameters: 'x' }],
    [['request_id format'], { statement: 'x', request_id: 'mine' }],
    [['request_id require'], { statement: 'x', retry: true }],
    [['timeout minimum'], { statement: 'x', timeout: -1 }],
    [['timeout maximum'], { statement: 'x', timeout: 604_801 }],
    [['timeout type'], { statement: 'x', timeout: 1.5 }],
    [
      ['database min_length', 'schema min_length', 'role min_length', 'warehouse min_length'],
      { statement: 'x', database: '', schema: '', role: '', warehouse: '' },
    ],
    [['sql unknown'], { statement: 'x', sql: 'y' }],
  ])('reports the violations %j: %j', (expected, input) => {
    expect(refusals('warehouse_execute_query', input)).toEqual(expected);
  });

  it.each([
    [['bindings position'], { bindings: { 0: 1 } }],
    [['bindings position'], { bindings: { 1: 1, 3: 1 } }],
    [['bindings position'], { bindings: { '01': 1 } }],
    [['bindings position'], { bindings: { id: 1 } }],
    [['bindings.1 type'], { bindings: { 1: {} } }],
    [['bindings.1 type'], { bindings: { 1: { type: 'NUMBER', value: '1' } } }],
    [['bindings.1 type'], { bindings: { 1: { type: 'TEXT' } } }],
    [['bindings.1 type'], { bindings: { 1: { type: 'TEXT', value: 'x', fmt: 'y' } } }],
    [['bindings.1 type'], { bindings: { 1: { type: 'TEXT', value: { a: 1 } } } }],
    [['bindings.1 type', 'bindings.2 type'], { bindings: { 1: [], 2: [1, 'x'] } }],
    [['bindings.1 type'], { bindings: { 1: [[1]] } }],
    [['bindings forbid'], { statement: 'SELECT ?; SELECT ?', bindings: { 1: 1 } }],
    [['bindings forbid'], { bindings: { 1: 1 }, parameters: { MULTI_STATEMENT_COUNT: 2 } }],
    [['parameters.QUERY TAG name'], { parameters: { 'QUERY TAG': 'x' } }],
    [['parameters.A type', 'parameters.B type'], { parameters: { A: null, B: { x: 1 } } }],
    [['bindings.1 type', 'parameters.A type'], { bindings: { 1: {} }, parameters: { A: [] } }],
  ])('reports from the handler the violations %j: %j', async (expected, input) => {
    const call = callRefusals('warehouse_execute_query', { statement: 'SELECT ?', ...input });
    expect(await call).toEqual(expected);
  });
});

describe('warehouse tools for a submitted statement', () => {
  it.each([
    ['warehouse_get_query_status', {}, fetchResult(HANDLE_PATH)],
    ['warehouse_get_query_status', { request_id: ID }, fetchResult(HANDLE_PATH, QUERY)],
    ['warehouse_get_query_partition', { partition: 0 }, fetchResult(HANDLE_PATH, [['partition', '0']])],
    [
      'warehouse_get_query_partition',
      { partition: 12, request_id: ID },
      fetchResult(HANDLE_PATH, [['partition', '12'], ...QUERY]),
    ],
    ['warehouse_cancel_query', {}, cancel(HANDLE_PATH)],
    ['warehouse_cancel_query', { request_id: ID }, cancel(HANDLE_PATH, QUERY)],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, { statement_handle: HANDLE, ...input });
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each([
    ['warehouse_get_query_status', ['statement_handle required'], {}],
    ['warehouse_get_query_status', ['statement_handle format'], { statement_handle: '..' }],
    ['warehouse_get_query_status', ['statement_handle format'], { statement_handle: `${HANDLE}/cancel` }],
    ['warehouse_get_query_status', ['request_id format'], { statement_handle: HANDLE, request_id: 'x' }],
    ['warehouse_get_query_partition', ['partition required'], { statement_handle: HANDLE }],
    ['warehouse_get_query_partition', ['statement_handle required'], { partition: 1 }],
    ['warehouse_get_query_partition', ['partition minimum'], { statement_handle: HANDLE, partition: -1 }],
    ['warehouse_get_query_partition', ['partition type'], { statement_handle: HANDLE, partition: '1' }],
    ['warehouse_cancel_query', ['statement_handle required'], {}],
    ['warehouse_cancel_query', ['statement_handle format'], { statement_handle: 'all' }],
    ['warehouse_cancel_query', ['timeout unknown'], { statement_handle: HANDLE, timeout: 1 }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});
