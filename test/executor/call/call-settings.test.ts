/** What an account's api_config and its connection's params change about its calls. */
import { beforeEach, describe, expect, it } from 'vitest';
import { machine, testServices, type Services } from '../../support/services.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices();
});

const account = async (user: string, apiConfig: object = {}, connector = 'notes'): Promise<string> =>
  (
    await services.accounts.create(machine, {
      connector,
      identifier: user,
      user_id: user,
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: 'key-1' } } },
        api_config: { ...apiConfig },
      },
    })
  ).id;

const call = async (id: string, toolName = 'notes_search') =>
  services.executor.execute({ caller: machine, toolName, input: { query: 'x' }, account: { id } });

describe('account setting rate_limit', () => {
  it('counts all tools of an account together, and no other account', async () => {
    const [ada, grace] = [await account('ada', { rate_limit: 2 }), await account('grace')];
    await call(ada);
    await call(ada, 'notes_limited');
    await expect(call(ada)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 60,
      details: { limit: 2, retry_after: 60 },
    });
    await call(grace);
    expect(services.sent).toHaveLength(3);
    services.clock.advance(60_000);
    await call(ada);
  });

  it('lowers the limit of the catalog for an account', async () => {
    const ada = await account('ada', { rate_limit: 1 });
    await call(ada, 'notes_limited');
    await expect(call(ada, 'notes_limited')).rejects.toMatchObject({ details: { limit: 1 } });
  });

  it('counts all accounts of a connection together', async () => {
    await services.connections.create(machine, {
      name: 'shared',
      connector: 'notes',
      params: { rate_limit: 2 },
    });
    const ids = [await account('ada', {}, 'shared'), await account('grace', {}, 'shared')];
    for (const id of ids) await call(id);
    await expect(call(ids[0] ?? '')).rejects.toThrow('allowed for this connection');
    await call(await account('ada'));
  });
});

describe('account setting timeout', () => {
  it('limits the time of a whole call and of its headers', async () => {
    await call(await account('ada', { timeout: '2500ms' }));
    expect(services.sent[0]).toMatchObject({ headersTimeoutMs: 2_500, totalTimeoutMs: 2_500 });
  });

  it('applies from a connection to its accounts without a setting', async () => {
    await services.connections.create(machine, {
      name: 'slow',
      connector: 'notes',
      params: { timeout: 50 },
    });
    await call(await account('ada', {}, 'slow'));
    await call(await account('grace', { timeout: 5 }, 'slow'));
    expect(services.sent.map(({ totalTimeoutMs }) => totalTimeoutMs)).toEqual([50_000, 5_000]);
  });
});

describe('account setting endpoint', () => {
  it('replaces the address of the connector', async () => {
    await call(await account('ada', { endpoint: 'https://api.notes.example/beta' }));
    expect(services.sent[0]?.url.href).toBe('https://api.notes.example/beta/search?q=x');
  });

  it('does not apply where the connection has an address of its own', async () => {
    await services.connections.create(machine, {
      name: 'box',
      connector: 'notes',
      overrides: { base_url: 'https://box.example' },
    });
    await call(await account('ada', { endpoint: 'https://api.notes.example/beta' }, 'box'));
    expect(services.sent[0]?.url.href).toBe('https://box.example/search?q=x');
  });
});

describe('settings of an account or connection that cannot be used', () => {
  const violations = (error: unknown) =>
    (error as { details: { field_violations: { field: string }[] } }).details.field_violations.map(
      ({ field }) => field,
    );

  it('stores settings of another form, calls as without them, and names them', async () => {
    const api_config = {
      rate_limit: '1/min',
      timeout: 'soon',
      endpoint: 'https://evil.test',
      plan: { seats: [1] },
    };
    const id = await account('ada', api_config);
    await call(id);
    await call(id);
    expect(services.sent.map(({ url, totalTimeoutMs }) => [url.origin, totalTimeoutMs])).toEqual([
      ['https://api.notes.example', 30_000],
      ['https://api.notes.example', 30_000],
    ]);
    const view = await services.accounts.update(machine, { id, connected_account: { api_config } });
    expect(view.api_config).toEqual(api_config);
    const warnings = services.accounts.configWarnings(machine.environmentId, view, {
      connected_account: { api_config },
    });
    expect(warnings.map((warning) => /(\w+)\.( Give|$)/.exec(warning)?.[1])).toEqual([
      'timeout',
      'rate_limit',
      'endpoint',
      'plan',
    ]);
  });

  it('refuses account settings in params of a connection', async () => {
    const params = { rate_limit: 'many', timeout: '1h' };
    const refused = services.connections.create(machine, { name: 'c', connector: 'notes', params });
    expect(await refused.catch(violations)).toEqual(['params.rate_limit', 'params.timeout']);
  });

  it('removes a setting given as null', async () => {
    const id = await account('ada', { timeout: 5 });
    await services.accounts.update(machine, { id, connected_account: { api_config: { timeout: null } } });
    await call(id);
    expect(services.sent[0]?.totalTimeoutMs).toBe(30_000);
  });
});
