/**
 * The commands of docs/adding-a-connector/ about the example connectors, run as they stand there: the real program,
 * the example files, a stand-in for each provider. What is not the same for the reader are the addresses.
 */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DemoVisitor } from '../../src/app/demo/demo-visitor.ts';
import { collect } from '../mcp/real-processes.ts';
import { blocksOf, documentedPages, isAboutExample } from '../support/documentation.ts';
import { EXAMPLES } from '../support/example-server.ts';
import { ROUNDS } from '../support/rounds.ts';
import { freePort, PROGRAM } from '../support/deployment/server-process.ts';
import { startStandIn, type StandIn, type StandInReply, type StandInRequest } from '../support/stand-in.ts';

const BLOCKS = documentedPages().flatMap(blocksOf).filter(isAboutExample);

const LINES = BLOCKS.filter(({ language }) => language === 'sh').flatMap(({ text }) =>
  text.trim().split('\n'),
);

function isAbout(line: string, connector: string): boolean {
  return new RegExp(`^gatehouse (connect|connections \\w+|tools call) ${connector}(_|\\s|$)`).test(line);
}

/** The commands of a connector, each split into words, without what the comment says. */
function commandsOf(connector: string): string[][] {
  return LINES.filter((line) => isAbout(line, connector)).map((line) =>
    [...line.replace(/\s+#\s.*$/, '').matchAll(/'([^']*)'|(\S+)/g)]
      .map(([, quoted, word]) => quoted ?? word!)
      .slice(1),
  );
}

/** The connection of a connector in the settings that its page shows. */
function declared(connector: string): Record<string, unknown> {
  const settings = BLOCKS.filter(({ language, file }) => language === 'yaml' && file === undefined).map(
    ({ text }) => parse(text) as { connections?: Record<string, unknown>[] },
  );
  const [connection] = settings
    .flatMap(({ connections = [] }) => connections)
    .filter((one) => one['connector'] === connector);
  return connection!;
}

let dir: string;
let provider: StandIn;
let env: Record<string, string>;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'));
  provider = await startStandIn(answerOf);
  env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: dir,
    GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
    GATEHOUSE_PORT: String(await freePort()),
    BOARDS_SECRET: 'app-secret',
  };
});

afterEach(async () => {
  await provider.close();
  rmSync(dir, { recursive: true, force: true });
});

