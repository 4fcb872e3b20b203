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

describe('requests', () => {
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
  ])('%s are refused', async (_, headers: Record<string, string>, status, code) => {
    const answer = await send('POST', '/api/v2/statements', { statement: 'select 1' }, headers);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(problemsOf('error', answer.body)).toEqual([]);
  });

  it.each([
    ['a body that is no JSON', '{', ''],
    ['no statement', {}, 'statement'],
    ['an unknown member', { statement: 'select 1', user: 'x' }, 'user'],
    ['a timeout that is too long', { statement: 'select 1', timeout: 604_801 }, 'timeout'],
    ['a binding without type', { statement: 'select ?', bindings: { '1': { value: '1' } } }, 'type'],
    [
      'a binding that is no text',
      { statement: 'select ?', bindings: { '1': { type: 'FIXED', value: 1 } } },
      'value',
    ],
  ])('with %s are refused', async (_, body, named) => {
    const answer = await send('POST', '/api/v2/statements', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: '390142', message: expect.stringContaining(named) },
    });
  });

  it.each([
    ['POST', '/api/v2/statements?requestId=7', 400],
    ['POST', '/api/v2/statements?wait=true', 400],
    ['GET', '/api/v2/statements/nonsense', 400],
    ['GET', `/api/v2/statements/${UNKNOWN}?partition=-1`, 400],
    ['DELETE', `/api/v2/statements/${UNKNOWN}`, 405],
    ['GET', '/api/v2/warehouses', 404],
  ])('%s %s are answered with %i', async (method, path, status) => {
    const body = method === 'POST' ? { statement: 'select 1' } : undefined;
    expect((await send(method, path, body)).status).toBe(status);
  });

  it('need the token to be good still', async () => {
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

describe('answers', () => {
  it('of a statement that is done are as described', async () => {
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
  ])('of %s are as described', async (statement) => {
    expect(problemsOf('result', (await run(statement)).body)).toEqual([]);
  });

  it('of several statements are as described, and so are the ones of each', async () => {
    const parameters = { MULTI_STATEMENT_COUNT: '0' };
    const { body } = await run('select 1; select 2', { parameters });
    expect(problemsOf('result', body)).toEqual([]);
    const second = await send('GET', `/api/v2/statements/${body.statementHandles[1]}`);
    expect(second.body.data).toEqual([['2']]);
    expect(problemsOf('result', second.body)).toEqual([]);
  });

  it('of one that runs, is stopped, and was stopped are as described', async () => {
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

  it('of a handle that is not known are as described', async () => {
    const cancelled = await send('POST', `/api/v2/statements/${UNKNOWN}/cancel`);
    expect(cancelled).toMatchObject({ status: 422, body: { code: '000709' } });
    expect(problemsOf('cancel', cancelled.body)).toEqual([]);
    const asked = await send('GET', `/api/v2/statements/${UNKNOWN}`);
    expect(asked).toMatchObject({ status: 404 });
    expect(problemsOf('error', asked.body)).toEqual([]);
  });

  it('hold one partition, and the others come packed', async () => {
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

  it('are for who asked only, and for a day', async () => {
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

  it('are given in the role of the token', async () => {
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

describe('SQL', () => {
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
    ['fractions of whole numbers', 'select 5/2, 6/3', [['2.50', '2']]],
    [
      'LIKE with its case, ILIKE without',
      "select 'Ab' like 'a%', 'Ab' ilike 'a%', 'a' like '_'",
      [['0', '1', '1']],
    ],
    [
      'what has no value last',
      'select column1 from (select 1 as column1 union all select null) order by 1',
      [['1'], [null]],
    ],
    ['casts', "select '2026-03-01'::date, cast('7' as int) + 1, 5::varchar || 'x'", [['20513', '8', '5x']]],
    [
      'dates',
      "select dateadd(month, 1, '2026-01-31'), datediff('day', '2026-01-01', '2026-02-01')",
      [['20512', '31']],
    ],
    ['months', "select date_trunc('quarter', '2026-05-17'), year('2026-05-17')", [['20544', '2026']]],
    [
      'texts',
      "select left('harbour', 3), split_part('a.b.c', '.', 2), contains('tide', 'id')",
      [['har', 'b', '1']],
    ],
    ['what is not given', "select nvl(null, 'x'), iff(1 > 2, 'a', 'b'), zeroifnull(null)", [['x', 'b', '0']]],
    ['the time of the sandbox', "select current_date() > to_date('2026-11-01')", [['1']]],
    ['WITH', 'with a as (select 1 as x), b (y) as (select x + 1 from a) select y from b', [['2']]],
    [
      'subqueries in FROM, and what follows them',
      'select count(*) from (select 1) x, marketing.public.campaigns',
      [['4']],
    ],
    [
      'IN with a subquery',
      'select count(*) from orders where id in (select order_id from order_items where line_no = 4) and id < 20',
      [['6']],
    ],
    [
      'window functions',
      'select id from (select id, row_number() over (order by total desc) n from orders) where n = 1',
      [['95']],
    ],
    ['MINUS', 'select 1 union all select 2 minus select 2', [['1']]],
    ['a view', "select orders from monthly_revenue where month = '2025-11'", [['49']]],
  ])('has %s', async (_, statement, rows) => {
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
    ['REAL', '1.25', '1.25'],
    ['TEXT', "it's", "it's"],
    ['BOOLEAN', 'true', '1'],
    ['DATE', '1798761600000', '20819'],
    ['TIMESTAMP_NTZ', '1798761600123000000', '1798761600.123000000'],
    ['TIMESTAMP_TZ', '1798761600000000000 60', '1798761600.000000000'],
    ['BINARY', 'c0ffee', 'C0FFEE'],
    ['TEXT', null, null],
  ])('takes a binding of %s', async (type, value, expected) => {
    const { body } = await run('select ?', { bindings: { '1': { type, value } } });
    expect(body.data).toEqual([[expected]]);
  });

  it.each([
    ['DATE', '99999999999999999999'],
    ['TIMESTAMP_NTZ', '-99999999999999999999999999'],
    ['FIXED', 'ten'],
  ])('refuses a binding of %s that is none, and goes on with the next statement', async (type, value) => {
    const { status, body } = await run('select ?', { bindings: { '1': { type, value } } });
    expect([status, body.code]).toEqual([422, '100038']);
    expect((await run('select 1')).body.data).toEqual([['1']]);
  });

  it('takes lists as bindings of an INSERT', async () => {
    await run('create table staging.lists (n int, t text)');
    const bindings = {
      '1': { type: 'FIXED', value: ['1', '2', null] },
      '2': { type: 'TEXT', value: ['a', 'b', 'c'] },
    };
    const inserted = await run('insert into staging.lists values (?, ?)', { bindings });
    expect(inserted.body.stats).toMatchObject({ numRowsInserted: 3 });
    const { body } = await run('select * from staging.lists order by t');
    expect(body.data).toEqual([
      ['1', 'a'],
      ['2', 'b'],
      [null, 'c'],
    ]);
    await run('drop table staging.lists');
  });

  it('makes, replaces, empties and drops tables', async () => {
    const said = async (statement: string) => (await run(statement)).body.data[0]?.[0];
    expect(await said('create table staging.t (id int not null, at timestamp)')).toBe(
      'Table T successfully created.',
    );
    expect((await run('create table staging.t (id int)')).body.code).toBe('002002');
    expect(await said('create table if not exists staging.t (id int)')).toContain('already exists');
    expect(await said('create or replace table staging.t as select id, total from orders where id < 4')).toBe(
      'Table T successfully created.',
    );
    expect(await said('select count(*) from staging.t')).toBe('3');
    const { body } = await run('select * from staging.t limit 0');
    expect(body.resultSetMetaData.rowType).toMatchObject([
      { name: 'ID', type: 'fixed', scale: 0 },
      { name: 'TOTAL', type: 'fixed', scale: 2 },
    ]);
    await run('truncate table staging.t');
    expect(await said('select count(*) from staging.t')).toBe('0');
    expect(await said('drop table staging.t')).toBe('T successfully dropped.');
    expect(await said('drop table if exists staging.t')).toContain('already dropped');
    expect((await run('drop table staging.t')).body.code).toBe('002003');
  });

  it('undoes a transaction that is rolled back, or left open', async () => {
    const count = async () => (await run('select count(*) from marketing.public.visits, orders')).body.data;
    const before = await count();
    const parameters = { MULTI_STATEMENT_COUNT: 0 };
    await run('begin; delete from orders; rollback', { parameters });
    await run('begin transaction; delete from orders', { parameters });
    expect(await count()).toEqual(before);
  });

  it.each([
    ['two statements that were not announced', 'select 1; select 2', '000008'],
    ['no statement', ' -- nothing\n;', '000900'],
    ['a literal without end', "select 'x", '001003'],
    ['an end too early', 'select 1 from orders where', '001003'],
    ['a function that is not there', 'select foo(1)', '002141'],
    ['a column of two tables', 'select id from orders, customers', '002022'],
    ['a table in other letters', 'select 1 from "Orders"', '002003'],
    ['a script', 'begin return 1; end', '000002'],
    ['recursion', 'with recursive a as (select 1) select * from a', '000002'],
    ['table functions', 'select * from table(generator(rowcount => 9))', '000002'],
    ['paths into JSON', 'select attributes:colour from products', '001003'],
    ['a date that is none', "select to_date('x')", '100038'],
    ['the tables of SQLite', 'select * from sqlite_master', '002003'],
    ['functions of SQLite', "select * from pragma_table_info('x')", '000002'],
    ['statements of SQLite', "attach database '/tmp/x' as y", '001003'],
    ['files of SQLite', "vacuum into '/tmp/x'", '001003'],
    ['settings of SQLite', 'pragma user_version', '001003'],
    ['other schemas', 'create schema sales.more', '000002'],
    ['a change of INFORMATION_SCHEMA', 'delete from information_schema.tables', '003001'],
  ])('refuses %s', async (_, statement, code) => {
    const { status, body } = await run(statement);
    expect({ status, code: body.code }).toEqual({ status: 422, code });
    expect(problemsOf('failure', body)).toEqual([]);
  });
});
