/**
 * What a person's token reaches, over REST, proxy and MCP of a whole server: the person's own accounts, with a role those
 * of the organization by a header, and nothing else. What is somebody else's looks as if it were not there.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { modern } from '../../mcp/fixtures.ts';
import { resultOf, textOf } from '../../mcp/messages.ts';
import { peopleOf, type People, type SessionOptions } from '../../support/people.ts';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';

let provider: Server;
let shop: ShopServer;
let people: People;
let ada: string;
let bob: string;
let org: string;
/** Accounts of the shop connector. */
let accounts: { ada: string; bob: string; org: string };
let sent: string[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    sent.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ asked_with: String(request.headers['x-api-key']).replace('key-of-', '') }));
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  shop = await startShopServer({ hosts: { main: origin, files: origin } });
  const { services } = shop;
  people = peopleOf(services, services.environments.byName('development').id);
  ada = await people.user('ada');
  bob = await people.user('bob');
  org = await people.organization({ [ada]: 'admin', [bob]: 'member' });
  accounts = {
    ada: await account({ user_id: ada }, 'ada'),
    bob: await account({ user_id: bob }, 'bob'),
    org: await account({ organization_id: org }, 'acme'),
  };
});
beforeEach(() => {
  sent = [];
});
afterAll(async () => {
  await shop.close();
  provider.close();
});

async function account(owner: object, identifier: string): Promise<string> {
  const response = await shop.api('POST', '/connected_accounts', {
    connector: 'shop',
    identifier,
    ...owner,
    connected_account: {
      authorization_details: { static_auth: { details: { api_key: `key-of-${identifier}` } } },
    },
  });
  return ((await response.json()) as { connected_account: { id: string } }).connected_account.id;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const tokens = new Map<string, string>();

/** A token for the REST API, one for each person and organization. */
async function tokenOf(userId: string, options: SessionOptions = {}): Promise<string> {
  const key = JSON.stringify([userId, options]);
  const known = tokens.get(key);
  if (known !== undefined) return known;
  const { token } = await people.signIn(userId, { resource: `${shop.baseUrl}/api`, ...options });
  tokens.set(key, token);
  return token;
}

async function as(
  token: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${shop.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const API = '/api/v1';
const CA = `${API}/connected_accounts`;

async function state(): Promise<unknown> {
  const { db } = shop.services;
  const rows = await db.read.selectFrom('accounts').selectAll().orderBy('id').execute();
  return rows.map(({ id, status, generation, credentials_sealed }) => [
    id,
    status,
    generation,
    credentials_sealed,
  ]);
}

describe('token of a person: somebody else’s account', () => {
  const foreign: [string, (id: string) => [string, string, object?]][] = [
    ['details by id', (id) => ['GET', `${CA}/details?id=${id}`]],
    ['details by name', () => ['GET', `${CA}/details?connector=shop&identifier=bob&user_id=${bob}`]],
    ['update', (id) => ['PUT', CA, { id, connected_account: { api_config: { x: 1 } } }]],
    [
      'update by name',
      () => ['PUT', CA, { connector: 'shop', identifier: 'bob', user_id: bob, connected_account: {} }],
    ],
    ['delete', (id) => ['POST', `${CA}:delete`, { id }]],
    [
      'delete by name',
      () => ['POST', `${CA}:delete`, { connector: 'shop', identifier: 'bob', user_id: bob }],
    ],
    ['disconnect', (id) => ['POST', `${CA}/${id}:disconnect`]],
    ['refresh', (id) => ['POST', `${CA}/${id}:refresh`]],
    ['events', (id) => ['GET', `${CA}/${id}/events`]],
    ['a link', (id) => ['POST', `${CA}/magic_link`, { id }]],
    ['executions', (id) => ['GET', `${API}/executions?connected_account_id=${id}`]],
    [
      'a tool by id',
      (id) => ['POST', `${API}/execute_tool`, { tool_name: 'shop_list', connected_account_id: id }],
    ],
    ['a tool by user', () => ['POST', `${API}/execute_tool`, { tool_name: 'shop_list', user_id: bob }]],
    [
      'a tool by name',
      () => ['POST', `${API}/execute_tool`, { tool_name: 'shop_list', identifier: 'bob', user_id: bob }],
    ],
    [
      'a tool run dry',
      (id) => [
        'POST',
        `${API}/execute_tool`,
        { tool_name: 'shop_list', connected_account_id: id, dry_run: true },
      ],
    ],
  ];

  it.each(foreign)("answers 404 for somebody else's account: %s", async (_what, make) => {
    const token = await tokenOf(ada);
    const before = await state();
    for (const id of [accounts.bob, accounts.org]) {
      const answer = await as(token, ...make(id));
      const absent = await as(token, ...make('ca_00000000000000000000000000'));
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(absent.body);
    }
    expect(await state()).toEqual(before);
    expect(sent).toEqual([]);
  });

  it('makes their own account for somebody who never connected, with a link to confirm by signing in', async () => {
    const token = await tokenOf(await people.user('newcomer'));
    const call = { tool_name: 'shop_list' };
    const link = { user_verify_url: 'https://own.example/back' };
    expect(await as(token, 'POST', `${API}/execute_tool`, { ...call, link })).toMatchObject({
      status: 400,
      body: { details: [{ field_violations: [{ field: 'link.user_verify_url', constraint: 'forbidden' }] }] },
    });
    const refused = await as(token, 'POST', `${API}/execute_tool`, call);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: [{ status: 'NOT_CONNECTED', authorization_link: expect.stringContaining('/connect/') }],
      },
    });
    const rows = await shop.services.db.read
      .selectFrom('links')
      .select('verification')
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    expect(rows).toEqual([{ verification: 'signed_in' }]);
    const [{ connected_account_id: id } = {}] = refused.body['details'] as {
      connected_account_id?: string;
    }[];
    expect((await as(token, 'POST', `${CA}:delete`, { id })).status).toBe(200);
  });

  it.each([
    ['by id', () => ({ 'connected-account-id': accounts.bob })],
    ['by user', () => ({ 'connection-name': 'shop', 'user-id': bob })],
    ['by name', () => ({ 'connection-name': 'shop', identifier: 'bob', 'user-id': bob })],
    ['by organization', () => ({ 'connection-name': 'shop', 'organization-id': org })],
  ])("sends no proxied request for somebody else's account: %s", async (_how, headers) => {
    expect((await as(await tokenOf(ada), 'GET', '/proxy/entries', undefined, headers())).status).toBe(404);
    expect(sent).toEqual([]);
  });

  it('refuses to create an account for somebody else', async () => {
    const token = await tokenOf(ada);
    for (const owner of [{ user_id: bob }, { organization_id: org }]) {
      const body = { connector: 'shop', identifier: 'planted', ...owner };
      expect((await as(token, 'POST', CA, body)).status).toBe(403);
      expect((await as(token, 'POST', `${CA}/magic_link`, body)).status).toBe(403);
    }
    expect(await shop.services.db.read.selectFrom('accounts').selectAll().execute()).toHaveLength(3);
  });
});

