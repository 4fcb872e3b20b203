/** Proxied requests of accounts whose token can be renewed; what passes is test/http/proxy. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProxyMethod } from '../../src/executor/proxy.ts';
import { ledgerAccount, ledgerServices, rowOf, sentTokens } from '../auth/refresh/ledger.ts';
import { answer, machine, mcpCaller, testServices, type Services } from '../support/services.ts';

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

describe('a token that the provider refuses', () => {
  it.each(['GET', 'POST'] as const)('is renewed and the request repeated once: %s', async (method) => {
    services.answers.push(answer(401, { error: 'old' }), answer(201, { made: true }));
    const { status, body } = await send(method);
    expect([status, body.toString()]).toEqual([201, '{"made":true}']);
    expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
  });

  it('again after its renewal is passed on as it is, and the account stays', async () => {
    services.answers.push(answer(401, { error: 'no' }), answer(401, { error: 'no' }));
    const { status, body } = await send();
    expect([status, body.toString()]).toEqual([401, '{"error":"no"}']);
    expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', refusals: 0 });
  });

  it('is renewed beforehand when its time is over', async () => {
    services.clock.advance(3_600_000);
    await send();
    expect(sentTokens(services)).toEqual(['at-1']);
  });
});

it('notes the use of the account', async () => {
  await send();
  await services.executor.recorded();
  expect((await rowOf(services, id)).last_used_at).toBe(services.clock.now());
});

it('masks a secret of the credential in what the provider says', async () => {
  id = await ledgerAccount(services, { access_token: 'access-token-0001' }, { identifier: 'grace' });
  services.answers.push(answer(500, { echo: 'Bearer access-token-0001' }));
  expect((await send()).body.toString()).toBe('{"echo":"Bearer [secret]"}');
});

it('of a caller that stands for one user reaches accounts of that user only', async () => {
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
  const byName = { connector: 'notes', identifier: 'shared-name' };
  await send('GET', { caller, account: byName });
  expect(services.sent[0]?.headers['x-api-key']).toBe('key-of-u1');
  await send('GET', { caller, account: { ...byName, userId: 'u2' } });
  expect(services.sent[1]?.headers['x-api-key']).toBe('key-of-u1');
  await expect(send('GET', { caller, account: { id: other.id } })).rejects.toMatchObject({
    code: 'RESOURCE_NOT_FOUND',
  });
});
