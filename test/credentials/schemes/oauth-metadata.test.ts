/**
 * What a provider says of an account while it is connected, with the example connectors and stand-ins that follow the
 * provider's rules strictly: a JSON token body, a version header, a company in the path and a tenant in a header.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MASK } from '../../../src/outbound/secret-scrubber.ts';
import { startExampleServer, type ExampleServer } from '../../support/example-server.ts';
import { startStandIn, type StandIn, type StandInReply } from '../../support/stand-in.ts';

const BASIC = `Basic ${Buffer.from('app-1:secret-1').toString('base64')}`;

let provider: StandIn;
let server: ExampleServer;

afterEach(async () => {
  await server.close();
  await provider.close();
});

/** Starts a server for a connector; the provider's consent page answers with a code and `more`. */
async function start(connector: string, answer: StandIn['answer'], more: Record<string, string> = {}) {
  provider = await startStandIn((request) => {
    const { path, query } = request;
    if (!path.endsWith('/authorize')) return answer(request);
    const back = new URL(query.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code: 'c-1', state: query.get('state') ?? '', ...more }).toString();
    return { status: 302, json: {}, headers: { location: back.href } };
  });
  const { origin } = provider;
  const overrides = {
    base_url: origin,
    authorization_url: `${origin}/authorize`,
    token_url: `${origin}/token`,
    revocation_url: `${origin}/revoke`,
  };
  const client = { client_id: 'app-1', client_secret: 'secret-1' };
  server = await startExampleServer({ connections: [{ connector, ...client, overrides }] });
}

const connect = async (connector: string) => server.browser().connect(await server.link(connector, 'ada'));
const config = async (connector: string) => (await server.details(connector, 'ada')).api_config;

describe('OAUTH connection with a JSON token body (example wiki)', () => {
  /** Refuses a form, a missing version and every other client, as its documentation would say. */
  const wiki: StandIn['answer'] = ({ path, headers, body, query }): StandInReply => {
    if (path === '/token') {
      if (headers['content-type'] !== 'application/json') return { status: 415, json: { error: 'invalid' } };
      const sent = JSON.parse(body) as Record<string, string>;
      if (headers['authorization'] !== BASIC || sent['client_secret'] !== undefined)
        return { status: 401, json: { error: 'invalid_client' } };
      if (sent['grant_type'] !== 'authorization_code' || sent['code'] !== 'c-1')
        return { status: 400, json: { error: 'invalid_grant' } };
      return {
        json: {
          access_token: 'at-1',
          token_type: 'bearer',
          workspace: { id: '31a1', name: 'Ada & Söhne' },
          owner: { secret: 'no' },
        },
      };
    }
    if (headers['wiki-version'] !== '2026-03-11') return { status: 400, json: { code: 'missing_version' } };
    if (headers['authorization'] !== 'Bearer at-1') return { status: 401, json: { code: 'unauthorized' } };
    if (path === '/v1/users/me') return { json: { name: 'Ada' } };
    return { json: { pages: [], asked: query.get('query') } };
  };

  it('connects, keeps the named values of the token reply, and sends the version with every request', async () => {
    await start('wiki', wiki);
    expect(await connect('wiki')).toMatchObject({ status: 302, location: '/connect/done' });
    expect(await config('wiki')).toEqual({ workspace_id: '31a1', workspace_name: 'Ada & Söhne' });
    expect((await server.details('wiki', 'ada')).display_name).toBe('Ada');
    expect(await server.call('wiki_find', { query: 'x' }, 'ada')).toEqual({ pages: [], asked: 'x' });
    const get = { method: 'GET', query: 'query=y' } as const;
    const passed = await server.proxy('wiki', 'ada', { ...get, path: '/pages', headers: {} });
    expect([passed.status, JSON.parse(passed.body.toString())]).toEqual([200, { pages: [], asked: 'y' }]);
    const other = { 'wiki-version': '2020-01-01' };
    expect((await server.proxy('wiki', 'ada', { ...get, path: '/pages', headers: other })).status).toBe(200);
  });
});

describe('OAUTH connection of one company among several (example accounting)', () => {
  let tenants: unknown;

  /** Knows company 42 of tenant t-1 and nothing else. */
  const accounting: StandIn['answer'] = ({ path, headers }): StandInReply => {
    if (path === '/revoke') return { json: {} };
    if (path === '/token')
      return { json: { access_token: 'at-1', refresh_token: 'rt-1', token_type: 'Bearer', expires_in: 60 } };
    if (headers['authorization'] !== 'Bearer at-1') return { status: 401, json: {} };
    if (path === '/connections') return { json: tenants };
    if (headers['accounting-tenant'] !== 't-1') return { status: 403, json: { error: { code: 'tenant' } } };
    if (path !== '/v3/42/invoices') return { status: 404, json: { error: { code: 'no_company' } } };
    return { json: { invoices: [] } };
  };
  const company = (id: string) => ({ type: 'company', tenant: { id } });

  it('fills the path from the callback and the header from the first request', async () => {
    tenants = [{ type: 'person', tenant: { id: 't-9' } }, company('t-1')];
    await start('accounting', accounting, { companyId: '42' });
    expect(await connect('accounting')).toMatchObject({ status: 302, location: '/connect/done' });
    expect(await config('accounting')).toEqual({ company_id: '42', tenant_id: 't-1' });
    expect(await server.call('accounting_list', {}, 'ada')).toEqual({ invoices: [] });
    const passed = await server.proxy('accounting', 'ada', {
      method: 'GET',
      path: '/invoices',
      query: '',
      headers: { 'accounting-tenant': 't-2' },
    });
    expect(passed.status).toBe(200);
  });

  it.each([
    ['the callback lacks the company', {}, [company('t-1')]],
    ['the company could lead elsewhere', { companyId: '42/../7' }, [company('t-1')]],
    ['no entry fits', { companyId: '42' }, []],
    ['the answer is no list', { companyId: '42' }, { tenant: { id: 't-1' } }],
    ['the value would break the header', { companyId: '42' }, [company('t-1\r\nx: y')]],
  ])('connects nothing and revokes the tokens when %s', async (_, more, answer) => {
    tenants = answer;
    await start('accounting', accounting, more);
    const page = await connect('accounting');
    expect(page.text).toContain('did not say which account of yours is meant');
    expect((await server.details('accounting', 'ada')).status).toBe('PENDING_AUTH');
    await vi.waitFor(() => expect(provider.at('/revoke')).not.toEqual([]), 5_000);
  });

  it('names several companies instead of choosing one, and takes the one that the account names', async () => {
    tenants = [company('t-1'), company('t-2')];
    await start('accounting', accounting, { companyId: '42' });
    const page = await connect('accounting');
    expect(page.text).toContain('tenant_id t-1; tenant_id t-2');
    expect(page.text).not.toContain(MASK);
    const { id } = await server.details('accounting', 'ada');
    const { accounts } = server.services;
    await accounts.update(server.operator, { id, connected_account: { api_config: { tenant_id: 't-1' } } });
    await connect('accounting');
    expect(await config('accounting')).toEqual({ company_id: '42', tenant_id: 't-1' });
    expect(await server.call('accounting_list', {}, 'ada')).toEqual({ invoices: [] });
  });
});