describe('token of a person: lists', () => {
  const idsOf = ({ body }: Answer) =>
    (body.connected_accounts as { id: string }[] | undefined)?.map(({ id }) => id);

  it('lists the person’s own accounts, and no filter widens the list', async () => {
    const token = await tokenOf(ada);
    const own = await as(token, 'GET', CA);
    expect(idsOf(own)).toEqual([accounts.ada]);
    expect(own.body).toMatchObject({ total_size: 1 });
    expect(idsOf(await as(token, 'GET', `${CA}?user_id=${ada}&connector=shop`))).toEqual([accounts.ada]);
    expect(idsOf(await as(token, 'GET', `${CA}:search?query=a`))).toEqual([accounts.ada]);
    for (const filter of [`user_id=${bob}`, `organization_id=${org}`, 'identifier=bob'])
      expect((await as(token, 'GET', `${CA}?${filter}`)).body).toMatchObject({
        connected_accounts: [],
        total_size: 0,
      });
  });

  it('refuses a page token of somebody else', async () => {
    await account({ user_id: bob }, 'bob-2');
    const first = await as(await tokenOf(bob), 'GET', `${CA}?page_size=1`);
    const page = String(first.body.next_page_token);
    expect(page).not.toBe('');
    expect((await as(await tokenOf(ada), 'GET', `${CA}?page_size=1&page_token=${page}`)).status).toBe(400);
    await shop.api('POST', '/connected_accounts:delete', {
      connector: 'shop',
      identifier: 'bob-2',
      user_id: bob,
    });
  });

  it('lists executions on the person’s own accounts only', async () => {
    for (const [user, id] of [
      [ada, accounts.ada],
      [bob, accounts.bob],
    ] as const)
      await as(await tokenOf(user), 'POST', `${API}/execute_tool`, {
        tool_name: 'shop_list',
        connected_account_id: id,
      });
    const { body } = await as(await tokenOf(ada), 'GET', `${API}/executions`);
    expect(body).toMatchObject({ executions: [{ connected_account_id: accounts.ada }], total_size: 1 });
  });

  it('lists tools by what the person’s own accounts make ready', async () => {
    const { body } = await as(await tokenOf(ada), 'GET', `${API}/tools/scoped?connector=shop`);
    expect(body).toMatchObject({ tools: [{ account: { id: accounts.ada }, status: 'ready' }, {}] });
    const other = await as(await tokenOf(ada), 'GET', `${API}/tools/scoped?connector=shop&user_id=${bob}`);
    expect(other.body).toMatchObject({ tools: [{ account: null, status: 'needs_connection' }, {}] });
  });
});

