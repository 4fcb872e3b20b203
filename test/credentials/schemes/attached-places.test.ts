/**
 * Credentials in several places, and tokens outside the Authorization header, with the example connectors and stand-ins
 * that take them nowhere else.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { fillIn, startExampleServer, type ExampleServer } from '../../support/example-server.ts';
import { startStandIn, type StandIn, type StandInReply } from '../../support/stand-in.ts';

let provider: StandIn;
let server: ExampleServer;

afterEach(async () => {
  await server.close();
  await provider.close();
});

const dryRun = async (toolName: string) => {
  const { id } = await server.details(toolName.replace(/_.*/, ''), 'ada');
  return server.services.executor.dryRun({ caller: server.operator, toolName, input: {}, account: { id } });
};
const get = { method: 'GET', query: '', headers: {} } as const;

describe('API_KEY in several headers (example monitoring)', () => {
  /** Repeats what it got, as a careless provider does. */
  const monitoring: StandIn['answer'] = ({ path, headers }): StandInReply => {
    const sent = {
      key: headers['x-api-key'],
      application: headers['x-application-key'],
      email: headers['x-user-email'],
    };
    if (sent.key !== 'key-12345' || sent.application !== 'app-67890' || sent.email !== 'ada@acme.example')
      return { status: 403, json: { error: { message: 'Forbidden.' } } };
    if (path === '/v2/down')
      return { status: 400, json: { error: { message: `no ${sent.key}${sent.application}` } } };
    return { json: sent };
  };
  const right = { api_key: 'key-12345', application_key: 'app-67890', user_email: 'ada@acme.example' };

  const start = async () => {
    provider = await startStandIn(monitoring);
    const overrides = { base_url: provider.origin };
    server = await startExampleServer({ connections: [{ connector: 'monitoring', overrides }] });
  };
  const connect = async (values: Record<string, string>) =>
    fillIn(server.browser(), await server.link('monitoring', 'ada'), values);

  it('tells at the form that one of two secrets is wrong, and stores neither', async () => {
    await start();
    const page = await connect({ ...right, application_key: 'other' });
    expect(page.text).toContain('API key, Application key, Your email address');
    expect((await server.details('monitoring', 'ada')).status).toBe('PENDING_AUTH');
  });

  it('masks every secret, and no other value, in answers, errors, dry runs and proxied requests', async () => {
    await start();
    await connect(right);
    const shown = { key: '[secret]', application: '[secret]', email: 'ada@acme.example' };
    expect(await server.call('monitoring_alerts', {}, 'ada')).toEqual(shown);
    const { request } = await dryRun('monitoring_alerts');
    expect(request?.headers).toMatchObject({ 'X-Api-Key': '[secret]', 'X-Application-Key': '[secret]' });
    expect(JSON.stringify(request)).not.toMatch(/12345|67890/);
    const headers = { 'x-application-key': 'mine', 'x-user-email': 'eve@acme.example' };
    const passed = await server.proxy('monitoring', 'ada', { ...get, path: '/alerts', headers });
    expect(JSON.parse(passed.body.toString())).toEqual(shown);
    const failed = await server.proxy('monitoring', 'ada', { ...get, path: '/down' });
    expect([failed.status, failed.body.toString()]).toEqual([
      400,
      '{"error":{"message":"no [secret][secret]"}}',
    ]);
  });
});

describe('BASIC_AUTH with a fixed half (example recruiting)', () => {
  it('asks for the other half alone, and masks it as the key that it is', async () => {
    provider = await startStandIn(({ headers }) => {
      const [username = '', password] = Buffer.from(headers['authorization']?.slice(6) ?? '', 'base64')
        .toString()
        .split(':');
      return password === 'X' ? { json: { username, X: 'X' } } : { status: 401, json: {} };
    });
    const overrides = { base_url: provider.origin };
    server = await startExampleServer({ connections: [{ connector: 'recruiting', overrides }] });
    await server.create('recruiting', 'ada', { static_auth: { details: { username: 'key-12345' } } });
    expect(await server.call('recruiting_candidates', {}, 'ada')).toEqual({ username: '[secret]', X: 'X' });
    const bob = await server.create('recruiting', 'bob', { static_auth: { details: { username: '' } } });
    expect(bob.status).toBe('PENDING_AUTH');
  });
});

describe('OAUTH with the token in a header of its own (example storefront)', () => {
  const storefront: StandIn['answer'] = ({ path, query, headers }): StandInReply => {
    if (path === '/authorize') {
      const back = new URL(query.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code: 'c-1', state: query.get('state') ?? '' }).toString();
      return { status: 302, json: {}, headers: { location: back.href } };
    }
    if (path === '/token') return { json: { access_token: 'token-0001', scope: 'orders:read' } };
    if (headers['authorization'] !== undefined || headers['x-storefront-token'] !== 'token-0001')
      return { status: 401, json: { error: { message: 'Unknown token.' } } };
    return path === '/admin/shop'
      ? { json: { shop: { name: 'Ada & Söhne' } } }
      : { json: { orders: [], token: headers['x-storefront-token'] } };
  };

  it('sends it there and nowhere else: in calls, proxied requests and who', async () => {
    provider = await startStandIn(storefront);
    const { origin } = provider;
    const overrides = {
      base_url: origin,
      authorization_url: `${origin}/authorize`,
      token_url: `${origin}/token`,
    };
    const client = { client_id: 'app-1', client_secret: 'secret-1', params: { shop: 'acme' } };
    server = await startExampleServer({ connections: [{ connector: 'storefront', ...client, overrides }] });
    const done = await server.browser().connect(await server.link('storefront', 'ada'));
    expect(done).toMatchObject({ status: 302, location: '/connect/done' });
    expect((await server.details('storefront', 'ada')).display_name).toBe('Ada & Söhne');
    const shown = { orders: [], token: '[secret]' };
    expect(await server.call('storefront_orders', {}, 'ada')).toEqual(shown);
    const headers = { 'x-storefront-token': 'mine' };
    const passed = await server.proxy('storefront', 'ada', { ...get, path: '/orders', headers });
    expect(JSON.parse(passed.body.toString())).toEqual(shown);
    expect((await dryRun('storefront_orders')).request?.headers).toEqual({
      accept: 'application/json',
      'X-Storefront-Token': '[secret]',
    });
  });
});
