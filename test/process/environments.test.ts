/**
 * Two environments of one server, side by side: what is made in one does not exist in the other, on any route that
 * names something by its id.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/program.ts';
import { startNotesServer, type NotesServer } from '../upstream/notes-server.ts';

const HOSTS = { development: '', production: 'gate.example.test' };
type Name = keyof typeof HOSTS;

const CREDENTIALS: Record<Name, string> = {
  development: 'dev:secret-of-development-0123456789',
  production: 'prod:secret-of-production-0123456789',
};

interface Answer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
  json: () => Record<string, unknown>;
}

let folder: string;
let notes: NotesServer;
let server: ChildProcess;
let port: number;
const tokens: Record<Name, string> = { development: '', production: '' };

async function send(
  host: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const message = request({ host: '127.0.0.1', port, method, path, headers: { host, ...headers } });
  message.end(body);
  const [response] = (await once(message, 'response')) as [import('node:http').IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const json = () => JSON.parse(text) as Record<string, unknown>;
  return { status: response.statusCode ?? 0, text, headers: response.headers, json };
}

async function api(name: Name, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${tokens[name]}`, 'content-type': 'application/json' };
  return send(HOSTS[name], method, `/api/v1${path}`, {
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function made(name: Name, path: string, body: object, resource: string): Promise<string> {
  const answer = await api(name, 'POST', path, body);
  expect([answer.status, path]).toEqual([201, path]);
  return (answer.json()[resource] as { id: string }).id;
}

async function tokenFor(host: string, credential: string, scope?: string): Promise<Answer> {
  return send(host, 'POST', '/oauth/token', {
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
    }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(credential).toString('base64')}`,
    },
  });
}

beforeAll(async () => {
  notes = await startNotesServer('modern');
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-environments-'));
  const [devId, devSecret] = CREDENTIALS.development.split(':');
  const [prodId, prodSecret] = CREDENTIALS.production.split(':');
  const interceptor = (at: string) =>
    `  - {name: Rule, trigger_point: PRE_SIGNUP, endpoint: "https://hooks.example.test/${at}", fallback: allow, enabled: false}`;
  writeFileSync(
    join(folder, 'gatehouse.yaml'),
    [
      'data_dir: data',
      'port: 0',
      `outbound: {allow_private_hosts: ["${new URL(notes.url).host}"]}`,
      `client_id: ${devId}`,
      `client_secret: ${devSecret}`,
      'interceptors:',
      interceptor('development'),
      'environments:',
      '  - name: production',
      '    base_url: "https://gate.example.test"',
      `    client_id: ${prodId}`,
      `    client_secret: ${prodSecret}`,
      '    user_verification: app',
      '    user_verify_url: "https://app.example.test/verify"',
      '    interceptors:',
      `    ${interceptor('production')}`,
      '',
    ].join('\n'),
  );
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: folder,
  };
  server = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: folder, env });
  let errors = '';
  server.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ready = await new Promise<{ base_url: string }>((resolve, reject) => {
    createInterface({ input: server.stdout! }).once('line', (line) =>
      resolve(JSON.parse(line) as { base_url: string }),
    );
    server.once('exit', () => reject(new Error(errors)));
  });
  HOSTS.development = new URL(ready.base_url).host;
  port = Number(new URL(ready.base_url).port);
  for (const name of ['development', 'production'] as const) {
    const answer = await tokenFor(HOSTS[name], CREDENTIALS[name]);
    tokens[name] = String(answer.json()['access_token']);
  }
});

afterAll(async () => {
  server.kill();
  if (server.exitCode === null) await once(server, 'exit');
  await notes.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('two environments of one installation', () => {
  it('refuse a link that leads elsewhere than to the verify URL of the settings', async () => {
    const linkTo = async (url: string): Promise<Answer> =>
      api('production', 'POST', '/connected_accounts/magic_link', {
        connector: 'websearch',
        user_id: 'ada',
        user_verify_url: url,
      });
    const elsewhere = await linkTo('https://evil.example.test/verify');
    expect([elsewhere.status, elsewhere.text.includes('user_verify_urls')]).toEqual([400, true]);
    const beside = await linkTo('https://app.example.test/verify-not');
    expect([beside.status, beside.text.includes('user_verify_urls')]).toEqual([400, true]);
    const own = await linkTo('https://app.example.test/verify?step=2');
    expect([own.status, own.text.includes('user_verify_urls')]).toEqual([200, false]);
  });

  it.each([
    ['GET', '/healthz', 200],
    ['GET', '/dashboard', 303],
    ['GET', '/sign-in', 200],
    ['GET', '/connect/unknown', 404],
    ['GET', '/.well-known/oauth-authorization-server', 200],
    ['GET', '/oauth/authorize', 400],
    ['POST', '/oauth/token', 400],
    ['GET', '/api/v1/connections', 401],
    ['GET', '/api/v1/nothing-here', 404],
    ['POST', '/mcp', 401],
    ['GET', '/nothing-here', 404],
    ['TRACE', '/mcp', 405],
  ])('tell browsers to keep to https where the base URL has it: %s %s', async (method, path, status) => {
    const secure = await send(HOSTS.production, method, path);
    expect([secure.status, secure.headers['strict-transport-security']]).toEqual([
      status,
      'max-age=31536000',
    ]);
    const foreign = { origin: 'https://evil.example.test' };
    const refused = await send(HOSTS.production, method, path, { headers: foreign });
    expect(refused.headers['strict-transport-security']).toBe('max-age=31536000');
    const plain = await send(HOSTS.development, method, path);
    expect(plain.headers['strict-transport-security']).toBeUndefined();
  });

  it('make no API credential with scopes that the token of its maker lacks', async () => {
    const { production: credential } = CREDENTIALS;
    const narrow = await tokenFor(HOSTS.production, credential, 'admin tools:execute');
    const create = async (scopes: readonly string[]): Promise<Answer> =>
      send(HOSTS.production, 'POST', '/api/v1/credentials', {
        headers: {
          authorization: `Bearer ${String(narrow.json()['access_token'])}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name: 'reader', scopes }),
      });
    const more = await create(['tools:execute', 'accounts:credentials']);
    expect([more.status, more.text.includes('yours lacks accounts:credentials')]).toEqual([403, true]);
    expect(more.headers['www-authenticate']).toContain('scope="accounts:credentials"');
    expect((await create(['tools:execute'])).status).toBe(201);
  });

  it('have different addresses and issuers', async () => {
    const metadata = await send(HOSTS.production, 'GET', '/.well-known/oauth-authorization-server');
    expect(metadata.json()).toMatchObject({
      issuer: 'https://gate.example.test',
      token_endpoint: 'https://gate.example.test/oauth/token',
    });
    const resource = await send(HOSTS.production, 'GET', '/.well-known/oauth-protected-resource/mcp');
    expect(resource.json()).toMatchObject({ resource: 'https://gate.example.test/mcp' });
    const unknown = await send('other.example.test', 'GET', '/.well-known/oauth-authorization-server');
    expect([unknown.status, unknown.text.includes('WRONG_HOST')]).toEqual([403, true]);
  });

  it('accept only their own clients and tokens', async () => {
    const foreign = await tokenFor(HOSTS.production, CREDENTIALS.development);
    expect([foreign.status, foreign.json()['error']]).toEqual([401, 'invalid_client']);
    const headers = { authorization: `Bearer ${tokens.development}` };
    for (const path of ['/api/v1/connections', '/api/v1/audit', '/proxy/search', '/mcp']) {
      const answer = await send(HOSTS.production, 'GET', path, { headers });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  it('have different signing secrets', async () => {
    const secrets = await Promise.all(
      (['development', 'production'] as const).map(
        async (name) => (await api(name, 'GET', '/signing_secret')).json()['secret'],
      ),
    );
    expect(secrets[0]).toMatch(/^whsec_/);
    expect(secrets[0]).not.toBe(secrets[1]);
  });

  it('have the interceptors that the settings declare for each', async () => {
    for (const name of ['development', 'production'] as const) {
      const { interceptors } = (await api(name, 'GET', '/interceptors')).json() as {
        interceptors: { endpoint: string }[];
      };
      expect(interceptors.map(({ endpoint }) => endpoint)).toEqual([`https://hooks.example.test/${name}`]);
    }
  });

  it('use their own verification modes: the link of each leads to its own address', async () => {
    const link = async (name: Name) => {
      const answer = await api(name, 'POST', '/connected_accounts/magic_link', {
        connector: 'websearch',
        identifier: 'ada',
        user_id: 'ada',
      });
      return String(answer.json()['link']);
    };
    expect(await link('production')).toMatch(/^https:\/\/gate\.example\.test\/connect\//);
    const [, token] = (await link('development')).split('/connect/');
    const page = await send(HOSTS.production, 'GET', `/connect/${token}`);
    expect(page.status).toBe(404);
  });
});

/** One of everything that has an id, made in development: by the beginning of its routes. */
async function everything(): Promise<Record<string, string>> {
  const name = 'development';
  const organization = await made(
    name,
    '/organizations',
    { name: 'Acme', user: { email: 'owner@acme.test' } },
    'organization',
  );
  const user = await made(name, '/users', { email: 'ada@acme.test' }, 'user');
  return {
    '/connected_accounts': await made(
      name,
      '/connected_accounts',
      { connector: 'websearch', identifier: 'someone', user_id: 'someone' },
      'connected_account',
    ),
    '/connections': await made(
      name,
      '/connections',
      { name: 'second', connector: 'websearch' },
      'connection',
    ),
    '/credentials': await made(
      name,
      '/credentials',
      { name: 'reader', scopes: ['accounts:read'] },
      'credential',
    ),
    '/webhooks': await made(
      name,
      '/webhooks',
      {
        name: 'ops',
        url: 'https://hooks.example.test/a',
        events: ['connected_account.created'],
        enabled: false,
      },
      'webhook',
    ),
    '/interceptors': await made(
      name,
      '/interceptors',
      {
        name: 'Second',
        trigger_point: 'PRE_SIGNUP',
        endpoint: 'https://hooks.example.test/b',
        fallback: 'allow',
      },
      'interceptor',
    ),
    '/mcp_servers': await made(
      name,
      '/mcp_servers',
      { name: 'desk', connections: ['websearch'] },
      'mcp_server',
    ),
    '/organizations': organization,
    '/users': user,
    '/sessions': await made(name, '/sessions', { user_id: user }, 'session'),
    '/executions': await recorded(),
    '/upstreams': await addedServer(),
  };
}

