/**
 * Malformed input never gives a 5xx, a reset, a row or a provider call (docs/security.md#malformed-input): bad requests
 * from a fixed seed against `gatehouse serve` in a process of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/program.ts';
import { ROUNDS } from '../support/rounds.ts';
import { MARK, type BadRequest, type FuzzTarget, type FuzzTool } from './fuzz/bad-request.ts';
import { badRequests } from './fuzz/bad-requests.ts';
import { keptBytes, SMALL_HEAP } from './fuzz/kept-memory.ts';
import { makePeople, signInBrowser } from './fuzz/people-target.ts';

const SEED = 20_261_120;
const LANES = 8;
const MAX_RSS_GROWTH_BYTES = 50_000_000;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fuzz-'));
const agent = new Agent({ keepAlive: true, maxSockets: LANES });
const logged: string[] = [];
let provider: Server;
let providerCalls = 0;
let child: ChildProcess;
let errorLines: Interface;
let port: number;
let target: FuzzTarget;

beforeAll(async () => {
  provider = createServer((_request, response) => {
    providerCalls += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const providerHost = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const requestInfo = { trusted_proxies: ['127.0.0.1/32'], ip_header: 'x-forwarded-for' };
  writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify({ request_info: requestInfo }));
  const ready = await startServer({
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_PORT: '0',
    GATEHOUSE_MCP_TOOLSETS: 'all',
    GATEHOUSE_LOG_LEVEL: 'info',
    GATEHOUSE_CLIENT_ID: 'fuzz',
    GATEHOUSE_CLIENT_SECRET: 'a-secret-that-is-long-enough-for-a-test',
    GATEHOUSE_ALLOW_PRIVATE_HOSTS: providerHost,
  });
  port = Number(new URL(ready.base_url).port);
  target = await prepare(ready.base_url, `http://${providerHost}`);
});

afterAll(async () => {
  agent.destroy();
  provider.close();
  child.kill('SIGKILL');
  await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `gatehouse serve` and settles with its ready line. */
async function startServer(settings: Record<string, string>): Promise<{ base_url: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: folder,
    ...settings,
  };
  child = spawn(process.execPath, [...SMALL_HEAP, PROGRAM, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  errorLines = createInterface({ input: child.stderr! }).on('line', (line) => logged.push(line));
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`serve ended: ${logged.join('\n')}`))),
  ])) as [string];
  return JSON.parse(line) as { base_url: string };
}

/** A token, an account that works, an open link, and the tools. */
async function prepare(base: string, providerUrl: string): Promise<FuzzTarget> {
  const tokenAnswer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'fuzz',
      client_secret: 'a-secret-that-is-long-enough-for-a-test',
    }),
  });
  const { access_token: token } = (await tokenAnswer.json()) as { access_token: string };
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${base}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.ok, await response.clone().text()).toBe(true);
    return (await response.json()) as T;
  };
  await call('PATCH', 'connections/websearch', { overrides: { base_url: providerUrl } });
  const { connected_account } = await call<{ connected_account: { id: string; status: string } }>(
    'POST',
    'connected_accounts',
    {
      connector: 'websearch',
      identifier: 'somebody',
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'k' } } } },
    },
  );
  expect(connected_account.status).toBe('ACTIVE');
  const { link } = await call<{ link: string }>('POST', 'connected_accounts/magic_link', {
    connector: 'websearch',
    user_id: 'other',
  });
  const { tools } = await call<{ tools: FuzzTool[] }>('GET', 'tools');
  const { connection } = await call<{ connection: { redirect_uri: string } }>('POST', 'connections', {
    name: 'crm',
    connector: 'crm',
    client_id: 'fuzz',
    client_secret: 'fuzz',
    overrides: { authorization_url: `${providerUrl}/authorize`, token_url: `${providerUrl}/token` },
  });
  const consent = await call<{ link: string }>('POST', 'connected_accounts/magic_link', {
    connector: 'crm',
    user_id: 'other',
  });
  return {
    token,
    accountId: connected_account.id,
    linkPath: new URL(link).pathname,
    callbackPath: new URL(connection.redirect_uri).pathname,
    ...(await setOut(consent.link)),
    tools,
    ids: await makePeople(call),
    person: await signInBrowser(base, logged),
  };
}

/** A browser on its way to the provider. */
async function setOut(link: string): Promise<{ state: string; cookie: string }> {
  const page = await fetch(link);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const away = await fetch(`${link}/go`, { headers: { cookie }, redirect: 'manual' });
  const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
  expect([cookie, state]).not.toContain('');
  return { state, cookie };
}

