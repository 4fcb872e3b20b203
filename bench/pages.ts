/**
 * `node bench/pages.ts [--database sqlite|postgres]… [--scale 0.01] [--rounds 40] [--output FILE]`: how long pages take
 * in a large installation.
 *
 * Fills an installation with 100,000 accounts and 1,000,000 executions, times the scale, and with the sums of thirty busy
 * days. One server answers an operator who opens every page, its filters and the pages of a person, one after the other.
 * A page whose p95 is above 100 ms is marked, and the program ends with 1. That statements of pages use indexes is held by
 * test/store/statement-plans.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import SqliteHandle from 'better-sqlite3';
import { Client } from 'pg';
import { DURATION_COLUMNS } from '../src/store/tables/execution-sum-table.ts';
import type { Dialect } from '../src/store/engine/database.ts';
import { BASE_URL } from '../test/support/deployment/deployment.ts';
import type { Browser } from '../test/support/deployment/browser.ts';
import { runCommand } from '../test/support/deployment/command.ts';
import type { ServerProcess } from '../test/support/deployment/server-process.ts';
import { rowsFor } from '../test/support/growing-rows.ts';
import { TestPostgres } from '../test/support/postgres.ts';
import { quantile, rounded, timed } from './scale/figures.ts';
import { caller, newInstallation, readFiles, type Installation } from './scale/installation.ts';

/** Longest p95 of a page, in milliseconds. */
const MOST_MS = 100;

const WARM_UP_ROUNDS = 3;
const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '40' },
    output: { type: 'string', default: join(import.meta.dirname, 'results/pages.json') },
  },
});
const [SCALE, ROUNDS] = [Number(values.scale), Number(values.rounds)];
const [ACCOUNTS, EXECUTIONS] = [100_000 * SCALE, 1_000_000 * SCALE];

/** Every sum that an hour can have: connections, ways, outcomes. On Postgres two processes add to parts of their own. */
function sumsOfThirtyDays({ dialect, environmentId }: Installation): string {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const values = [
    `'${environmentId}'`,
    `${now} - cast(h.i as bigint) * ${HOUR_MS}`,
    `'app-' || c.i`,
    `case s.i when 0 then 'mcp' when 1 then 'api' else 'dashboard' end`,
    `case o.i when 0 then 'ok' else 'error' end`,
    `case o.i when 0 then '' when 1 then 'TOOL_ERROR' when 2 then 'RATE_LIMITED' else 'CONNECTED_ACCOUNT_NOT_ACTIVE' end`,
    'p.i',
    ...DURATION_COLUMNS.map((_, place) => String(place * 3 + 1)),
  ];
  const numbers = (name: string, most: number): string =>
    `${name}(i) as (select 0 union all select i + 1 from ${name} where i < ${most - 1})`;
  return `insert into execution_sums (environment_id, hour, connector, source, status, error_code, part, ${DURATION_COLUMNS.join(', ')})
    with recursive ${numbers('h', 30 * 24)}, ${numbers('c', 5)}, ${numbers('s', 3)}, ${numbers('o', 4)}, ${numbers('p', dialect === 'postgres' ? 2 : 1)}
    select ${values.join(', ')} from h, c, s, o, p`;
}

async function addSums(installation: Installation): Promise<void> {
  const text = sumsOfThirtyDays(installation);
  if (installation.dialect === 'sqlite') {
    const handle = new SqliteHandle(installation.url.slice('sqlite:'.length));
    handle.exec(text);
    handle.close();
    return;
  }
  const client = new Client({ connectionString: installation.url });
  await client.connect();
  try {
    await client.query(text);
    await client.query('vacuum analyze execution_sums');
  } finally {
    await client.end();
  }
}

/** A page, and what makes another one of its kind for each round. */
interface MeasuredPage {
  name: string;
  path: (n: number) => string;
}

