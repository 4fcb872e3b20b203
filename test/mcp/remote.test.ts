/** MCP over the whole server: how a client finds its way in, what is refused there, and virtual servers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenVerifier } from '../../src/authorization-server/tokens/token-verifier.ts';
import { silentLog } from '../../src/core/log.ts';
import { peopleOf, type People, type SessionOptions } from '../support/people.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startShopServer, type ShopServer } from '../support/shop-server.ts';
import { legacy, modern, type RpcAnswer } from './fixtures.ts';
import { resultOf, textOf, toolsOf } from './messages.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

let provider: Server;
let shop: ShopServer;
let people: People;
let ada: string;
let base: string;

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.resume();
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    // Not the key itself: the server takes live secrets out of whatever a provider says.
    const key = String(request.headers['x-api-key'] ?? searchParams.get('key'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ whose: key.replace('key-of-', ''), filter: searchParams.get('filter') }));
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const connections = [
    { name: 'shop', connector: 'shop' },
    { name: 'shop-of-sales', connector: 'shop' },
  ];
  shop = await startShopServer({ hosts: { main: origin, files: origin }, settings: { connections } });
  base = shop.baseUrl;
  const { services } = shop;
  people = peopleOf(services, services.environments.byName('development').id);
  ada = await people.user('ada');
});
afterAll(async () => {
  await shop.close();
  provider.close();
});

async function account(userId: string, connector = 'shop', key = `key-of-${userId}`): Promise<string> {
  const response = await shop.api('POST', '/connected_accounts', {
    connector,
    identifier: userId,
    user_id: userId,
    connected_account: { authorization_details: { static_auth: { details: { api_key: key } } } },
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { connected_account: { id: string } }).connected_account.id;
}

async function tokenOf(userId: string, path = '/mcp', options: SessionOptions = {}): Promise<string> {
  return (await people.signIn(userId, { resource: `${base}${path}`, ...options })).token;
}

async function machineToken(form: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'test',
      client_secret: 'a-secret-of-the-test-that-is-long-enough-0123456789',
      ...form,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function knock(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(LIST),
  });
}

const challengeOf = (response: Response) => response.headers.get('www-authenticate');

async function call(path: string, token: string, name = 'shop_list', args: object = {}): Promise<RpcAnswer> {
  return modern(`${base}${path}`, 'tools/call', { name, arguments: args }, { headers: bearer(token) });
}

const answered = ({ body }: RpcAnswer) =>
  JSON.parse(textOf(body)) as { whose: string; filter: string | null };

describe('protected resource metadata of MCP and REST (RFC 9728)', () => {
  it.each([
    ['/mcp', ['tools:execute']],
    ['/mcp/support-desk', ['tools:execute']],
    [
      '/api',
      ['accounts:read', 'accounts:write', 'accounts:credentials', 'tools:execute', 'metrics:read', 'admin'],
    ],
  ])('serves the metadata of %s where RFC 9728 has it', async (path, scopes) => {
    const response = await fetch(`${base}/.well-known/oauth-protected-resource${path}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      resource: `${base}${path}`,
      authorization_servers: [base],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Gatehouse',
    });
  });

  it.each(['', '/', '/mcp/', '/mcp/Support', '/mcp/a/b', '/mcpx', '/proxy'])(
    'answers 404 for metadata of %j',
    async (path) => {
      expect((await fetch(`${base}/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
    },
  );
});

describe('401 and 403 of MCP (WWW-Authenticate)', () => {
  const at = (path: string) => `resource_metadata="${base}/.well-known/oauth-protected-resource${path}"`;

  it.each(['/mcp', '/mcp/support-desk'])(
    'tells a client without a token at %s where to get one',
    async (path) => {
      const response = await knock(path);
      expect(response.status).toBe(401);
      expect(challengeOf(response)).toBe(`Bearer ${at(path)}, scope="tools:execute"`);
    },
  );

  it('answers invalid_token to a bad token', async () => {
    const response = await knock('/mcp', bearer('e30.e30.e30'));
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toBe(`Bearer error="invalid_token", ${at('/mcp')}, scope="tools:execute"`);
  });

  it('answers 403 to a good token without the scope, and names the scope', async () => {
    for (const token of [
      await tokenOf(ada, '/mcp', { scopes: ['accounts:read'] }),
      await machineToken({ scope: 'accounts:read' }),
    ]) {
      const response = await knock('/mcp', bearer(token));
      expect(response.status).toBe(403);
      expect(challengeOf(response)).toBe(
        `Bearer error="insufficient_scope", ${at('/mcp')}, scope="tools:execute"`,
      );
    }
  });

  it('answers invalid_token to a token for another resource', async () => {
    const api = await tokenOf(ada, '/api');
    const mcp = await tokenOf(ada);
    const server = await tokenOf(ada, '/mcp/support-desk');
    const refused: [string, string][] = [
      ['/mcp', api],
      ['/mcp', server],
      ['/mcp/support-desk', mcp],
      ['/mcp/sales', server],
      ['/mcp', await machineToken({ resource: `${base}/api` })],
      ['/mcp/support-desk', await machineToken({ resource: `${base}/mcp` })],
      ['/mcp', await machineToken({ resource: `${base}/mcp/support-desk` })],
    ];
    for (const [path, token] of refused) {
      const response = await knock(path, bearer(token));
      expect([path, response.status]).toEqual([path, 401]);
      expect(challengeOf(response)).toContain('error="invalid_token"');
    }
    for (const token of [mcp, server, await machineToken({ resource: `${base}/mcp` })]) {
      const list = await fetch(`${base}/api/v1/connected_accounts`, { headers: bearer(token) });
      const proxied = await fetch(`${base}/proxy/entries`, { headers: { ...bearer(token), 'user-id': ada } });
      expect([list.status, proxied.status]).toEqual([401, 401]);
    }
  });

  it('answers 401 to the id of a session instead of a token', async () => {
    const { sessionId } = await people.signIn(ada, { resource: `${base}/mcp` });
    for (const headers of [bearer(sessionId), { 'mcp-session-id': sessionId }] as Record<string, string>[])
      expect((await knock('/mcp', headers)).status).toBe(401);
  });

  it('answers 404 for an unknown virtual server once the token is known', async () => {
    expect((await knock('/mcp/nobody', bearer(await machineToken()))).status).toBe(404);
    expect((await knock('/mcp/nobody', bearer(await tokenOf(ada, '/mcp/nobody')))).status).toBe(404);
    expect((await knock('/mcp/nobody')).status).toBe(401);
  });
});

describe('virtual MCP server with people and machines', () => {
  const server = async (name: string, selection: object): Promise<Response> =>
    shop.api('POST', '/mcp_servers', { name, ...selection });
  const names = async (path: string, token: string): Promise<string[]> => {
    const { body } = await modern(`${base}${path}`, 'tools/list', {}, { headers: bearer(token) });
    return toolsOf(body).map((tool) => tool.name);
  };

  it('publishes and runs its selection and nothing else', async () => {
    await server('reading', { connections: ['shop', 'stall'], toolsets: ['shop'], read_only: true });
    const token = await tokenOf(ada, '/mcp/reading');
    expect(await names('/mcp/reading', token)).toEqual(['shop_list']);
    expect(await names('/mcp/reading?read_only=0', token)).toEqual(['shop_list']);
    for (const name of ['shop_add', 'stall_list', 'branch_list']) {
      const { body } = await call('/mcp/reading', token, name, name === 'shop_add' ? { text: 'x' } : {});
      expect(body.error?.code).toBe(-32602);
    }
    expect(
      (await modern(`${base}/mcp/reading?tools=shop_add`, 'tools/list', {}, { headers: bearer(token) }))
        .status,
    ).toBe(200);
    expect(
      (await modern(`${base}/mcp/reading?tools=stall_list`, 'tools/list', {}, { headers: bearer(token) }))
        .status,
    ).toBe(400);
  });

  it('makes calls through its own connections only', async () => {
    const user = await people.user('two-shops');
    await account(user, 'shop', 'key-of-plain');
    await account(user, 'shop-of-sales', 'key-of-sales');
    const sales = (await (await server('sales', { connections: ['shop-of-sales'] })).json()) as {
      mcp_server: { id: string };
    };
    const token = await tokenOf(user, '/mcp/sales');
    expect(answered(await call('/mcp/sales', token)).whose).toBe('sales');
    expect(answered(await call('/mcp', await tokenOf(user))).whose).toBe('plain');
    const named = await call('/mcp/sales', token, 'shop_list', { account: `shop/${user}` });
    expect(resultOf(named.body).isError).toBe(true);
    const { body } = await modern(`${base}/mcp/sales`, 'tools/list', {}, { headers: bearer(token) });
    expect(
      toolsOf(body).find(({ name }) => name === 'shop_list')?.inputSchema.properties.account,
    ).toBeUndefined();
    const recorded = await shop.api('GET', `/executions?virtual_server_id=${sales.mcp_server.id}`);
    expect(await recorded.json()).toMatchObject({
      executions: [{ tool_name: 'shop_list', source: 'mcp', virtual_server_id: sales.mcp_server.id }],
    });
  });

  it('gives a link of its own connection where the account is missing', async () => {
    const user = await people.user('no-shop');
    await server('fresh', { connections: ['shop-of-sales'] });
    const { body } = await call('/mcp/fresh', await tokenOf(user, '/mcp/fresh'));
    expect(resultOf(body).isError).toBe(true);
    const made = await shop.api('GET', `/connected_accounts?user_id=${user}`);
    expect(await made.json()).toMatchObject({
      connected_accounts: [{ connector: 'shop-of-sales' }],
      total_size: 1,
    });
  });

  it('gives everybody the same list, byte for byte', async () => {
    await server('steady', { connections: ['shop'] });
    const token = await machineToken({ resource: `${base}/mcp/steady` });
    const texts = await Promise.all(
      Array.from({ length: ROUNDS.toolLists }, async () =>
        (await knock('/mcp/steady', bearer(token))).text(),
      ),
    );
    expect(new Set(texts).size).toBe(1);
    const { body } = await modern(`${base}/mcp/steady`, 'tools/list', {}, { headers: bearer(token) });
    expect(resultOf(body)).toMatchObject({ ttlMs: 300_000, cacheScope: 'public' });
    const own = await modern(
      `${base}/mcp/steady`,
      'tools/list',
      {},
      { headers: bearer(await tokenOf(ada, '/mcp/steady')) },
    );
    expect(resultOf(own.body)).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('gives an application tokens for its users once their accounts work, until it is deleted', async () => {
    const made = await server('tokens', { connections: ['shop'] });
    expect(made.status).toBe(201);
    const { mcp_server } = (await made.json()) as { mcp_server: { id: string; mcp_url: string } };
    expect(mcp_server.mcp_url).toBe(`${base}/mcp/tokens`);
    const issue = async () =>
      shop.api('POST', `/mcp_servers/${mcp_server.id}/tokens`, { user_id: 'customer-7' });
    const refused = await issue();
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 9,
      details: [
        {
          error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
          status: 'PENDING_AUTH',
          authorization_link: expect.stringContaining(`${base}/connect/`),
        },
      ],
    });
    const { connected_accounts } = (await (
      await shop.api('GET', '/connected_accounts?user_id=customer-7')
    ).json()) as { connected_accounts: [{ id: string }] };
    await shop.api('PUT', '/connected_accounts', {
      id: connected_accounts[0].id,
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: 'key-of-customer' } } },
      },
    });
    const token = (await (await issue()).json()) as {
      access_token: string;
      mcp_url: string;
      expires_in: number;
    };
    expect(token).toEqual({
      access_token: expect.any(String),
      mcp_url: `${base}/mcp/tokens`,
      expires_in: expect.any(Number),
    });
    expect(answered(await call('/mcp/tokens', token.access_token)).whose).toBe('customer');
    const elsewhere = { ...bearer(token.access_token), 'gatehouse-user-id': ada };
    expect((await knock('/mcp/tokens', elsewhere)).status).toBe(403);
    expect((await knock('/mcp', bearer(token.access_token))).status).toBe(401);

    expect((await shop.api('DELETE', '/mcp_servers/tokens')).status).toBe(200);
    await server('tokens', { connections: ['shop'] });
    const { id } = shop.services.environments.byName('development');
    await expect(
      anotherVerifier().verify(id, token.access_token, { audiences: [`${base}/mcp/tokens`] }),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

/** Another process of the installation: it remembers nothing of tokens. */
function anotherVerifier(): TokenVerifier {
  const { environments, db: database, clock } = shop.services;
  return new TokenVerifier({ log: silentLog, environments, keys: people.keys, database, clock });
}

