/**
 * The commands of docs/adding-a-connector/ about the example connectors, run as they stand there: the real program,
 * the example files, a stand-in for each provider. What is not the same for the reader are the addresses.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../mcp/real-processes.ts';
import { connectorPages } from '../support/documentation.ts';
import { EXAMPLES } from '../support/example-server.ts';
import { ROUNDS } from '../support/rounds.ts';
import { Browser } from '../support/deployment/browser.ts';
import { freePort, PROGRAM } from '../support/deployment/server-process.ts';
import { startStandIn, type StandIn, type StandInReply, type StandInRequest } from '../support/stand-in.ts';

/** Each command is a start of the program. */

const PAGES = connectorPages();

/** The commands of a connector, each split into words, without what the comment says. */
function commandsOf(connector: string): string[][] {
  const blocks = [...PAGES.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
  const lines = blocks.flatMap((text) => text.split('\n')).filter((line) => isAbout(line, connector));
  return lines.map((line) =>
    [...line.replace(/\s+#\s.*$/, '').matchAll(/'([^']*)'|(\S+)/g)]
      .map(([, quoted, word]) => quoted ?? word!)
      .slice(1),
  );
}

function isAbout(line: string, connector: string): boolean {
  return new RegExp(`^gatehouse (connect|connections \\w+|tools call) ${connector}(_|\\s)`).test(line);
}

let dir: string;
let provider: StandIn;
let origin: string;
let env: Record<string, string>;
const children: ChildProcess[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'));
  provider = await startStandIn(answerOf);
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: dir,
    GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
    GATEHOUSE_PORT: String(port),
  };
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await provider.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Consent without a question, tokens for whoever asks, and for the rest who asked with what. */
function answerOf({ path, query, headers }: StandInRequest): StandInReply {
  if (path === '/authorize') {
    const answer = new URLSearchParams({ code: 'code-1', state: query.get('state') ?? '' });
    return {
      status: 302,
      text: '',
      headers: { location: `${query.get('redirect_uri')}?${answer.toString()}` },
    };
  }
  if (path === '/token')
    return { json: { access_token: 'token-1', token_type: 'Bearer', expires_in: 600, refresh_token: 'r-1' } };
  return { json: { results: [], was: headers.authorization === undefined ? 'open' : 'signed in' } };
}

/** Settings with the example connectors; `base_url` and token addresses lead to the stand-in. */
function settle(connections: readonly Record<string, unknown>[]): void {
  const outbound = { allow_private_hosts: ['127.0.0.1'] };
  const settings = { data_dir: 'data', catalog_dirs: [EXAMPLES], outbound, connections };
  writeFileSync(join(dir, 'gatehouse.yaml'), JSON.stringify(settings));
}

async function gatehouse(args: readonly string[], typed = ''): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: dir, env });
  const { code, stdout, stderr } = await collect(child, typed);
  expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
  return stdout;
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

type Sent = { query: string; authorization: string | undefined };

/** Connector, what is typed for it, path and rest of the request that the call makes. */
const STATIC: readonly [string, string[], string, Sent][] = [
  ['weatherbox', ['key-7'], '/v1/stations', { query: 'q=harbour', authorization: 'Key key-7' }],
  ['parcels', ['code-7'], '/parcels', { query: 'q=books&code=code-7', authorization: undefined }],
  [
    'helpdesk',
    ['ada@example.com', 'pass'],
    '/api/tickets',
    { query: 'q=printer', authorization: basic('ada@example.com:pass') },
  ],
  ['printroom', ['ada', ''], '/v2/jobs', { query: '', authorization: basic('ada:') }],
  ['bookmarks', ['token-7'], '/bookmarks', { query: '', authorization: 'Bearer token-7' }],
  ['holidays', [], '/api/AT/2026', { query: '', authorization: undefined }],
];

describe('documented examples: static credential', () => {
  it.each(STATIC.slice(0, ROUNDS.staticExamples))(
    'connects %s and calls its tool',
    async (connector, typed, path, sent) => {
      settle([{ connector, overrides: { base_url: provider.origin } }]);
      const [connect, call, ...rest] = commandsOf(connector);
      expect([connect![0], call!.slice(0, 2), rest]).toEqual(['connect', ['tools', 'call'], []]);
      expect(await gatehouse(connect!, typed.map((line) => `${line}\n`).join(''))).toContain('is connected');
      expect(JSON.parse(await gatehouse(call!))).toHaveProperty('results');
      const requests = provider.at(path);
      expect(requests.map(({ query, headers }) => [query.toString(), headers['authorization']])).toEqual([
        [sent.query, sent.authorization],
      ]);
    },
  );
});

/** Redirects an existing command to the stand-in: nothing else about it differs from the page. */
const redirected = (command: readonly string[]): string[] => [
  ...command,
  '--overrides',
  JSON.stringify({ base_url: provider.origin, token_url: `${provider.origin}/token` }),
];

const authorizations = (path: string): (string | undefined)[] =>
  provider.at(path).map(({ headers }) => headers['authorization']);

describe('documented examples: issued credential', () => {
  it('metrics: signs a machine in with client id and secret', async () => {
    settle([]);
    const [update, connect, call] = commandsOf('metrics');
    await gatehouse(redirected(update!), 'machine-secret\n');
    await gatehouse(connect!);
    expect(JSON.parse(await gatehouse(call!))).toMatchObject({ was: 'signed in' });
    expect(authorizations('/token')).toEqual([basic('machine-1:machine-secret')]);
    expect(authorizations('/v1/values/latest')).toEqual(['Bearer token-1']);
  });

  it('directory: acts for a user with a service account', async () => {
    settle([]);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = {
      type: 'service_account',
      client_email: 'robot@example.com',
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    };
    writeFileSync(join(dir, 'params.json'), JSON.stringify({ service_account_json: key }));
    const [create, connect, call] = commandsOf('directory');
    await gatehouse(redirected(create!));
    await gatehouse(connect!, 'ada@example.com\n');
    await gatehouse(call!);
    const [exchange] = provider.at('/token');
    const claims = Buffer.from(exchange!.form.get('assertion')!.split('.')[1]!, 'base64url').toString();
    expect(JSON.parse(claims)).toMatchObject({ iss: 'robot@example.com', sub: 'ada@example.com' });
    expect(authorizations('/v1/people')).toEqual(['Bearer token-1']);
  });

  it('readinglists: connects an account by consent', async () => {
    settle([]);
    const [create, update, connect, call] = commandsOf('readinglists').slice(-4);
    const addresses = {
      base_url: provider.origin,
      authorization_url: `${provider.origin}/authorize`,
      token_url: `${provider.origin}/token`,
    };
    await gatehouse([...create!, '--overrides', JSON.stringify(addresses)]);
    await gatehouse(update!, 'app-secret\n');
    const child = spawn(process.execPath, [PROGRAM, ...connect!], { cwd: dir, env });
    children.push(child);
    const link = new Promise<string>((resolve) => {
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /http:\S+\/connect\/[A-Za-z0-9_-]{43}/.exec(said)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    const ended = collect(child);
    const browser = new Browser({ baseUrl: origin, server: { url: origin }, keep: () => {} });
    const back = await browser.connect(await link);
    await browser.get(`${origin}${back.location}`);
    expect((await ended).stdout).toMatch(/^Reading lists is connected for local: ca_\w+, ACTIVE\n$/);
    expect(JSON.parse(await gatehouse(call!))).toMatchObject({ was: 'signed in' });
    expect(authorizations('/lists')).toEqual(['Bearer token-1']);
  });
});
