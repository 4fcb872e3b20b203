/**
 * What the token of an app reaches of an organization, over REST, proxy and MCP of a whole server: nothing, unless the
 * person allowed it on the consent page, and never what only an owner may do.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashSecret, newSecret } from '../../../src/core/ids.ts';
import type { SessionKind } from '../../../src/core/stored-words.ts';
import { CALLBACK, CHALLENGE, VERIFIER } from '../../authorization-server/people-support.ts';
import { ScriptedBrowser } from '../../authorization-server/scripted-browser.ts';
import { modern } from '../../mcp/fixtures.ts';
import { resultOf, textOf } from '../../mcp/messages.ts';
import { peopleOf, type People } from '../../support/people.ts';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';

let provider: Server;
let shop: ShopServer;
let people: People;
let olga: string;
let mike: string;
let org: string;
let machine: string;
let sent: string[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    sent.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  shop = await startShopServer({ hosts: { main: origin, files: origin } });
  const { services } = shop;
  people = peopleOf(services, services.environments.byName('development').id);
  olga = await people.user('olga');
  mike = await people.user('mike');
  org = await people.organization({ [olga]: 'owner', [mike]: 'member' });
  const details = { authorization_details: { static_auth: { details: { api_key: 'key-of-acme' } } } };
  await shop.api('POST', '/connected_accounts', {
    connector: 'shop',
    identifier: 'acme',
    organization_id: org,
    connected_account: details,
  });
});
beforeAll(async () => {
  const body = { name: 'administration', scopes: ['admin'] };
  const made = await shop.api('POST', '/credentials', body);
  machine = ((await made.json()) as { credential: { id: string } }).credential.id;
});
beforeEach(() => {
  sent = [];
});
afterAll(async () => {
  await shop.close();
  provider.close();
});

const OWN = ['tools:execute', 'accounts:read', 'accounts:write'];
const READING = [...OWN, 'organization:read'];
const WRITING = [...OWN, 'organization:write'];

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** A token of the owner of the organization, for the API; of an app by default. */
async function tokenWith(scopes: readonly string[], more: { kind?: SessionKind; path?: string } = {}) {
  const { kind = 'client', path = '/api' } = more;
  const resource = `${shop.baseUrl}${path}`;
  return (await people.signIn(olga, { resource, organizationId: org, scopes, kind })).token;
}