/** The name of a remote MCP server that was added in development. */
async function addedServer(): Promise<string> {
  const server = { name: 'memos', url: notes.url, auth: 'bearer', confirm: true };
  const answer = await api('development', 'POST', '/upstreams', server);
  return (answer.json()['upstream'] as { name: string }).name;
}

/** The id of a call that was recorded in development. */
async function recorded(): Promise<string> {
  const call = { tool_name: 'websearch_search', tool_input: { query: 'tides' }, user_id: 'someone' };
  expect((await api('development', 'POST', '/execute_tool', call)).status).toBe(400);
  const newest = async () => {
    const { executions } = (await api('development', 'GET', '/executions')).json() as {
      executions: { execution_id: string }[];
    };
    return executions[0]?.execution_id;
  };
  await expect.poll(newest).toMatch(/^exe_/);
  return String(await newest());
}

/** A body that the route takes, so that the answer is about the id. */
const BODIES: Readonly<Record<string, object>> = {
  'post /upstreams/{name}:approve': { tools: [{ tool: 'search-notes', hash: 'a'.repeat(64) }] },
  'post /upstreams/{name}:accept': { issuer: 'https://id.example', origins: ['https://id.example'] },
  'post /mcp_servers/{id}/tokens': { user_id: 'ada' },
  'post /organizations/{id}/invitations': { email: 'eve@acme.test' },
  'patch /organizations/{id}': { name: 'Other' },
  'patch /organizations/{id}/members/{user_id}': { role: 'member' },
  'post /webhooks/{id}:redeliver': { status: 'failed' },
  'put /organizations/{id}/provider': {
    issuer: 'https://id.example.test',
    client_id: 'gatehouse',
    domains: ['acme.test'],
  },
};

