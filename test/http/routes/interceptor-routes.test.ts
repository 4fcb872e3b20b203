/** Interceptors over REST with the real rules behind them; every answer is checked against /openapi.json. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { signup } from '../../interceptors/interceptor-questions.ts';
import { interceptorServices } from '../../interceptors/support.ts';
import { startFaultServer, type FaultServer } from '../../support/fault-server.ts';
import { development, json, restApi, type RestApi } from '../rest-api.ts';
import { answerProblems, openApi } from '../openapi-document.ts';

const document = await openApi();

let services: Awaited<ReturnType<typeof interceptorServices>>;
let api: RestApi;
let endpoint: FaultServer;
beforeAll(async () => {
  endpoint = await startFaultServer();
});
afterAll(() => endpoint.close());
beforeEach(async () => {
  endpoint.reset();
  services = await interceptorServices();
  const { interceptors, interceptorLog, interceptorTest } = services;
  api = await restApi({ interceptors, interceptorLog, interceptorTest });
});
afterEach(() => services.close());

const ALL = '/api/v1/interceptors';
const ONE = `${ALL}/{id}`;

/** @param template the path as it is documented */
async function call(template: string, path = template, init: RequestInit = {}) {
  const response = await api.request(path, init, { environment: { ...development, id: 'env_1' } });
  const body = (await response.json()) as Record<string, unknown>;
  const { status, headers } = response;
  const answer = { method: init.method ?? 'GET', path: template, status, body };
  expect(answerProblems(document, answer)).toEqual([]);
  expect(headers.get('cache-control')).toBe('no-store');
  return { status, body };
}

const post = { method: 'POST' };
const input = {
  name: 'Stop strangers',
  trigger_point: 'PRE_SIGNUP',
  endpoint: 'https://hooks.example.test/signup',
  timeout_ms: 2000,
  fallback: 'block',
  enabled: true,
};

async function created(change: object = {}): Promise<string> {
  const { status, body } = await call(ALL, undefined, json('POST', { ...input, ...change }));
  expect(status).toBe(201);
  return (body.interceptor as { id: string }).id;
}

it('creates, shows, changes and deletes an interceptor', async () => {
  const id = await created();
  const view = {
    id: expect.stringMatching(/^icp_[0-9a-z]{26}$/),
    ...input,
    managed_by_file: false,
    created_at: '2026-11-20T12:00:00.000Z',
    updated_at: '2026-11-20T12:00:00.000Z',
  };
  const at = `${ALL}/${id}`;
  expect((await call(ONE, at)).body).toEqual({ interceptor: view });
  expect((await call(ALL)).body).toEqual({
    interceptors: [view],
    next_page_token: '',
    prev_page_token: '',
    total_size: 1,
  });
  const disabled = await call(`${ONE}:disable`, `${at}:disable`, post);
  expect(disabled).toEqual({ status: 200, body: { interceptor: { ...view, enabled: false } } });
  expect((await call(`${ONE}:enable`, `${at}:enable`, post)).body).toEqual({ interceptor: view });
  const changed = await call(ONE, at, json('PATCH', { fallback: 'allow' }));
  expect(changed.body).toEqual({ interceptor: { ...view, fallback: 'allow' } });
  const again = await call(ALL, undefined, json('POST', input));
  expect([again.status, again.body.code]).toEqual([409, 6]);
  expect(await call(ONE, at, { method: 'DELETE' })).toEqual({ status: 200, body: {} });
  for (const [template, path, init] of [
    [ONE, at, {}],
    [ONE, at, { method: 'DELETE' }],
    [ONE, at, json('PATCH', {})],
    [`${ONE}:enable`, `${at}:enable`, post],
    [`${ONE}:test`, `${at}:test`, post],
    [`${ONE}/logs`, `${at}/logs`, {}],
  ] as const)
    expect((await call(template, path, init)).status).toBe(404);
});

it('gives an interceptor without timeout and switch 5 s, and enables it', async () => {
  const { timeout_ms: _timeout, enabled: _enabled, ...least } = input;
  const { body } = await call(ALL, undefined, json('POST', least));
  expect(body.interceptor).toMatchObject({ timeout_ms: 5000, enabled: true });
});

it('refuses an interceptor with every violation at once', async () => {
  const bad = { name: '', trigger_point: 'x', timeout_ms: 1.5, fallback: 'x', enabled: 'no', secret: 's' };
  const { status, body } = await call(ALL, undefined, json('POST', bad));
  expect(status).toBe(400);
  const [{ field_violations: violations } = { field_violations: [] }] = body.details as {
    field_violations: { field: string }[];
  }[];
  expect(violations.map(({ field }) => field).toSorted()).toEqual([
    'enabled',
    'endpoint',
    'fallback',
    'name',
    'secret',
    'timeout_ms',
    'trigger_point',
  ]);
  for (const timeout_ms of [99, 30_001])
    expect((await call(ALL, undefined, json('POST', { ...input, timeout_ms }))).status).toBe(400);
  const address = { ...input, endpoint: 'http://10.0.0.1/' };
  expect(await call(ALL, undefined, json('POST', address))).toMatchObject({
    status: 400,
    body: { details: [{ field_violations: [{ field: 'endpoint' }] }] },
  });
});