async function as(token: string, [method, path, body, headers = {}]: Request): Promise<Answer> {
  const response = await fetch(`${shop.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { status, headers: given } = response;
  return { status, headers: given, body: (await response.json()) as Answer['body'] };
}

type Request = [method: string, path: string, body?: object | undefined, headers?: Record<string, string>];

const API = '/api/v1';

/** The header that asks for the organization's accounts. */
const inOrg = () => ({ 'gatehouse-organization-id': org });

/** Requests that a token with the scope of this right, and the role of an owner, may send. */
const reads: [string, () => Request][] = [
  ['the list of accounts', () => ['GET', `${API}/connected_accounts`, undefined, inOrg()]],
  ['executions', () => ['GET', `${API}/executions`, undefined, inOrg()]],
  ['a tool that reads', () => ['POST', `${API}/execute_tool`, { tool_name: 'shop_list' }, inOrg()]],
  ['the organization', () => ['GET', `${API}/organizations/${org}`]],
  ['organizations', () => ['GET', `${API}/organizations`]],
  ['members', () => ['GET', `${API}/organizations/${org}/members`]],
  ['invitations', () => ['GET', `${API}/organizations/${org}/invitations`]],
];
const writes: [string, () => Request][] = [
  ['a tool that writes', () => ['POST', `${API}/execute_tool`, { tool_name: 'shop_add' }, inOrg()]],
  [
    'a writing tool run dry',
    () => ['POST', `${API}/execute_tool`, { tool_name: 'shop_add', dry_run: true }, inOrg()],
  ],
  [
    'a proxied request',
    () => ['GET', '/proxy/entries', undefined, { ...inOrg(), 'connection-name': 'shop' }],
  ],
  [
    'a new account',
    () => ['POST', `${API}/connected_accounts`, { connector: 'stall', identifier: newName() }, inOrg()],
  ],
  [
    'a link',
    () => [
      'POST',
      `${API}/connected_accounts/magic_link`,
      { connector: 'stall', identifier: newName() },
      inOrg(),
    ],
  ],
  [
    'an invitation',
    () => ['POST', `${API}/organizations/${org}/invitations`, { email: `${newName()}@example.test` }],
  ],
];

let names = 0;
function newName(): string {
  return `name-${(names += 1)}`;
}

async function stored(): Promise<unknown[]> {
  const { read } = shop.services.db;
  const tables = [
    'organizations',
    'memberships',
    'invitations',
    'organization_providers',
    'accounts',
    'users',
    'credentials',
    'credential_secrets',
  ] as const;
  return Promise.all(tables.map(async (table) => read.selectFrom(table).selectAll().orderBy('id').execute()));
}

describe('token of an app: organization without consent', () => {
  it.each([
    ...reads.map(([what, make]) => [what, 'organization:read', make] as const),
    ...writes.map(([what, make]) => [what, 'organization:write', make] as const),
  ])('refuses %s and names the scope %s', async (what, scope, make) => {
    const token = await tokenWith(OWN);
    const before = await stored();
    const { status, headers, body } = await as(token, make());
    // A header that asks for the organization is refused before the tool is known.
    const missing = /tool/.test(what) ? 'organization:read' : scope;
    expect([status, body.details]).toEqual([
      403,
      [{ error_code: 'PERMISSION_DENIED', required_scope: missing, required_scopes: [missing] }],
    ]);
    expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${missing}"`);
    expect([await stored(), sent]).toEqual([before, []]);
  });

  it('refuses the accounts over MCP, and asks for the scope together with that of every call', async () => {
    const token = await tokenWith(['tools:execute'], { path: '/mcp' });
    const { status, headers } = await fetchMcp(token, 'shop_list');
    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope"'),
    ]);
    expect(headers.get('www-authenticate')).toContain('scope="tools:execute organization:read"');
    expect(sent).toEqual([]);
  });

  it('leaves the person’s own accounts to the app', async () => {
    const token = await tokenWith(OWN);
    expect((await as(token, ['GET', `${API}/connected_accounts`])).status).toBe(200);
    const made = await as(token, [
      'POST',
      `${API}/connected_accounts`,
      { connector: 'stall', identifier: 'own' },
    ]);
    expect(made).toMatchObject({ status: 201, body: { connected_account: { user_id: olga } } });
  });
});