/** Makes the things that a page needs and the rows do not contain. */
async function madeThings(server: ServerProcess): Promise<Readonly<Record<string, string>>> {
  const made = async (path: string, kind: string, body: object): Promise<string> => {
    const { status, text } = await server.api('POST', path, body);
    if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`);
    const whole = JSON.parse(text) as Record<string, { id?: string }>;
    return whole[kind]?.id ?? '';
  };
  return {
    connection: await made('/connections', 'connection', { name: 'sales', connector: 'crm' }),
    interceptor: await made('/interceptors', 'interceptor', {
      name: 'hours',
      trigger_point: 'PRE_SIGNUP',
      endpoint: 'https://hooks.example.test/hours',
      fallback: 'allow',
      enabled: false,
    }),
    server: await made('/mcp_servers', 'mcp_server', {
      name: 'reading',
      connections: ['ledger'],
      toolsets: ['all'],
      read_only: true,
    }),
    credential: await made('/credentials', 'credential', { name: 'export', scopes: ['accounts:read'] }),
  };
}

function pagesOf(
  { counts }: Installation,
  made: Readonly<Record<string, string>>,
  link: string,
): MeasuredPage[] {
  const row = (n: number, most: number): number => 1 + Math.floor(((n * 0.618_034) % 1) * most);
  const fixed = (path: string): MeasuredPage => ({ name: path, path: () => path });
  const of = (name: string, path: (n: number) => string): MeasuredPage => ({ name, path });
  return [
    ...['1h', '24h', '7d', '30d'].map((period) => fixed(`/dashboard?period=${period}`)),
    ...[
      'calls',
      'calls?status=error',
      'calls?connector=notes',
      'calls?tool=tool_3',
      'calls?error_code=RATE_LIMITED&source=mcp',
      'audit',
      'audit?action=user.create',
      'accounts',
      'accounts?status=EXPIRED',
      'accounts?connector=notes&status=ACTIVE',
      'accounts?query=user-7',
      'accounts/new',
      'accounts/links',
      'connections',
      'connections/new',
      'connections/con_notes',
      'tools',
      'tools?app=crm',
      'tools?q=list+records',
      'tools/crm_list_records',
      'servers',
      'calls?server=mcp_1',
      'servers/new',
      'users',
      'users?email=u7',
      'users/new',
      'organizations',
      'credentials',
      'interceptors',
      'interceptors/signing-secret',
      'webhooks',
      'webhooks/whk_0',
      'settings',
      'search?q=user-7',
    ].map((path) => fixed(`/dashboard/${path}`)),
    of('/dashboard/calls/{id}', (n) => `/dashboard/calls/exe_${row(n, counts.executions)}`),
    of('/dashboard/calls?account={id}', (n) => `/dashboard/calls?account=ca_${row(n, counts.accounts)}`),
    of('/dashboard/accounts/{id}', (n) => `/dashboard/accounts/ca_${row(n, counts.accounts)}`),
    of('/dashboard/users/{id}', (n) => `/dashboard/users/usr_${row(n, counts.users)}`),
    of('/dashboard/organizations/{id}', (n) => `/dashboard/organizations/org_${row(n, counts.users / 100)}`),
    of('/dashboard/connections/{id}/edit', () => `/dashboard/connections/${made['connection']}/edit`),
    of('/dashboard/servers/{id}', () => `/dashboard/servers/${made['server']}`),
    of('/dashboard/credentials/{id}', () => `/dashboard/credentials/${made['credential']}`),
    of('/dashboard/interceptors/{id}', () => `/dashboard/interceptors/${made['interceptor']}`),
    of('/connect/{token}', () => new URL(link).pathname),
    ...['/accounts', '/accounts/connect', '/sessions', '/organizations'].map(fixed),
  ];
}

/** A browser of an operator, by the link of the command line. */
async function signedIn({ deployment }: Installation, server: ServerProcess): Promise<Browser> {
  const { stdout, stderr } = await runCommand(deployment, ['users', 'sign-in-link']);
  const link = stdout.trim();
  if (link === '') throw new Error(stderr);
  const browser = deployment.browser(server);
  const page = await browser.get(link);
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const entered = await browser.post(link, { csrf, email: 'operator@example.test' });
  if (entered.status !== 303) throw new Error(`The link does not sign in: ${entered.status} ${entered.text}`);
  // Hides the first steps.
  browser.cookies.set('__Host-gatehouse_started', '1');
  return browser;
}

interface PageTimes {
  name: string;
  p50: number;
  p95: number;
  /** Bytes of the page. */
  bytes: number;
}

async function measurePages(installation: Installation): Promise<PageTimes[]> {
  const { deployment } = installation;
  const server = await deployment.serve();
  const browser = await signedIn(installation, server);
  const made = await madeThings(server);
  const user = caller(0);
  const linked = await server.api('POST', '/connected_accounts/magic_link', {
    connector: 'ledger',
    user_id: user,
  });
  const pages = pagesOf(installation, made, linked.body.link ?? '');
  const times = pages.map((): number[] => []);
  const bytes = pages.map(() => 0);
  await readFiles(installation);
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++)
    for (const [place, { name, path }] of pages.entries()) {
      const took = await timed(async () => {
        const { status, text } = await browser.get(BASE_URL + path(round + WARM_UP_ROUNDS));
        if (status !== 200) throw new Error(`${name} answered ${status}: ${text.slice(0, 2_000)}`);
        bytes[place] = text.length;
        // Kept for sweeps of tests; here it would only fill the memory.
        deployment.answers.length = 0;
      });
      if (round >= 0) times[place]?.push(took);
    }
  await server.stop();
  return pages.map(({ name }, place) => ({
    name,
    p50: rounded(quantile(times[place] ?? [], 0.5)),
    p95: rounded(quantile(times[place] ?? [], 0.95)),
    bytes: bytes[place] ?? 0,
  }));
}

/** The commit that is measured, with a mark if files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '../src') === '' ? '' : ', changed'}`;
}

function record(dialect: Dialect, pages: readonly PageTimes[]): void {
  const before: object = existsSync(values.output)
    ? (JSON.parse(readFileSync(values.output, 'utf8')) as object)
    : {};
  const recorded = {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    loadAverage: Math.round(loadavg()[0] ?? 0),
    accounts: ACCOUNTS,
    executions: EXECUTIONS,
    rounds: ROUNDS,
    pages,
  };
  const text = JSON.stringify({ ...before, [dialect]: recorded }, null, 2);
  // A page stays on one line.
  const lines = text.replaceAll(/\{[^[\]{}]*\}/g, (part) => part.replaceAll(/\s+/g, ' '));
  writeFileSync(values.output, `${lines}\n`);
}

/** @returns whether every page is as quick as promised */
async function run(dialect: Dialect, postgres: TestPostgres): Promise<boolean> {
  const counts = { ...rowsFor(ACCOUNTS), executions: EXECUTIONS, execution_sums: 1 };
  const installation = await newInstallation(dialect, counts, postgres);
  try {
    await addSums(installation);
    const pages = await measurePages(installation);
    record(dialect, pages);
    process.stdout.write(
      `\n${dialect}: ${ACCOUNTS} accounts, ${EXECUTIONS} executions; p50, p95 (ms), bytes\n`,
    );
    for (const { name, p50, p95, bytes } of pages) {
      const cells = [p50.toFixed(1), p95.toFixed(1), String(bytes)].map((text) => text.padStart(9)).join('');
      process.stdout.write(`${name.padEnd(60)}${cells}${p95 > MOST_MS ? `  MISSED: ${MOST_MS} ms` : ''}\n`);
    }
    return pages.every(({ p95 }) => p95 <= MOST_MS);
  } finally {
    await installation.deployment.close();
  }
}

const postgres = new TestPostgres();
try {
  for (const dialect of ['sqlite', 'postgres'] as const)
    if (values.database.includes(dialect) && !(await run(dialect, postgres))) process.exitCode = 1;
} finally {
  await postgres.stop();
}
