/** What a dry run shows, and that nothing happens by it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ToolHandler } from '../../../src/catalog/model/types.ts';
import { ledgerAccount, ledgerServices, rowOf } from '../../credentials/refresh/ledger.ts';
import { connectedAccount, machine, testServices, type Services } from '../../support/services.ts';

const several: ToolHandler = {
  call: async ({ http }) => {
    const request = { method: 'GET', host: 0, path: '/first', query: [], headers: {} } as const;
    const first = await http.send(request).catch(() => 'swallowed');
    return [first, await http.send({ ...request, path: '/second' })];
  },
};
const silent: ToolHandler = { call: async () => 'nothing to ask' };

const ledger = async (handler: ToolHandler = several): Promise<[Services, string]> => {
  const services = await ledgerServices({ handlers: new Map([['ledger/pair', handler]]) });
  return [services, await ledgerAccount(services)];
};

const dryRun = async (services: Services, id: string, toolName: string, input: object = {}) =>
  services.executor.dryRun({ caller: machine, toolName, input, account: { id } });

describe('dry run of a tool call', () => {
  let services: Services;
  let id: string;
  beforeEach(async () => {
    [services, id] = await ledger();
  });

  it('shows method, address, headers and body with the credential masked', async () => {
    expect(await dryRun(services, id, 'ledger_create')).toEqual({
      request: {
        method: 'POST',
        url: 'https://api.ledger.example/entries',
        headers: { accept: 'application/json', authorization: '[secret]' },
        body: null,
      },
      note: 'Nothing was sent.',
    });
  });

  it('keeps the public part of a header that carries a secret', async () => {
    const token = { access_token: 'access-token-0001', refresh_token: 'rt' };
    id = await ledgerAccount(services, token, { identifier: 'grace' });
    const { request } = await dryRun(services, id, 'ledger_list');
    expect(request?.headers.authorization).toBe('Bearer [secret]');
  });

  it('sends nothing, not even a token refresh, and records nothing', async () => {
    id = await ledgerAccount(services, undefined, { identifier: 'grace', expiresInMs: -1_000 });
    const before = await rowOf(services, id);
    await dryRun(services, id, 'ledger_create');
    await services.executor.recorded();
    expect(services.sent).toEqual([]);
    expect(services.tokens.presented('refresh')).toEqual([]);
    expect(await services.db.read.selectFrom('executions').selectAll().execute()).toEqual([]);
    expect(await rowOf(services, id)).toEqual(before);
  });

  it('shows the first request of a tool with several requests and says so', async () => {
    const shown = await dryRun(services, id, 'ledger_pair');
    expect(shown.request?.url).toBe('https://api.ledger.example/first');
    expect(shown.note).toContain('this is the first');
  });

  it('says that a tool sends no request', async () => {
    [services, id] = await ledger(silent);
    expect(await dryRun(services, id, 'ledger_pair')).toEqual({
      request: null,
      note: 'With this input the tool sends no request.',
    });
  });

  it('does not count in rate limits', async () => {
    services = await testServices();
    ({ id } = await connectedAccount(services));
    for (let n = 0; n < 5; n++) {
      const { request } = await dryRun(services, id, 'notes_limited', { query: 'a b' });
      expect(request).toMatchObject({
        url: 'https://api.notes.example/search?q=a%20b',
        headers: { 'x-api-key': '[secret]' },
      });
    }
    expect(services.sent).toEqual([]);
  });

  it.each([
    ['an unknown tool', 'ledger_nothing', {}, 'RESOURCE_NOT_FOUND'],
    ['wrong input', 'ledger_create', { x: 1 }, 'INVALID_ARGUMENT'],
  ])('fails for %s like the real call', async (_, toolName, input, code) => {
    await expect(dryRun(services, id, toolName, input)).rejects.toMatchObject({ code });
  });

  it('answers with a link for an account that is not connected', async () => {
    id = (await services.accounts.create(machine, { connector: 'ledger', identifier: 'new' })).id;
    await expect(dryRun(services, id, 'ledger_create')).rejects.toMatchObject({
      code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
    });
  });
});
