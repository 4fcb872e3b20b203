/** Proxied requests of accounts whose token can be renewed; what passes is test/http/proxy. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProxyMethod } from '../../../src/executor/proxy/proxy.ts';
import { ledgerAccount, ledgerServices, rowOf, sentTokens } from '../../credentials/refresh/ledger.ts';
import { answer, machine, mcpCaller, testServices, type Services } from '../../support/services.ts';

let services: Services;
let id: string;
beforeEach(async () => {
  services = await ledgerServices();
  id = await ledgerAccount(services);
});

const send = async (method: ProxyMethod = 'GET', change: object = {}) =>
  services.executor.proxy({
    caller: { ...machine, source: 'proxy' },
    account: { id },
    method,
    path: '/entries',
    query: '',
    headers: {},
    ...change,
  });

describe('proxy request with a 401 from the provider', () => {
  it.each(['GET', 'POST'] as const)(
    'renews the access token and retries the request once: %s',
    async (method) => {
      services.answers.push(answer(401, { error: 'old' }), answer(201, { made: true }));
      const { status, body } = await send(method);
      expect([status, body.toString()]).toEqual([201, '{"made":true}']);
      expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
    },
  );

  it('passes on a second 401 after the renewal, and the account stays active', async () => {
    services.answers.push(answer(401, { error: 'no' }), answer(401, { error: 'no' }));
    const { status, body } = await send();
    expect([status, body.toString()]).toEqual([401, '{"error":"no"}']);
    expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', refusals: 0 });
  });

  it('renews an expired token before the request', async () => {
    services.clock.advance(3_600_000);
    await send();
    expect(sentTokens(services)).toEqual(['at-1']);
  });
});

describe('proxy request with an idempotency key', () => {
  const once = async (change: object = {}) =>
    send('POST', { idempotencyKey: 'k', body: Buffer.from('{}'), ...change });

  it('sends the request once, and replays its status, headers and bytes', async () => {
    const body = Buffer.from([0xff, 0x00, 0x80]);
    services.answers.push({ status: 201, headers: { etag: '"1"', 'x-internal': 'a' }, body });
    const first = await once();
    expect(first).toEqual({
      status: 201,
      headers: { etag: '"1"' },
      body,
      executionId: expect.stringMatching(/^exe_/) as string,
      isReplay: false,
    });
    expect(await once()).toEqual({ ...first, isReplay: true });
    expect(services.sent).toHaveLength(1);
  });

  it.each([400, 409, 429, 503])('stores a refusal of the provider: %i', async (status) => {
    services.answers.push(answer(status, { error: 'no' }));
    expect(await once()).toMatchObject({ status, isReplay: false });
    expect(await once()).toMatchObject({ status, isReplay: true });
    expect(services.sent).toHaveLength(1);
  });

  it('sends again once the account has a credential that the provider accepts', async () => {
    services.answers.push(answer(401, { error: 'no' }), answer(401, { error: 'no' }), answer(201, {}));
    expect(await once()).toMatchObject({ status: 401 });
    expect(await once()).toMatchObject({ status: 201, isReplay: false });
  });

  it.each([
    ['method', { method: 'PUT' }],
    ['path', { path: '/others' }],
    ['query', { query: 'a=1' }],
    ['body', { body: Buffer.from('[]') }],
    ['content type', { headers: { 'content-type': 'text/plain' } }],
  ])('conflicts with the same key and another %s', async (_, change) => {
    await once();
    await expect(once(change)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(services.sent).toHaveLength(1);
  });

  it('ignores headers that do not pass when it compares requests', async () => {
    await once({ headers: { 'user-agent': 'a', 'idempotency-key': 'k' } });
    expect(await once({ headers: { 'user-agent': 'b' } })).toMatchObject({ isReplay: true });
    expect(services.sent[0]?.headers).toMatchObject({ 'idempotency-key': 'k' });
  });

  it('does not send again after an answer that is too large', async () => {
    services.answers.push({ status: 200, headers: {}, body: Buffer.alloc(600_000) });
    expect((await once()).body).toHaveLength(600_000);
    await expect(once()).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      details: { reason: 'ANSWER_NOT_KEPT' },
    });
    expect(services.sent).toHaveLength(1);
  });

  it('continues when its caller disconnects', async () => {
    const leaving = new AbortController();
    const sending = once({ signal: leaving.signal });
    leaving.abort();
    await sending;
    expect(services.sent[0]?.signal).toBeUndefined();
    expect(await once()).toMatchObject({ isReplay: true });
  });
});

it('updates the last use of the account after a proxy request', async () => {
  await send();
  await services.executor.recorded();
  expect((await rowOf(services, id)).last_used_at).toBe(services.clock.now());
});

it('masks a secret of the credential in a proxied answer', async () => {
  id = await ledgerAccount(services, { access_token: 'access-token-0001' }, { identifier: 'grace' });
  services.answers.push(answer(500, { echo: 'Bearer access-token-0001' }));
  expect((await send()).body.toString()).toBe('{"echo":"Bearer [secret]"}');
});

it('lets a caller that stands for one user reach accounts of that user only', async () => {
  services = await testServices();
  const account = async (user: string) =>
    services.accounts.create(machine, {
      connector: 'notes',
      identifier: 'shared-name',
      user_id: user,
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: `key-of-${user}` } } },
      },
    });
  await account('u1');
  const other = await account('u2');
  const caller = mcpCaller('u1');
  const byName = { connection: 'notes', identifier: 'shared-name' };
  await send('GET', { caller, account: byName });
  expect(services.sent[0]?.headers['x-api-key']).toBe('key-of-u1');
  await send('GET', { caller, account: { ...byName, userId: 'u2' } });
  expect(services.sent[1]?.headers['x-api-key']).toBe('key-of-u1');
  await expect(send('GET', { caller, account: { id: other.id } })).rejects.toMatchObject({
    code: 'RESOURCE_NOT_FOUND',
  });
});
