/** The stand-in SQL API by itself: requests, answers as the provider describes them, and what its engine makes of SQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { readAnswerDescription } from './answer-description.ts';
import { standInClient } from './stand-in-client.ts';

const problemsOf = readAnswerDescription('warehouse-answers.json');
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

interface Body {
  code: string;
  message: string;
  sqlState: string;
  statementHandle: string;
  statementHandles: string[];
  statementStatusUrl: string;
  data: (string | null)[][];
  resultSetMetaData: { rowType: { name: string; type: string; scale: number | null }[] };
  [member: string]: unknown;
}

let clock: FixedClock;
let sandbox: Sandbox;
let token: string;

beforeAll(async () => {
  clock = fixedClock();
  sandbox = await startSandbox({ clock });
  token = await newToken();
});

afterAll(async () => {
  await sandbox?.close();
});

async function newToken(member = 0, scope = 'refresh_token'): Promise<string> {
  return String((await standInClient(sandbox, 'warehouse').connect({ scope }, member)).access_token);
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body; headers: Headers }> {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body, headers: response.headers };
}

const run = (statement: string, more: object = {}) =>
  send('POST', '/api/v2/statements', { statement, ...more });

describe('warehouse stand-in: requests', () => {
  it.each([
    ['without a token', { authorization: '' }, 401, '390303'],
    ['with another token', { authorization: 'Bearer crm-access-x' }, 401, '390303'],
    [
      'with a token of another kind',
      { 'x-snowflake-authorization-token-type': 'KEYPAIR_JWT' },
      401,
      '390303',
    ],
    ['that are no JSON', { 'content-type': 'text/plain' }, 415, '391415'],
  ])('%s receive status 401 or 415', async (_, headers: Record<string, string>, status, code) => {
    const answer = await send('POST', '/api/v2/statements', { statement: 'select 1' }, headers);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(problemsOf('error', answer.body)).toEqual([]);
  });

  it.each([
    ['no statement', {}, 'statement'],
    ['a binding without type', { statement: 'select ?', bindings: { '1': { value: '1' } } }, 'type'],
  ])('receive 400 for a body with %s', async (_, body, named) => {
    const answer = await send('POST', '/api/v2/statements', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: '390142', message: expect.stringContaining(named) },
    });
  });

  it('receive 401 after the access token expires', async () => {
    const other = await startSandbox({ clock });
    const client = standInClient(other, 'warehouse');
    const { access_token } = await client.connect({ scope: 'refresh_token' });
    const status = async () =>
      (
        await fetch(`${other.url}/api/v2/statements`, {
          method: 'POST',
          headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
          body: '{"statement":"select 1"}',
        })
      ).status;
    expect(await status()).toBe(200);
    other.providers.warehouse.expireAccessTokens();
    expect(await status()).toBe(401);
    await other.close();
  });
});

describe("warehouse stand-in: answers by the provider's description", () => {
  it('match the description for a finished statement', async () => {
    const { status, body, headers } = await run('select * from customers, (select 1 as x)');
    expect(status).toBe(200);
    expect(problemsOf('result', body)).toEqual([]);
    const url = `/api/v2/statements/${body.statementHandle}?requestId=`;
    expect(body.statementStatusUrl).toContain(url);
    expect(headers.get('link')).toMatch(/partition=0>;rel="first",.*partition=0>;rel="last"$/);
  });

  it.each([
    ["insert into staging.raw_orders (line, loaded_at) values (50, '2026-11-20 12:00:00.000')"],
    ['update staging.raw_orders set payload = null'],
    ['delete from staging.raw_orders'],
    ['show warehouses'],
    ['describe table orders'],
    ['select 1 where 1 = 2'],
  ])('match the description for the statement: %s', async (statement) => {
    expect(problemsOf('result', (await run(statement)).body)).toEqual([]);
  });

  it('match the description for several statements and for each of them', async () => {
    const parameters = { MULTI_STATEMENT_COUNT: '0' };
    const { body } = await run('select 1; select 2', { parameters });
    expect(problemsOf('result', body)).toEqual([]);
    const second = await send('GET', `/api/v2/statements/${body.statementHandles[1]}`);
    expect(second.body.data).toEqual([['2']]);
    expect(problemsOf('result', second.body)).toEqual([]);
  });

  it('match the description for a running, a cancelled and a failed statement', async () => {
    const path = '/api/v2/statements?async=true';
    const running = await send('POST', path, { statement: 'select 1' });
    expect(running).toMatchObject({ status: 202, body: { code: '333334' } });
    expect(problemsOf('running', running.body)).toEqual([]);
    const handle = running.body.statementHandle;
    const stopped = await send('POST', `/api/v2/statements/${handle}/cancel`);
    expect(stopped).toMatchObject({ status: 200, body: { code: '000604', sqlState: '57014' } });
    expect(problemsOf('cancel', stopped.body)).toEqual([]);
    const failed = await send('GET', `/api/v2/statements/${handle}`);
    expect(failed).toMatchObject({ status: 422, body: { code: '000604' } });
    expect(problemsOf('failure', failed.body)).toEqual([]);
  });

  it('match the description for an unknown handle', async () => {
    const cancelled = await send('POST', `/api/v2/statements/${UNKNOWN}/cancel`);
    expect(cancelled).toMatchObject({ status: 422, body: { code: '000709' } });
    expect(problemsOf('cancel', cancelled.body)).toEqual([]);
    const asked = await send('GET', `/api/v2/statements/${UNKNOWN}`);
    expect(asked).toMatchObject({ status: 404 });
    expect(problemsOf('error', asked.body)).toEqual([]);
  });

  it('hold one partition, and send the others compressed', async () => {
    const { body, headers } = await run('select line_no from order_items');
    expect(body.data).toHaveLength(500);
    expect(headers.get('link')).toContain('partition=1>;rel="next"');
    const path = `/api/v2/statements/${body.statementHandle}?partition=3`;
    const last = await send('GET', path);
    expect(last.headers.get('content-encoding')).toBe('gzip');
    expect(last.headers.get('link')).toContain('partition=2>;rel="prev"');
    expect(Object.keys(last.body)).toEqual(['data']);
    expect(last.body.data).toHaveLength(29);
  });

  it('reach only the person who asked, for a day', async () => {
    const { statementHandle } = (await run('select 1')).body;
    const path = `/api/v2/statements/${statementHandle}`;
    const other = await newToken(1);
    expect((await send('GET', path, undefined, { authorization: `Bearer ${other}` })).status).toBe(404);
    clock.advance(86_399_999);
    token = await newToken();
    expect((await send('GET', path)).status).toBe(200);
    clock.advance(1);
    expect((await send('GET', path)).status).toBe(404);
  });

  it('use the role of the token', async () => {
    const sanna = await newToken(1, 'refresh_token session:role:LOADER');
    const { body } = await send(
      'POST',
      '/api/v2/statements',
      { statement: 'select current_role(), current_user()' },
      { authorization: `Bearer ${sanna}` },
    );
    expect(body.data).toEqual([['LOADER', 'SANNA']]);
  });
});

describe('warehouse stand-in: SQL', () => {
  it.each([
    ['names in any case, and quoted', 'Select O."ID" From Sales.Public.Orders As O Where o.id = 3', [['3']]],
    ['columns with database and schema', 'select sales.public.orders.id from orders limit 1', [['1']]],
    ['comments', 'select /* 1; */ 1 -- 2;\n, 3 // 4\n', [['1', '3']]],
    [
      'escapes in literals',
      String.raw`select 'it\'s', 'it''s', '\\', $$a'b$$`,
      [["it's", "it's", '\\', "a'b"]],
    ],
    ['a semicolon in a literal', "select ';'", [[';']]],
    [
      'LIKE with its case, ILIKE without',
      "select 'Ab' like 'a%', 'Ab' ilike 'a%', 'a' like '_'",
      [['0', '1', '1']],
    ],
    ['casts', "select '2026-03-01'::date, cast('7' as int) + 1, 5::varchar || 'x'", [['20513', '8', '5x']]],
    ['a view', "select orders from monthly_revenue where month = '2025-11'", [['49']]],
  ])('supports the syntax for %s', async (_, statement, rows) => {
    expect((await run(statement)).body.data).toEqual(rows);
  });

  it('names columns as they are written', async () => {
    const { body } = await run(
      'select id, count(*), sum(total)/2 as "half of it", max( id ) from orders group by 1 limit 1',
    );
    const names = body.resultSetMetaData.rowType.map(({ name }) => name);
    expect(names).toEqual(['ID', 'COUNT(*)', 'half of it', 'MAX( ID )']);
  });

  it.each([
    ['FIXED', '12345678901234567', '12345678901234567'],
    ['BOOLEAN', 'true', '1'],
    ['DATE', '1798761600000', '20819'],
    ['TIMESTAMP_NTZ', '1798761600123000000', '1798761600.123000000'],
  ])('accepts a binding of %s', async (type, value, expected) => {
    const { body } = await run('select ?', { bindings: { '1': { type, value } } });
    expect(body.data).toEqual([[expected]]);
  });

  it.each([
    ['two statements that were not announced', 'select 1; select 2', '000008'],
    ['a literal without end', "select 'x", '001003'],
    ['a script', 'begin return 1; end', '000002'],
    ['the tables of SQLite', 'select * from sqlite_master', '002003'],
    ['functions of SQLite', "select * from pragma_table_info('x')", '000002'],
    ['statements of SQLite', "attach database '/tmp/x' as y", '001003'],
    ['files of SQLite', "vacuum into '/tmp/x'", '001003'],
    ['settings of SQLite', 'pragma user_version', '001003'],
    ['a change of INFORMATION_SCHEMA', 'delete from information_schema.tables', '003001'],
  ])('refuses a statement with %s', async (_, statement, code) => {
    const { status, body } = await run(statement);
    expect({ status, code: body.code }).toEqual({ status: 422, code });
    expect(problemsOf('failure', body)).toEqual([]);
  });
});