describe('token of an app: organization with consent to read', () => {
  it.each(reads)('allows the app %s', async (_what, make) => {
    expect((await as(await tokenWith(READING), make())).status).toBe(200);
  });

  it.each(writes)('refuses the app %s', async (_what, make) => {
    const token = await tokenWith(READING);
    const before = await stored();
    const { status, body } = await as(token, make());
    expect([status, body.details]).toMatchObject([403, [{ required_scopes: ['organization:write'] }]]);
    expect([await stored(), sent]).toEqual([before, []]);
  });

  it('uses tools that read over MCP, and no others', async () => {
    const token = await tokenWith(['tools:execute', 'organization:read'], { path: '/mcp' });
    expect(resultOf((await callMcp(token, 'shop_list')).body).isError).toBeUndefined();
    expect(sent).toEqual(['GET /api/entries']);
    const { body } = await callMcp(token, 'shop_add');
    expect(resultOf(body).isError).toBe(true);
    expect(textOf(body)).toContain('The person has not allowed this app the scope organization:write.');
    expect(sent).toEqual(['GET /api/entries']);
  });

  it('makes neither an account nor a link for the organization over REST', async () => {
    const before = await stored();
    const named = { tool_name: 'stall_list', identifier: newName() };
    const none: Request = ['POST', `${API}/execute_tool`, named, inOrg()];
    const { status, body } = await as(await tokenWith(READING), none);
    expect([status, body.details]).toMatchObject([403, [{ required_scopes: ['organization:write'] }]]);
    expect([await stored(), sent]).toEqual([before, []]);
  });

  it('makes neither an account nor a link for the organization over MCP', async () => {
    const before = await stored();
    const token = await tokenWith(['tools:execute', 'organization:read'], { path: '/mcp' });
    const text = textOf((await callMcp(token, 'stall_list')).body);
    expect(text).toContain('The person has not allowed this app the scope organization:write.');
    expect(text).not.toContain('/connect/');
    expect([await stored(), sent]).toEqual([before, []]);
  });

  it('gets no link for an account of the organization that is not connected', async () => {
    const made = { connector: 'stall', identifier: 'waiting', organization_id: org };
    await shop.api('POST', '/connected_accounts', made);
    const named = { tool_name: 'stall_list', identifier: 'waiting' };
    const asked: Request = ['POST', `${API}/execute_tool`, named, inOrg()];
    const { status, body } = await as(await tokenWith(READING), asked);
    expect([status, JSON.stringify(body).includes('/connect/')]).toEqual([400, false]);
    expect(body.message).toContain('organization:write');
    const links = await shop.services.db.read.selectFrom('links').selectAll().execute();
    expect(links.filter(({ created_by }) => created_by === olga)).toEqual([]);
  });

  it.each([
    ['tools without tools:execute', ['organization:write', 'accounts:read'], () => reads[2]?.[1]()],
    ['accounts without accounts:read', ['organization:write', 'tools:execute'], () => reads[0]?.[1]()],
  ])('refuses the app %s', async (_what, scopes, make) => {
    expect((await as(await tokenWith(scopes), make() ?? ['GET', '/'])).status).toBe(403);
  });

  it('ends with the role', async () => {
    const { token } = await people.signIn(mike, {
      resource: `${shop.baseUrl}/api`,
      organizationId: org,
      scopes: WRITING,
    });
    for (const [, make] of [...reads.slice(0, 3), ...writes]) {
      expect((await as(token, make())).status).toBe(403);
    }
  });
});

describe('token of an app: organization with consent to write', () => {
  it.each([...reads, ...writes])('allows the app %s', async (_what, make) => {
    expect([200, 201]).toContain((await as(await tokenWith(WRITING), make())).status);
  });

  it('removes a member below owner', async () => {
    const tom = await people.user('tom');
    await people.join(tom, org, 'admin');
    const path = `${API}/organizations/${org}/members/${tom}`;
    expect((await as(await tokenWith(WRITING), ['DELETE', path])).status).toBe(200);
  });
});