describe('token of a person: own account', () => {
  it('uses the account without a name for its owner', async () => {
    const token = await tokenOf(ada);
    const done = await as(token, 'POST', `${API}/execute_tool`, { tool_name: 'shop_list' });
    expect(done).toMatchObject({ status: 200, body: { data: { asked_with: 'ada' } } });
    const proxied = await as(token, 'GET', '/proxy/entries', undefined, { 'connection-name': 'shop' });
    expect(proxied).toMatchObject({ status: 200, body: { asked_with: 'ada' } });
  });

  it('creates, shows, links, disconnects and deletes the account, with the person in its history', async () => {
    const token = await tokenOf(ada);
    const made = await as(token, 'POST', CA, { connector: 'stall', identifier: 'mine' });
    expect(made).toMatchObject({
      status: 201,
      body: { connected_account: { user_id: ada, organization_id: '' } },
    });
    const { id } = made.body.connected_account as { id: string };
    expect((await as(token, 'GET', `${CA}/details?connector=stall&identifier=mine`)).status).toBe(200);
    expect(
      (await as(token, 'POST', `${CA}/magic_link`, { connector: 'stall', identifier: 'mine' })).status,
    ).toBe(200);
    const details = { authorization_details: { static_auth: { details: { api_key: 'key-of-ada' } } } };
    expect((await as(token, 'PUT', CA, { id, connected_account: details })).status).toBe(200);
    expect((await as(token, 'POST', `${CA}/${id}:disconnect`)).status).toBe(200);
    const { body } = await as(token, 'GET', `${CA}/${id}/events`);
    expect((body.events as { actor: string }[]).map(({ actor }) => actor)).toEqual([ada, ada, ada]);
    expect((await as(token, 'POST', `${CA}:delete`, { connector: 'stall', identifier: 'mine' })).status).toBe(
      200,
    );
  });
});

describe('token of a person: accounts of an organization', () => {
  const header = (id: string) => ({ 'gatehouse-organization-id': id });
  const list = async (token: string, headers: Record<string, string>) =>
    as(token, 'GET', CA, undefined, headers);

  it('gives an admin the accounts of the organization by the header, instead of personal ones', async () => {
    const token = await tokenOf(ada, { kind: 'api', organizationId: org });
    expect((await list(token, header(org))).body).toMatchObject({
      connected_accounts: [{ id: accounts.org }],
      total_size: 1,
    });
    const own = await as(token, 'GET', `${CA}/details?id=${accounts.ada}`, undefined, header(org));
    expect(own.status).toBe(404);
    const run = await as(token, 'POST', `${API}/execute_tool`, { tool_name: 'shop_list' }, header(org));
    expect(run).toMatchObject({ status: 200, body: { data: { asked_with: 'acme' } } });
    const proxied = await as(token, 'GET', '/proxy/entries', undefined, {
      ...header(org),
      'connection-name': 'shop',
    });
    expect(proxied).toMatchObject({ status: 200, body: { asked_with: 'acme' } });
  });

  it('hides the accounts of the organization without the header', async () => {
    const token = await tokenOf(ada, { kind: 'api', organizationId: org });
    expect((await list(token, {})).body).toMatchObject({ connected_accounts: [{ id: accounts.ada }] });
    expect((await as(token, 'GET', `${CA}/details?id=${accounts.org}`)).status).toBe(404);
  });

  it('refuses members, other sessions and other organizations', async () => {
    const elsewhere = await people.organization({ [bob]: 'owner' });
    const refused: [string, string][] = [
      [await tokenOf(bob, { kind: 'api', organizationId: org }), org],
      [await tokenOf(ada), org],
      [await tokenOf(ada, { kind: 'api', organizationId: org }), elsewhere],
      [await tokenOf(ada, { kind: 'api', organizationId: org }), ''],
      [await tokenOf(ada, { kind: 'api', organizationId: org }), `${org}, ${org}`],
    ];
    for (const [token, organization] of refused) {
      expect((await list(token, header(organization))).status).toBe(403);
      const headers = { ...header(organization), 'connection-name': 'shop' };
      expect((await as(token, 'GET', '/proxy/entries', undefined, headers)).status).toBe(403);
    }
    expect(sent).toEqual([]);
  });
});