interface Answer {
  status: number;
  body: string;
}

/** Sends one request; rejects when the connection breaks before the answer is complete. */
function sendRequest({ method, path, headers, body }: BadRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path,
      headers: { ...length, ...headers },
    });
    outgoing.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.end(body);
  });
}

/** What is wrong with the answer to a bad request; undefined when it is as it should be. */
function problemOf(request: BadRequest, { status, body }: Answer): string | undefined {
  if (status >= 500) return `${status} ${body.slice(0, 200)}`;
  if (request.expected === 'refused' && (status < 400 || status > 499)) return `was accepted with ${status}`;
  if (/\bat .*\.[jt]s:\d|node:internal|SQLITE|SyntaxError/.test(body))
    return `shows our insides: ${body.slice(0, 200)}`;
  if (request.what.startsWith('POST /mcp tools/call') && !body.includes('"isError":true')) {
    return `was taken by MCP: ${body.slice(0, 200)}`;
  }
  if (!request.path.startsWith('/api/v1/')) return undefined;
  const shape = JSON.parse(body) as { code?: number; message?: string; details?: { error_code?: string }[] };
  if (
    typeof shape.code !== 'number' ||
    typeof shape.message !== 'string' ||
    shape.details?.[0]?.error_code === undefined
  ) {
    return `has another form than errors have: ${body.slice(0, 200)}`;
  }
  if (body.length > 30_000) return `is ${body.length} characters long`;
  return undefined;
}

/** Rows per table. Left out: windows of rate limits, which count failures, and what the server says of itself once it runs. */
function rowCounts(): Record<string, number> {
  const db = new BetterSqlite(join(folder, 'gatehouse.db'), { readonly: true });
  try {
    const names = db
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name != 'rate_windows'",
      )
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      names.map((name) => {
        const kept = name === 'installation' ? "where key not like 'sealing:%'" : '';
        return [name, db.prepare(`select count(*) from "${name}" ${kept}`).pluck().get() as number];
      }),
    );
  } finally {
    db.close();
  }
}

/** Sends everything in a few lanes; returns what went wrong and how often each status came. */
async function sendAll(
  requests: Iterator<BadRequest>,
): Promise<{ problems: string[]; statuses: Map<number, number> }> {
  const problems: string[] = [];
  const statuses = new Map<number, number>();
  const lane = async (): Promise<void> => {
    for (let next = requests.next(); next.done !== true; next = requests.next()) {
      const request = next.value;
      try {
        const answer = await sendRequest(request);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const problem = problemOf(request, answer);
        if (problem !== undefined) problems.push(`${request.what} -> ${problem}`);
      } catch (error) {
        problems.push(`${request.what} -> no answer: ${String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { problems, statuses };
}

describe(`fuzzing: ${ROUNDS.fuzzRequests} bad requests`, () => {
  it('receive a refusal in the usual form, and leave nothing behind', async () => {
    const warmUp = await sendAll(badRequests(SEED - 1, 400, target));
    expect(warmUp.problems.slice(0, 20)).toEqual([]);
    const rows = rowCounts();
    const memory = await keptBytes(child, errorLines);

    const { problems, statuses } = await sendAll(badRequests(SEED, ROUNDS.fuzzRequests, target));

    expect(problems.slice(0, 20)).toEqual([]);
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual(
      expect.arrayContaining([400, 401, 403, 404, 405, 413, 415, 431]),
    );
    expect(rowCounts()).toEqual(rows);
    expect(rows).toMatchObject({ accounts: 3, oauth_flows: 1, executions: 0, credentials: 1 });
    expect(providerCalls).toBe(0);
    expect(logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect(logged.join('\n')).not.toContain(MARK);
    if (memory !== undefined) {
      expect(((await keptBytes(child, errorLines)) ?? Infinity) - memory).toBeLessThan(MAX_RSS_GROWTH_BYTES);
    }
  });

  it('leave a server that works', async () => {
    const input = {
      tool_name: 'websearch_search',
      tool_input: { query: 'still there' },
      connected_account_id: target.accountId,
    };
    const answer = await sendRequest({
      what: '',
      method: 'POST',
      path: '/api/v1/execute_tool',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(input)),
      expected: 'answered',
    });
    expect(answer.status).toBe(200);
    expect(providerCalls).toBe(1);
  });
});