describe('token of an app: rights of an owner', () => {
  const taking: [string, () => Request][] = [
    ['the identity provider', () => ['GET', `${API}/organizations/${org}/provider`]],
    [
      'another identity provider',
      () => ['PUT', `${API}/organizations/${org}/provider`, { issuer: 'https://evil.test', client_id: 'x' }],
    ],
    ['no identity provider', () => ['DELETE', `${API}/organizations/${org}/provider`]],
    ['a role', () => ['PATCH', `${API}/organizations/${org}/members/${mike}`, { role: 'owner' }]],
    ['the end of an owner', () => ['DELETE', `${API}/organizations/${org}/members/${olga}`]],
    [
      'an owner by invitation',
      () => ['POST', `${API}/organizations/${org}/invitations`, { email: 'eve@evil.test', role: 'owner' }],
    ],
    [
      'an owner who is a new user',
      () => ['POST', `${API}/users`, { email: 'eve@evil.test', organization_id: org, role: 'owner' }],
    ],
    ['the address of a user', () => ['PATCH', `${API}/users/${olga}`, { email: 'eve@evil.test' }]],
    ['a user without binding', () => ['POST', `${API}/users/${olga}:unbind`]],
    ['a machine with admin', () => ['POST', `${API}/credentials`, { name: 'mine', scopes: ['admin'] }]],
    ['the secret of a machine with admin', () => ['POST', `${API}/credentials/${machine}:rotate`]],
    ['another name', () => ['PATCH', `${API}/organizations/${org}`, { name: 'Evil' }]],
    ['deletion', () => ['DELETE', `${API}/organizations/${org}`]],
  ];

  it.each(
    [OWN, READING, WRITING].flatMap((scopes) => taking.map(([what, make]) => [what, scopes, make] as const)),
  )('refuses %s with %j', async (_what, scopes, make) => {
    const token = await tokenWith(scopes);
    const before = await stored();
    expect((await as(token, make())).status).toBe(403);
    expect(await stored()).toEqual(before);
  });

  it.each(taking)('refuses %s to the app of an operator with the scope admin', async (_what, make) => {
    const root = await people.user(newName(), true);
    await people.join(root, org, 'owner');
    const scopes = [...WRITING, 'admin'];
    const resource = `${shop.baseUrl}/api`;
    const { token } = await people.signIn(root, { resource, organizationId: org, scopes });
    const before = await stored();
    expect((await as(token, make())).status).toBe(403);
    expect(await stored()).toEqual(before);
  });

  it('stays with a session that the operator’s application vouches for', async () => {
    const token = await tokenWith(OWN, { kind: 'api' });
    for (const [, make] of [...reads, ...writes])
      expect([200, 201]).toContain((await as(token, make())).status);
    const renamed = await as(token, ['PATCH', `${API}/organizations/${org}`, { name: 'Acme & Sons' }]);
    expect(renamed.status).toBe(200);
    const path = `${API}/organizations/${org}/members/${mike}`;
    expect((await as(token, ['PATCH', path, { role: 'admin' }])).status).toBe(200);
    expect((await as(token, ['PATCH', path, { role: 'member' }])).status).toBe(200);
  });
});

describe('OAuth authorization of an app by a person: app of a stranger', () => {
  it('cannot change the identity provider of an organization, whatever its page was allowed', async () => {
    const cookie = newSecret();
    const { sessionId } = await people.signIn(olga, { kind: 'browser', organizationId: org });
    await shop.services.db.transaction(async (tx) => {
      const set = { token_hash: hashSecret(cookie), client_id: '', resource: '' };
      await tx.updateTable('sessions').set(set).where('id', '=', sessionId).execute();
    });
    const browser = new ScriptedBrowser(shop.baseUrl);
    browser.setCookie('gatehouse_session', cookie);
    const registered = await fetch(`${shop.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const asked = {
      response_type: 'code',
      client_id,
      redirect_uri: CALLBACK,
      resource: `${shop.baseUrl}/api`,
    };
    for (const scope of [undefined, 'accounts:write', `organization:write ${OWN.join(' ')}`]) {
      const query = new URLSearchParams({
        ...asked,
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
        ...(scope !== undefined && { scope }),
      });
      const page = await browser.goTo(`/oauth/authorize?${query.toString()}`);
      const end = page.status === 0 ? page : await browser.submit(page, { answer: 'allow' });
      const answer = await fetch(`${shop.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id,
          redirect_uri: CALLBACK,
          code: new URL(end.url).searchParams.get('code') ?? '',
          code_verifier: VERIFIER,
        }),
      });
      const { access_token } = (await answer.json()) as { access_token: string };
      expect((await as(access_token, ['GET', `${API}/connected_accounts`])).status).toBe(200);
      const evil = { issuer: 'https://evil.test', client_id: 'x', domains: ['example.test'] };
      const path = `${API}/organizations/${org}/provider`;
      expect((await as(access_token, ['PUT', path, evil])).status).toBe(403);
    }
    expect(await shop.services.db.read.selectFrom('organization_providers').select('id').execute()).toEqual(
      [],
    );
  });
});

const callMcp = async (token: string, name: string) =>
  modern(
    `${shop.baseUrl}/mcp`,
    'tools/call',
    { name, arguments: {} },
    { headers: { authorization: `Bearer ${token}`, ...inOrg() } },
  );

/** The same as a bare request, for the headers of its refusal. */
const fetchMcp = async (token: string, name: string): Promise<Response> =>
  fetch(`${shop.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...inOrg(),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
