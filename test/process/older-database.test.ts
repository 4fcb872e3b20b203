/**
 * What an operator has from version 0.1.0 keeps working: its settings, its database, its key and its backups. The
 * fixture was made with that version; its README says how.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_URL,
  FIRST_CREDENTIAL,
  KEYED,
  RunningFixture,
  tokenRequest,
} from '../fixtures/0.1.0/running.ts';
import { Browser, authRequestIn } from '../support/deployment/browser.ts';
import type { ApiAnswer, ServerProcess } from '../support/deployment/server-process.ts';

const FIXTURE = join(import.meta.dirname, '../fixtures/0.1.0');
const SHIFTED_CLOCK = new URL('children/moved-clock.ts', import.meta.url).href;

/** What version 0.1.0 knew and answered. */
interface Facts {
  /** When the fixture was finished. */
  made_at: string;
  secrets: {
    links: Record<string, string>;
    auth_requests: Record<string, string>;
    /** Where a browser with these cookies is on its way to, from a provider. */
    callback: string;
    cookies: Record<string, string>;
    credential: { client_id: string; client_secret: string };
    access_token: string;
    refresh_token: string;
    invitation: string;
    registered_client: string;
  };
  keys: object;
  /** Answers of the REST API, by path. */
  answers: Record<string, Record<string, unknown>>;
}

const facts = JSON.parse(withoutPorts(readFileSync(join(FIXTURE, 'facts.json'), 'utf8'))) as Facts;
const { secrets } = facts;

/** The provider of every run listens on a port of its own. */
function withoutPorts(text: string): string {
  return text.replaceAll(/(http:\/\/127\.0\.0\.1):(?!39080)\d+/g, '$1');
}

/** A folder with the settings and the key of version 0.1.0, where it is a minute after the fixture was made. */
async function openFixture(): Promise<RunningFixture> {
  const fixture = await RunningFixture.open({
    NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
    DATE_OFFSET_MS: String(Date.parse(facts.made_at) + 60_000 - Date.now()),
  });
  mkdirSync(join(fixture.dir, 'data'), { mode: 0o700 });
  copyFileSync(join(FIXTURE, 'master.key'), join(fixture.dir, 'data/master.key'));
  chmodSync(join(fixture.dir, 'data/master.key'), 0o600);
  return fixture;
}

function unpack(name: string, to: string): void {
  writeFileSync(to, gunzipSync(readFileSync(join(FIXTURE, `${name}.gz`))), { mode: 0o600 });
}

async function call(server: ServerProcess, connector: string, user: string): Promise<ApiAnswer> {
  const body = { tool_name: 'ledger_list', connector, identifier: user, user_id: user };
  return server.api('POST', '/execute_tool', body);
}

/** Ids, connections, identifiers and statuses, newest first. */
const ACCOUNTS = [
  ['ca_01m837c39tdmnnjnkr2gz2cmwp', 'ledger_smart', 'sue', 'ACTIVE'],
  ['ca_01m837c396y6vds96mdqsb4dbz', 'ledger_board', 'liv', 'ACTIVE'],
  ['ca_01m837c38t3rsk5yk9jaz7wphn', 'ledger', 'gus', 'PENDING_AUTH'],
  ['ca_01m837c38gqm9mp0v9s5eev01d', 'ledger', 'cleo', 'ACTIVE'],
  ['ca_01m837c387s1zgwer7zkenj5wb', 'ledger', 'ben', 'PENDING_VERIFICATION'],
  ['ca_01m837c37tv0fxcg5x668h9kp9', 'ledger', 'fay', 'PENDING_AUTH'],
  ['ca_01m837c2tstfk99fm3aqczyfde', 'ledger_machine', 'mia', 'ACTIVE'],
  ['ca_01m837c2sjfw162ry36fxdne5s', 'ledger_role', 'tia', 'ACTIVE'],
  ['ca_01m837c2cf8beyntwe740kdcf9', 'ledger_workspace', 'wes', 'ACTIVE'],
  ['ca_01m837c226tdwjgtq0tvhnqkpr', 'search', 'sam', 'ACTIVE'],
  ['ca_01m837c21n562q4ka8k9cd9sk7', 'ledger_basic', 'bo', 'ACTIVE'],
  ['ca_01m837c1zq4x1tcvq25skm3f9j', 'ledger_key', 'kim', 'ACTIVE'],
  ['ca_01m837c1y7nacxbcb133xac3c9', 'ledger', 'dan', 'DISCONNECTED'],
  ['ca_01m837c1sfrze8yqcdf60t7xz5', 'ledger', 'eve', 'EXPIRED'],
  ['ca_01m837c1p3hfp7v6te4m2m58bk', 'ledger', 'ada', 'ACTIVE'],
];