/** Names that every environment has, and no ids. */
const SHARED = new Set(['get /tools/{name}', 'get /connectors/{name}']);

/** Rows of one environment that come about by themselves; their ids are looked up in it alone, as the others are. */
const WITHOUT_ROW = new Set(['post /webhooks/deliveries/{id}:redeliver']);

describe('environment of a route with an id', () => {
  it('answers in the other environment as if the resource did not exist, and changes nothing', async () => {
    const ids = await everything();
    const { paths } = (await send(HOSTS.development, 'GET', '/openapi.json')).json() as {
      paths: Record<string, Record<string, unknown>>;
    };
    const before = await Promise.all(
      Object.keys(ids).map(async (path) => (await api('development', 'GET', path)).text),
    );
    const routes = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/v1') && path.includes('{'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path: path.slice(7) })))
      .filter(
        ({ method, path }) => !SHARED.has(`${method} ${path}`) && !WITHOUT_ROW.has(`${method} ${path}`),
      );
    expect(routes.length).toBeGreaterThan(30);
    for (const { method, path } of routes) {
      const id = ids[path.slice(0, path.indexOf('/', 1))];
      expect([path, id]).toEqual([path, expect.any(String)]);
      const target = path.replace(/\{(id|name)\}/, String(id)).replace(/\{\w+\}/, ids['/users'] ?? '');
      const hasBody = ['post', 'patch', 'put'].includes(method) && !path.includes('}:');
      const body = BODIES[`${method} ${path}`] ?? (hasBody ? {} : undefined);
      const answer = await api('production', method.toUpperCase(), target, body);
      expect([method, path, answer.status, answer.text.includes('RESOURCE_NOT_FOUND')]).toEqual([
        method,
        path,
        404,
        true,
      ]);
    }
    const after = await Promise.all(
      Object.keys(ids).map(async (path) => (await api('development', 'GET', path)).text),
    );
    expect(after).toEqual(before);
  });

  it('lists nothing of the other environment', async () => {
    const lists = [
      '/connected_accounts',
      '/credentials',
      '/webhooks',
      '/mcp_servers',
      '/organizations',
      '/users',
      '/sessions',
    ];
    for (const path of lists) {
      const here = (await api('development', 'GET', path)).json();
      const there = (await api('production', 'GET', path)).text;
      const rows = Object.values(here).find(Array.isArray) as { id: string }[];
      expect([path, rows.length > 0]).toEqual([path, true]);
      for (const { id } of rows) expect(there).not.toContain(id);
    }
  });
});