describe('token of a person: routes for applications', () => {
  it.each<[string, string, object?]>([
    ['GET', `${CA}/auth?id=ca_1`],
    ['GET', `${API}/connections`],
    ['POST', `${API}/connections`, {}],
    ['GET', `${API}/credentials`],
    ['POST', `${API}/credentials`, {}],
    ['GET', `${API}/webhooks`],
    ['GET', `${API}/interceptors`],
    ['GET', `${API}/audit`],
    ['GET', `${API}/signing_secret`],
    ['GET', `${API}/mcp_servers`],
    ['GET', `${API}/upstreams`],
    ['POST', `${API}/upstreams`, {}],
    ['POST', `${API}/mcp_servers/desk/tokens`, { user_id: 'x' }],
    ['POST', `${CA}/user/verify`, { auth_request_id: 'a'.repeat(43), identifier: 'ada' }],
  ])('answers 403 to a person at %s %s', async (method, path, body) => {
    const scopes = ['admin', 'accounts:credentials', 'accounts:read', 'accounts:write', 'tools:execute'];
    expect((await as(await tokenOf(ada, { scopes }), method, path, body)).status).toBe(403);
  });
});

describe('token of a person over MCP', () => {
  const call = async (token: string, headers: Record<string, string> = {}) =>
    modern(
      `${shop.baseUrl}/mcp`,
      'tools/call',
      { name: 'shop_list', arguments: {} },
      {
        headers: { authorization: `Bearer ${token}`, ...headers },
      },
    );
  const mcp = async (userId: string, options: SessionOptions = {}) => {
    const resource = `${shop.baseUrl}/mcp`;
    return tokenOf(userId, { resource, ...options });
  };

  it('uses the person’s own account, named or not', async () => {
    const token = await mcp(ada);
    for (const headers of [{}, { 'gatehouse-user-id': ada }] as Record<string, string>[]) {
      const { body } = await call(token, headers);
      expect(JSON.parse(textOf(body))).toEqual({ asked_with: 'ada' });
      expect(resultOf(body)._meta).toMatchObject({ 'gatehouse/account': { id: accounts.ada } });
    }
  });

  it('uses the organization’s account for its admin, by the header', async () => {
    const { body } = await call(await mcp(ada, { kind: 'api', organizationId: org }), {
      'gatehouse-organization-id': org,
    });
    expect(JSON.parse(textOf(body))).toEqual({ asked_with: 'acme' });
  });

  it('refuses headers that name another owner', async () => {
    const refused: [string, Record<string, string>][] = [
      [await mcp(ada), { 'gatehouse-user-id': bob }],
      [await mcp(ada), { 'gatehouse-organization-id': org }],
      [await mcp(bob, { organizationId: org }), { 'gatehouse-organization-id': org }],
    ];
    for (const [token, headers] of refused) expect((await call(token, headers)).status).toBe(403);
    expect(sent).toEqual([]);
  });

  it('offers no name for the account of somebody else', async () => {
    const arguments_ = { account: 'bob' };
    const { body } = await modern(
      `${shop.baseUrl}/mcp`,
      'tools/call',
      { name: 'shop_list', arguments: arguments_ },
      { headers: { authorization: `Bearer ${await mcp(ada)}` } },
    );
    expect(resultOf(body).isError).toBe(true);
    expect(sent).toEqual([]);
  });
});