async function accounts(server: ServerProcess): Promise<string[][]> {
  const { text } = await server.api('GET', '/connected_accounts');
  const { connected_accounts: list } = JSON.parse(text) as {
    connected_accounts: { id: string; connector: string; identifier: string; status: string }[];
  };
  return list.map(({ id, connector, identifier, status }) => [id, connector, identifier, status]);
}

describe('database of version 0.1.0', () => {
  let fixture: RunningFixture;
  let server: ServerProcess;

  beforeAll(async () => {
    fixture = await openFixture();
    unpack('gatehouse.db', join(fixture.dir, 'data/gatehouse.db'));
    server = await fixture.serve();
  });
  afterAll(() => fixture?.close());

  it('lists the same accounts', async () => {
    expect(await accounts(server)).toEqual(ACCOUNTS);
  });

  it('answers reads over REST as before', async () => {
    for (const [path, before] of Object.entries(facts.answers)) {
      const { status, text } = await server.api('GET', path);
      const after = JSON.parse(withoutPorts(text)) as object;
      expect.soft([path, status]).toEqual([path, 200]);
      expect.soft(after, path).toMatchObject(expectedOf(path, before));
    }
  });

  it.each([
    ['ledger_key', 'kim', 'kim'],
    ['ledger_basic', 'bo', 'bo'],
    ['ledger_machine', 'mia', 'the machine'],
    ['ledger', 'cleo', 'whoever consented'],
    ['ledger_board', 'liv', 'liv'],
    ['ledger_smart', 'sue', 'sue'],
  ])('calls a tool at %s for %s', async (connector, user, subject) => {
    expect((await call(server, connector, user)).body).toMatchObject({ data: { subject } });
  });

  it('refreshes with the stored refresh token, and calls a tool with the new access token', async () => {
    const before = fixture.ledger.at('/token').length;
    expect((await call(server, 'ledger', 'ada')).body.data?.subject).toBe('ada, renewed');
    const requests = fixture.ledger.at('/token').slice(before);
    expect(requests.map(({ form }) => form.get('refresh_token'))).toEqual(['fixture-refresh-of-ada']);
    expect(await server.credentialsOf('ada')).toMatchObject({
      access_token: 'fixture-access-renewed',
      refresh_token: 'fixture-refresh-renewed',
    });
  });

  it.each([
    ['wes', 'ledger_workspace', '/token', 'somebody of the workspace'],
    ['tia', 'ledger_role', '/sts', 'tia'],
  ])(
    'refreshes the token of %s with the sealed secret of a connection created over REST',
    async (user, name, path, subject) => {
      const { id, connection_id: connection } = accountOf(user);
      const overrides = { base_url: fixture.ledger.origin, token_url: `${fixture.ledger.origin}${path}` };
      expect((await server.api('PATCH', `/connections/${connection}`, { overrides })).status).toBe(200);
      const before = fixture.ledger.at(path).length;
      expect((await server.api('POST', `/connected_accounts/${id}:refresh`)).status).toBe(200);
      expect(fixture.ledger.at(path)).toHaveLength(before + 1);
      expect((await call(server, name, user)).body).toMatchObject({ data: { subject } });
    },
  );

  it('continues links, consents and verifications that were under way', async () => {
    const browser = new Browser({ baseUrl: BASE_URL, server, keep: () => {} });
    const fay = authRequestIn(await browser.connect(secrets.links['fay'] ?? ''));
    expect((await server.verify(fay, 'fay')).status).toBe(200);
    expect((await server.verify(secrets.auth_requests['ben'] ?? '', 'ben')).status).toBe(200);
    for (const [name, value] of Object.entries(secrets.cookies)) browser.cookies.set(name, value);
    // The flow is known, but the provider is at another address now, which must not be given its code.
    expect((await browser.get(secrets.callback)).status).toBe(503);
    const gus = authRequestIn(await browser.connect(secrets.links['gus'] ?? ''));
    expect((await server.verify(gus, 'gus')).status).toBe(200);
    for (const user of ['fay', 'ben', 'gus'])
      expect((await call(server, 'ledger', user)).body.data?.subject).toBe('whoever consented');
    expect((await browser.get(secrets.invitation)).text).toContain('Analytical Engines');
  });

  it('replays the stored outcome under an idempotency key, without another call', async () => {
    const answer = await server.api('POST', '/execute_tool', KEYED);
    expect(answer.body).toMatchObject({ data: { subject: 'kim', method: 'POST' } });
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(
      fixture.ledger.requests.filter(({ method, path }) => method === 'POST' && path === '/api/entries'),
    ).toEqual([]);
  });

  it('accepts the API credentials, tokens and clients that it issued', async () => {
    expect(await (await fetch(`${server.url}/keys`)).json()).toEqual(facts.keys);
    expect(await tokenRequest(server.url, secrets.credential)).toHaveProperty('access_token');
    const tools = await overMcp('/mcp', secrets.access_token, async (client) => client.listTools());
    expect(tools.tools.map(({ name }) => name)).toContain('ledger_list');
    const form = { grant_type: 'refresh_token', refresh_token: secrets.refresh_token };
    expect(await tokenRequest(server.url, FIRST_CREDENTIAL, form)).toHaveProperty('refresh_token');
    expect(await authorize(secrets.registered_client)).toContain('/sign-in');
    expect(await authorize('ghapp_unknown')).not.toContain('/sign-in');
  });

  it('serves its virtual MCP server', async () => {
    const made = await server.api('POST', '/mcp_servers/reading/tokens', { user_id: 'kim' });
    const { access_token: token } = JSON.parse(made.text) as { access_token: string };
    const result = await overMcp('/mcp/reading', token, async (client) =>
      client.callTool({ name: 'ledger_list', arguments: {} }),
    );
    expect(JSON.stringify(result)).toContain('kim');
  });

  it('contains nothing that its key does not open', async () => {
    expect(await fixture.gatehouse('keys', 'verify')).toMatchObject({ code: 0 });
  });

  async function overMcp<T>(path: string, token: string, ask: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}${path}`), { requestInit: { headers } }),
    );
    try {
      return await ask(client);
    } finally {
      await client.close();
    }
  }

  /** Where a client's authorization request leads; empty if it ends on a page. */
  async function authorize(clientId: string): Promise<string> {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:33418/callback',
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
    });
    const browser = new Browser({ baseUrl: BASE_URL, server, keep: () => {} });
    let page = await browser.get(`${BASE_URL}/oauth/authorize?${query.toString()}`);
    if (page.location !== '') page = await browser.get(new URL(page.location, BASE_URL).href);
    return page.location;
  }
});

describe('backup of version 0.1.0', () => {
  it('restores the database with every account', async () => {
    const fixture = await openFixture();
    try {
      unpack('backup.db', join(fixture.dir, 'backup.db'));
      expect(await fixture.gatehouse('restore', join(fixture.dir, 'backup.db'), '--yes')).toMatchObject({
        code: 0,
      });
      const server = await fixture.serve();
      expect(await accounts(server)).toEqual(ACCOUNTS);
      expect((await call(server, 'ledger_key', 'kim')).body.data?.subject).toBe('kim');
      expect((await call(server, 'ledger', 'ada')).body.data?.subject).toBe('ada, renewed');
    } finally {
      await fixture.close();
    }
  });
});

/** An account as version 0.1.0 listed it. */
function accountOf(user: string): { id: string; connection_id: string; identifier: string } {
  const list = facts.answers['/connected_accounts']?.['connected_accounts'] as ReturnType<typeof accountOf>[];
  const found = list.find(({ identifier }) => identifier === user);
  if (found === undefined) throw new Error(`no account of ${user}`);
  return found;
}

/** What is expected of an answer today, given the answer of version 0.1.0. */
function expectedOf(path: string, before: Facts['answers'][string]): object {
  // The token for these requests is itself audited, and an interceptor is asked about it.
  if (/^\/audit|\/logs$/.test(path))
    return Object.fromEntries(
      Object.entries(before)
        .filter(([, value]) => Array.isArray(value))
        .map(([name, lines]) => [
          name,
          expect.arrayContaining((lines as object[]).map((line) => expect.objectContaining(line) as unknown)),
        ]),
    );
  // Warnings are sentences of the program that answers.
  if (path.startsWith('/connections')) return withoutMember(before, 'warnings');
  // The start has changed what is declared to the ports of this run.
  return /^\/(webhooks|interceptors)$/.test(path) ? withoutMember(before, 'updated_at') : before;
}

/** A copy in which no object has this member. */
function withoutMember<T>(value: T, member: string): T {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === member ? undefined : inner)),
  ) as T;
}