it('lists interceptors in pages', async () => {
  for (const name of ['one', 'two', 'three']) await created({ name });
  const names = ({ body }: { body: Record<string, unknown> }) =>
    (body.interceptors as { name: string }[]).map(({ name }) => name);
  const first = await call(ALL, `${ALL}?page_size=2`);
  const second = await call(ALL, `${ALL}?page_size=2&page_token=${String(first.body.next_page_token)}`);
  expect([names(first), names(second)]).toEqual([['three', 'two'], ['one']]);
  expect((await call(ALL, `${ALL}?page_size=0`)).status).toBe(400);
  expect((await call(ALL, `${ALL}?page_token=x`)).status).toBe(400);
});

it('shows request and answer of the Test action, and leaves the log empty', async () => {
  const id = await created({ endpoint: `${endpoint.origin}/hook`, enabled: false });
  endpoint.queue({ json: { decision: 'DENY' } });
  const tested = await call(`${ONE}:test`, `${ALL}/${id}:test`, post);
  expect(tested).toMatchObject({
    status: 200,
    body: {
      request: {
        headers: { 'interceptor-timestamp': '1795176000' },
        body: { display_name: 'Stop strangers', trigger_point: 'PRE_SIGNUP' },
      },
      response: { status: 200, body: '{"decision":"DENY"}' },
      failure: null,
      would: 'block',
    },
  });
  endpoint.queue({ reset: true });
  expect((await call(`${ONE}:test`, `${ALL}/${id}:test`, post)).body).toMatchObject({
    response: null,
    failure: expect.any(String),
    would: 'block',
  });
  expect((await call(`${ONE}/logs`, `${ALL}/${id}/logs`)).body).toEqual({
    logs: [],
    next_page_token: '',
    prev_page_token: '',
    total_size: 0,
  });
});

it('shows in the log what was asked and what came of it', async () => {
  const id = await created({ endpoint: `${endpoint.origin}/hook`, fallback: 'allow' });
  endpoint.queue({ json: { decision: 'ALLOW' } }, { status: 500, body: 'oops' }, { reset: true });
  for (let n = 0; n < 3; n++) {
    services.clock.advance(1_000);
    await services.policy.beforeSignup(signup);
  }
  const { body } = await call(`${ONE}/logs`, `${ALL}/${id}/logs?page_size=2`);
  expect(body).toMatchObject({
    logs: [
      { at: '2026-11-20T12:00:03.000Z', response: null, failure: expect.any(String), decision: 'ALLOW' },
      { response: { status: 500, body: 'oops' }, failure: 'The endpoint answered 500.', decision: 'ALLOW' },
    ],
    total_size: 3,
  });
  const next = await call(
    `${ONE}/logs`,
    `${ALL}/${id}/logs?page_size=2&page_token=${String(body.next_page_token)}`,
  );
  expect(next.body).toMatchObject({
    logs: [
      {
        id: expect.stringMatching(/^evt_/),
        trigger_point: 'PRE_SIGNUP',
        request: { display_name: 'Stop strangers', data: {} },
        response: { status: 200, body: '{"decision":"ALLOW"}' },
        failure: null,
        decision: 'ALLOW',
      },
    ],
    next_page_token: '',
  });
});

it('keeps the log of a deleted interceptor, for lists of all or of this one', async () => {
  const gone = await created({ endpoint: `${endpoint.origin}/gone`, name: 'gone' });
  endpoint.queue({ json: { decision: 'ALLOW' } });
  await services.policy.beforeSignup(signup);
  await call(ONE, `${ALL}/${gone}`, { method: 'DELETE' });
  const kept = await created({ endpoint: `${endpoint.origin}/kept`, name: 'kept' });
  services.clock.advance(1_000);
  endpoint.queue({ json: { decision: 'ALLOW' } });
  await services.policy.beforeSignup(signup);
  const LOGS = '/api/v1/interceptor_logs';
  const whose = async (query: string) =>
    ((await call(LOGS, `${LOGS}${query}`)).body.interceptor_logs as { interceptor_id: string }[]).map(
      ({ interceptor_id: id }) => id,
    );
  expect(await whose('')).toEqual([kept, gone]);
  expect(await whose(`?interceptor_id=${gone}`)).toEqual([gone]);
  expect(await whose('?interceptor_id=icp_unknown')).toEqual([]);
  const { body } = await call(LOGS, `${LOGS}?page_size=1`);
  expect(body).toMatchObject({
    interceptor_logs: [{ request: { display_name: 'kept' }, decision: 'ALLOW' }],
    total_size: 2,
  });
  expect(await whose(`?page_size=1&page_token=${String(body.next_page_token)}`)).toEqual([gone]);
  const foreign = await api.request(`${LOGS}?page_token=${String(body.next_page_token)}`, {
    headers: { authorization: 'Bearer bound' },
  });
  expect(foreign.status).toBe(403);
  expect((await call(LOGS, `${LOGS}?interceptor_id=`)).status).toBe(400);
});

it('admits administrators of the whole environment only', async () => {
  for (const token of ['accounts.write', 'tools.execute', 'bound']) {
    const response = await api.request(ALL, { headers: { authorization: `Bearer ${token}` } });
    expect([token, response.status]).toEqual([token, 403]);
  }
});

it('a verb of interceptors is no verb of a connection, whose name may end like one', async () => {
  await api.request('/api/v1/connections', json('POST', { name: 'crm:test', connector: 'notes' }));
  const response = await api.request('/api/v1/connections/crm:test');
  expect(await response.json()).toMatchObject({ connection: { name: 'crm:test' } });
});