const SESSION = `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
<AccessKeyId>ASIAEXAMPLE000000001</AccessKeyId><SecretAccessKey>secret-1</SecretAccessKey>
<SessionToken>session-1</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;

/** Consent without a question, tokens for every caller, and otherwise a record of who asked with what. */
function answerOf({ path, query, form, headers }: StandInRequest): StandInReply {
  if (path === '/authorize') {
    const back = query.get('return_url');
    const answer = new URLSearchParams({ code: 'code-1', state: query.get('state') ?? '', companyId: '42' });
    const location =
      back === null ? `${query.get('redirect_uri')}?${answer.toString()}` : `${back}#token=token-1`;
    return { status: 302, text: '', headers: { location } };
  }
  if (form.get('Action') === 'AssumeRoleWithWebIdentity') return { text: SESSION };
  if (path === '/token')
    return { json: { access_token: 'token-1', token_type: 'Bearer', expires_in: 600, refresh_token: 'r-1' } };
  if (path === '/fhir/r4/.well-known/smart-configuration') {
    const { origin } = provider;
    return { json: { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` } };
  }
  if (path === '/connections') return { json: [{ type: 'company', tenant: { id: 'tenant-1' } }] };
  const answer = { results: [], was: headers.authorization === undefined ? 'open' : 'signed in' };
  return { json: { ...answer, message: answer } };
}

/** Settings with the example connectors; `base_url` and token addresses lead to the stand-in. */
function settle(connections: readonly Record<string, unknown>[]): void {
  const outbound = { allow_private_hosts: ['127.0.0.1'] };
  const settings = { data_dir: 'data', catalog_dirs: [EXAMPLES], outbound, connections };
  writeFileSync(join(dir, 'gatehouse.yaml'), JSON.stringify(settings));
}

/** Runs a command. @param visit opens the link that it prints for a person */
async function gatehouse(
  args: readonly string[],
  typed = '',
  visit: (link: string) => Promise<void> = async () => {},
): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: dir, env });
  let said = '';
  let visited: Promise<void> | undefined;
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    const link = /http:\S+\/connect\/[A-Za-z0-9_-]{43}/.exec(said)?.[0];
    if (link === undefined) return;
    visited ??= visit(link).catch((error: unknown) => {
      // The command would wait for ever.
      child.kill();
      throw error;
    });
  });
  const { code, stdout, stderr } = await collect(child, typed);
  await visited;
  expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
  return stdout;
}

/** Goes through a link as its owner does. @param filledIn what the pages ask for, in order */
function consenting(...filledIn: readonly string[]): (link: string) => Promise<void> {
  return async (link) => {
    const visitor = new DemoVisitor();
    const typed = [...filledIn];
    let page = await visitor.open(link);
    while (!page.heading.includes(' is connected')) {
      const isForm = page.labels.length > 0;
      page = isForm ? await visitor.submit(typed.splice(0, 1)) : await visitor.follow('Continue to');
    }
  };
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

/** Path and query of a request, and some of its headers. */
type Sent = [target: string, headers: Readonly<Record<string, string | undefined>>];

/** What the last command of an example, a call, has sent to the provider. */
function expectSent(target: string, headers: Sent[1]): void {
  const last = provider.requests.at(-1)!;
  const named = Object.keys(headers).map((name) => [name, last.headers[name]]);
  expect([last.target, Object.fromEntries(named)]).toEqual([target, headers]);
}

/** The owner is asked for the credential, or for nothing. */
const typing =
  (typed: readonly string[], ...sent: Sent) =>
  async (connector: string): Promise<void> => {
    settle([{ connector, overrides: { base_url: provider.origin } }]);
    const [connect, call, ...rest] = commandsOf(connector);
    expect([connect![0], call!.slice(0, 2), rest]).toEqual(['connect', ['tools', 'call'], []]);
    expect(await gatehouse(connect!, typed.map((line) => `${line}\n`).join(''))).toContain('is connected');
    expect(JSON.parse(await gatehouse(call!))).toHaveProperty('results');
    expectSent(...sent);
  };

/** An app is registered, and the owner consents at the provider. */
const byConsent =
  (visit: (link: string) => Promise<void>, ...sent: Sent) =>
  async (connector: string): Promise<void> => {
    settle([]);
    const [create, update, connect, call] = commandsOf(connector);
    await gatehouse(redirected(create!, { authorization_url: `${provider.origin}/authorize` }));
    await gatehouse(update!, 'app-secret\n');
    expect(await gatehouse(connect!, '', visit)).toMatch(/ is connected for local: ca_\w+, ACTIVE\n$/);
    expect(JSON.parse(await gatehouse(call!))).toHaveProperty('results');
    expectSent(...sent);
  };

/** A connection in the settings, which has to be registered, and the owner consents at the provider. */
const byDeclared =
  (overrides: () => Record<string, string>, visit: (link: string) => Promise<void>, ...sent: Sent) =>
  async (connector: string): Promise<void> => {
    settle([{ ...declared(connector), overrides: { base_url: provider.origin, ...overrides() } }]);
    const [show, connect, call] = commandsOf(connector);
    expect(await gatehouse(show!)).toMatch(/http:\S+\/callback/);
    expect(await gatehouse(connect!, '', visit)).toContain(', ACTIVE\n');
    expect(JSON.parse(await gatehouse(call!))).toHaveProperty('results');
    expectSent(...sent);
  };

/** Redirects an existing command to the stand-in: nothing else about it differs from the page. */
const redirected = (command: readonly string[], more: Record<string, string> = {}): string[] => [
  ...command,
  '--overrides',
  JSON.stringify({ base_url: provider.origin, token_url: `${provider.origin}/token`, ...more }),
];

async function signsMachineIn(connector: string): Promise<void> {
  settle([]);
  const [update, connect, call] = commandsOf(connector);
  await gatehouse(redirected(update!), 'machine-secret\n');
  await gatehouse(connect!);
  expect(JSON.parse(await gatehouse(call!))).toMatchObject({ was: 'signed in' });
  expect(provider.at('/token').map(({ headers }) => headers['authorization'])).toEqual([
    basic('machine-1:machine-secret'),
  ]);
  expectSent('/v1/values/latest', { authorization: 'Bearer token-1' });
}

async function actsForUser(connector: string): Promise<void> {
  settle([]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = {
    type: 'service_account',
    client_email: 'robot@example.com',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  writeFileSync(join(dir, 'params.json'), JSON.stringify({ service_account_json: key }));
  const [create, connect, call] = commandsOf(connector);
  await gatehouse(redirected(create!));
  await gatehouse(connect!, 'ada@example.com\n');
  await gatehouse(call!);
  const [exchange] = provider.at('/token');
  const claims = Buffer.from(exchange!.form.get('assertion')!.split('.')[1]!, 'base64url').toString();
  expect(JSON.parse(claims)).toMatchObject({ iss: 'robot@example.com', sub: 'ada@example.com' });
  expectSent('/v1/people?q=ada', { authorization: 'Bearer token-1' });
}

async function assumesRole(connector: string): Promise<void> {
  const { origin } = provider;
  settle([{ ...declared(connector), overrides: { base_url: origin, token_url: `${origin}/token` } }]);
  const [connect, call] = commandsOf(connector);
  expect(await gatehouse(connect!)).toContain('ACTIVE');
  expect(JSON.parse(await gatehouse(call!))).toHaveProperty('results');
  expect(provider.at('/token')[0]!.form.get('RoleArn')).toBe('arn:aws:iam::123456789012:role/gatehouse');
  expectSent('/', {
    'x-amz-security-token': 'session-1',
    authorization: expect.stringContaining('Credential=ASIAEXAMPLE000000001/'),
  });
}

/** By connector, what its commands do. */
const RUNS: Readonly<Record<string, (connector: string) => Promise<void>>> = {
  weatherbox: typing(['key-7'], '/v1/stations?q=harbour', { authorization: 'Key key-7' }),
  monitoring: typing(['key-7', 'app-key-7', 'ada@example.com'], '/v2/alerts', {
    'x-api-key': 'key-7',
    'x-application-key': 'app-key-7',
    'x-user-email': 'ada@example.com',
  }),
  parcels: typing(['code-7'], '/parcels?q=books&code=code-7', { authorization: undefined }),
  helpdesk: typing(['ada@example.com', 'pass'], '/api/tickets?q=printer', {
    authorization: basic('ada@example.com:pass'),
  }),
  printroom: typing(['ada', ''], '/v2/jobs', { authorization: basic('ada:') }),
  recruiting: typing(['key-7'], '/v1/candidates', { authorization: basic('key-7:X') }),
  bookmarks: typing(['token-7'], '/bookmarks', { authorization: 'Bearer token-7' }),
  forge: typing(['token-7'], '/projects/gatehouse/issues?page=1&per_page=10', {
    authorization: 'Bearer token-7',
    'forge-version': '2026-03-10',
  }),
  planner: typing(['token-7'], '/v1/batch', { authorization: 'Bearer token-7' }),
  chat: typing(['token-7'], '/api/chat.post', { authorization: 'Bearer token-7' }),
  holidays: typing([], '/api/AT/2026', { authorization: undefined }),
  metrics: signsMachineIn,
  directory: actsForUser,
  readinglists: byConsent(consenting(), '/lists', { authorization: 'Bearer token-1' }),
  storefront: byConsent(consenting('north'), '/admin/orders', {
    authorization: undefined,
    'x-storefront-token': 'token-1',
  }),
  wiki: byConsent(consenting(), '/v1/pages?query=tea', {
    authorization: 'Bearer token-1',
    'wiki-version': '2026-03-11',
  }),
  accounting: byConsent(consenting(), '/v3/42/invoices', {
    authorization: 'Bearer token-1',
    'accounting-tenant': 'tenant-1',
  }),
  boards: byDeclared(
    () => ({ authorization_url: `${provider.origin}/authorize` }),
    consenting('token-1'),
    '/1/search?query=tea&key=0a1b2c3d&token=token-1',
    {},
  ),
  clinic: byDeclared(() => ({}), consenting('north'), '/fhir/r4/Patient', {
    authorization: 'Bearer token-1',
  }),
  redshift: assumesRole,
};

describe('documented examples of connectors', () => {
  it('have no command that nothing here runs', () => {
    expect(LINES.length).toBeGreaterThan(40);
    const connectors = Object.keys(RUNS);
    expect(LINES.filter((line) => !connectors.some((connector) => isAbout(line, connector)))).toEqual([]);
  });

  it.each(Object.entries(RUNS).filter(([connector]) => ROUNDS.documentedExamples.test(connector)))(
    'connect an account of %s and call its tool',
    async (connector, run) => {
      await run(connector);
    },
  );
});