describe('session that an application begins, over MCP', () => {
  it('admits the person, and ends for every process that has not seen the token', async () => {
    const user = await people.user('vouched-for');
    await account(user);
    const begun = await shop.api('POST', '/sessions', { user_id: user });
    const { session, access_token } = (await begun.json()) as {
      session: { id: string };
      access_token: string;
    };
    expect(answered(await call('/mcp', access_token)).whose).toBe(user);
    expect((await shop.api('DELETE', `/sessions/${session.id}`)).status).toBe(200);
    const { id } = shop.services.environments.byName('development');
    await expect(
      anotherVerifier().verify(id, access_token, { audiences: [`${base}/mcp`] }),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe('people of one virtual MCP server', () => {
  it(`gives people their own answers in ${ROUNDS.interleavedCalls} interleaved calls`, async () => {
    const users = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const userId = await people.user(`person-${i}`);
        await account(userId);
        return { userId, token: await tokenOf(userId) };
      }),
    );
    const wrong: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < ROUNDS.interleavedCalls; i = next++) {
        const { userId, token } = users[i % users.length]!;
        const params = { name: 'shop_list', arguments: { filter: `question ${i}` } };
        const { body } =
          i % 2 === 0
            ? await modern(`${base}/mcp`, 'tools/call', params, { headers: bearer(token) })
            : await legacy(`${base}/mcp`, 'tools/call', params, bearer(token));
        const { whose, filter } = JSON.parse(textOf(body)) as { whose: string; filter: string };
        const { identifier } = resultOf(body)._meta!['gatehouse/account']!;
        if (whose !== userId || identifier !== userId || filter !== `question ${i}`)
          wrong.push(`${userId}: ${whose} ${filter}`);
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
    expect(wrong).toEqual([]);
  }, 60_000);
});
