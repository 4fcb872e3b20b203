/** The same user in two environments of one server: over REST, MCP, raw requests and pages nothing of one is there in the other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/program.ts';

type Name = 'development' | 'production';
const NAMES: readonly Name[] = ['development', 'production'];
const SECRET = 'a-secret-of-the-test-that-is-long-enough-0123456789';
const OTHER: Record<Name, Name> = { development: 'production', production: 'development' };

interface Answer {
  status: number;
  body: string;
}

/** What one environment has. */
interface Side {
  host: string;
  token: string;
  accountId: string;
  /** Paths of pages that are its own. */
  pages: string[];
}

const sides: Record<Name, Side> = {
  development: { host: '', token: '', accountId: '', pages: [] },
  production: { host: 'gate.example.test', token: '', accountId: '', pages: [] },
};
let folder: string;
let server: ChildProcess;
let provider: Server;
let port: number;
let asked = 0;

async function send(name: Name, method: string, path: string, headers: object, body = ''): Promise<Answer> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { host: sides[name].host, ...headers },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

const withToken = (name: Name, headers: object = {}): object => ({
  authorization: `Bearer ${sides[name].token}`,
  'content-type': 'application/json',
  ...headers,
});

async function api(name: Name, method: string, path: string, body: object): Promise<Answer> {
  return send(name, method, `/api/v1${path}`, withToken(name), JSON.stringify(body));
}

async function made<T>(name: Name, path: string, body: object): Promise<T> {
  const answer = await api(name, 'POST', path, body);
  expect([path, answer.status >= 200 && answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return JSON.parse(answer.body) as T;
}

async function search(name: Name, headers: object, args: object = {}): Promise<string> {
  const params = { name: 'websearch_search', arguments: { query: 'cats', ...args } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  const all = withToken(name, { ...accept, ...headers });
  return (await send(name, 'POST', '/mcp', all, JSON.stringify(message))).body;
}

async function set(name: Name, providerUrl: string): Promise<void> {
  const form = `grant_type=client_credentials&client_id=${name}&client_secret=${SECRET}`;
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const issued = await send(name, 'POST', '/oauth/token', type, form);
  const side = sides[name];
  side.token = (JSON.parse(issued.body) as { access_token: string }).access_token;
  await api(name, 'PATCH', '/connections/websearch', { overrides: { base_url: providerUrl } });
  const { connected_account } = await made<{ connected_account: { id: string } }>(
    name,
    '/connected_accounts',
    {
      connector: 'websearch',
      identifier: `ada-of-${name}`,
      user_id: 'ada',
      connected_account: { authorization_details: { static_auth: { details: { api_key: `key-${name}` } } } },
    },
  );
  side.accountId = connected_account.id;
  const { link } = await made<{ link: string }>(name, '/connected_accounts/magic_link', {
    connector: 'websearch',
    identifier: 'eve',
    user_id: 'eve',
  });
  const { organization } = await made<{ organization: { id: string } }>(name, '/organizations', {
    name: 'Acme',
    user: { email: 'owner@acme.test' },
  });
  const { invitation } = await made<{ invitation: { link: string } }>(
    name,
    `/organizations/${organization.id}/invitations`,
    { email: 'bob@acme.test' },
  );
  side.pages = [link, invitation.link].map((url) => new URL(url).pathname);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-crossing-'));
  provider = createServer((incoming, response) => {
    asked += 1;
    const who = String(incoming.headers['x-api-key']).replace('key-', 'answer for ');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ results: [{ id: '1', url: 'https://example.test', title: who }] }));
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const settings = {
    data_dir: 'data',
    port: 0,
    client_id: 'development',
    client_secret: SECRET,
    outbound: { allow_private_hosts: [address] },
    environments: [
      {
        name: 'production',
        base_url: 'https://gate.example.test',
        client_id: 'production',
        client_secret: SECRET,
        user_verification: 'app',
        user_verify_url: 'https://app.example.test/verify',
      },
    ],
  };
  writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify(settings));
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: folder,
  };
  server = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: folder, env });
  let errors = '';
  server.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [line] = (await Promise.race([
    once(createInterface({ input: server.stdout! }), 'line'),
    once(server, 'exit').then(() => Promise.reject(new Error(errors))),
  ])) as [string];
  sides.development.host = new URL((JSON.parse(line) as { base_url: string }).base_url).host;
  port = Number(sides.development.host.split(':')[1]);
  for (const name of NAMES) await set(name, `http://${address}`);
});

afterAll(async () => {
  server.kill();
  if (server.exitCode === null) await once(server, 'exit');
  provider.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(NAMES)('environment of a user: %s', (name) => {
  const foreign = OTHER[name];

  it('uses the account of that environment, over REST, MCP and raw requests', async () => {
    const call = { tool_name: 'websearch_search', tool_input: { query: 'cats' }, user_id: 'ada' };
    const proxied = await send(name, 'GET', '/proxy/websets/v0/websets', {
      ...withToken(name),
      'connection-name': 'websearch',
      'user-id': 'ada',
    });
    for (const body of [
      (await api(name, 'POST', '/execute_tool', call)).body,
      await search(name, { 'gatehouse-user-id': 'ada' }),
      proxied.body,
    ]) {
      expect(body).toContain(`answer for ${name}`);
      expect(body).not.toContain(`answer for ${foreign}`);
    }
  });

  it('cannot name the account of the other environment, and no provider is asked', async () => {
    const before = asked;
    const id = sides[foreign].accountId;
    const call = { tool_name: 'websearch_search', tool_input: { query: 'cats' }, connected_account_id: id };
    const executed = await api(name, 'POST', '/execute_tool', call);
    const proxied = await send(name, 'GET', '/proxy/websets/v0/websets', {
      ...withToken(name),
      'connected-account-id': id,
    });
    expect([executed.status, proxied.status]).toEqual([404, 404]);
    const named = await search(name, { 'gatehouse-user-id': 'ada' }, { account: `ada-of-${foreign}` });
    expect(named).toContain('"isError":true');
    expect(asked).toBe(before);
  });

  it('serves its pages in that environment only', async () => {
    for (const path of sides[name].pages) {
      const [here, there] = [await send(name, 'GET', path, {}), await send(foreign, 'GET', path, {})];
      expect([path, here.status, there.status]).toEqual([path, 200, 404]);
    }
  });

  it('refuses its token in the other environment', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/connected_accounts'],
      ['POST', '/mcp'],
      ['GET', '/proxy/websets/v0/websets'],
    ] as const) {
      const answer = await send(foreign, method, path, { ...withToken(name), 'user-id': 'ada' });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });
});
