/**
 * Measures tools of remote MCP servers: CPU per call compared with a minimal proxy of the same SDK, memory with a
 * session for each of many accounts, and the delay of other callers by an answer of 500 MB and by 10,000 changes of
 * a list. A part of `npm run bench`; alone `node bench/upstreams.ts`.
 *
 * Gatehouse is the built program, and the server a stand-in that costs little. Programs take turns, so that the
 * machine is as busy for all of them. Writes bench/results/upstreams.json. Ends with exit code 1 if a figure is
 * beyond its bound, unless `--unbounded` is given.
 */
import { execFileSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { builtProgram } from '../test/support/program.ts';
import { callMany, median } from './measure.ts';
import { httpClient, stop, type BenchClient } from './mcp-clients.ts';
import { cpuMs, memoryMb } from './process-usage.ts';
import { accessToken, freePort, startAndRead } from './subjects.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    calls: { type: 'string', default: '800' },
    accounts: { type: 'string', default: '2000' },
    megabytes: { type: 'string', default: '500' },
    changes: { type: 'string', default: '10000' },
    part: { type: 'string', multiple: true, default: ['cpu', 'sessions', 'hostile'] },
    unbounded: { type: 'boolean', default: false },
    results: { type: 'string', default: join(import.meta.dirname, 'results/upstreams.json') },
  },
});
const ROUNDS = Number(options.rounds);
const CALLS = Number(options.calls);
const AT_ONCE = 32;
/** Changes of the list that one call of the stand-in tells. */
const CHANGES_PER_CALL = 100;
/** Rounds that share all changes. */
const CHANGE_ROUNDS = 10;
/** Enough that calls of both kinds meet garbage collections in every round. */
const CALLS_PER_TURN = 40;

/** Most of the proxy's CPU, most megabytes (10^6) more, most of the time of a call without changes. */
const MOST = { cpu: 1.5, sessionsMb: 100, hugeMb: 100, changes: 1.5 };

type Era = 'modern' | 'legacy';

/** Gatehouse with one remote MCP server, whose tools are published at once. */
class Installation {
  readonly folder: string;
  readonly child: ChildProcess;
  readonly pid: number;
  readonly #url: string;
  readonly #token: string;

  private constructor(folder: string, child: ChildProcess, url: string, token: string) {
    this.folder = folder;
    this.child = child;
    this.pid = child.pid ?? 0;
    this.#url = url;
    this.#token = token;
  }

  static async start(upstream: string): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upstreams-'));
    mkdirSync(join(folder, 'catalog/notes'), { recursive: true });
    writeFileSync(
      join(folder, 'catalog/notes/connector.yaml'),
      `name: notes
title: Notes
description: A stand-in for a remote MCP server.
mcp: {url: '${upstream}', approval: trusted}
auth:
  - type: API_KEY
    fields: [{name: api_key, label: Key, input: password}]
    attach: {in: header, name: x-api-key, field: api_key}
`,
    );
    const env = {
      GATEHOUSE_DATA_DIR: join(folder, 'data'),
      GATEHOUSE_PORT: String(await freePort()),
      GATEHOUSE_LOG_LEVEL: 'warn',
      GATEHOUSE_CLIENT_ID: 'bench',
      GATEHOUSE_CLIENT_SECRET: 'bench-secret-bench-secret-bench-secret',
      GATEHOUSE_CATALOG_DIRS: join(folder, 'catalog'),
      GATEHOUSE_ALLOW_PRIVATE_HOSTS: new URL(upstream).host,
    };
    const { child, line } = await startAndRead([process.execPath, PROGRAM, 'serve'], env);
    const { base_url: url } = JSON.parse(line) as { base_url: string };
    return new Installation(folder, child, url, await accessToken(url, env));
  }

  async api(path: string, body: object): Promise<Response> {
    return fetch(`${this.#url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Connects an account of a user. @returns its id */
  async connect(user: string): Promise<string> {
    const response = await this.api('/connected_accounts', {
      connector: 'notes',
      identifier: user,
      user_id: user,
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: `key-of-${user}` } } },
      },
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { connected_account: { id: string } }).connected_account.id;
  }

  async call(account: string, tool = 'notes_echo'): Promise<number> {
    const input = { tool_name: tool, tool_input: { text: 'q' }, connected_account_id: account };
    const response = await this.api('/execute_tool', input);
    await response.text();
    return response.status;
  }

  async mcp(user: string): Promise<BenchClient> {
    const headers = { authorization: `Bearer ${this.#token}`, 'gatehouse-user-id': user };
    return httpClient(`${this.#url}/mcp`, this.pid, headers, AT_ONCE);
  }

  /** Number of sessions that it keeps, from its metrics. */
  async sessions(): Promise<number> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const text = await (await fetch(`${this.#url}/metrics`, { headers })).text();
    return Number(/^gatehouse_upstream_sessions (\d+)$/m.exec(text)?.[1]);
  }

  /** Waits until the tools of the first account are published. */
  async published(account: string): Promise<void> {
    for (let n = 0; n < 600; n++) {
      if ((await this.call(account)) === 200) return;
      await delay(100);
    }
    throw new Error('the tools of the stand-in were not published');
  }

  async close(): Promise<void> {
    await stop(this.child);
    rmSync(this.folder, { recursive: true });
  }
}

/** Runs work on so many things, some at a time. */
async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** CPU per call of Gatehouse and of the proxy, in milliseconds; each pair of rounds is compared. */
async function measureCpu(era: Era) {
  const upstream = await startAndRead([process.execPath, STAND_IN, era], {});
  const proxy = await startAndRead([process.execPath, PROXY], { BENCH_UPSTREAM_URL: upstream.line });
  const installation = await Installation.start(upstream.line);
  await installation.published(await installation.connect('local'));
  const subjects = [
    { tool: 'notes_echo', client: await installation.mcp('local') },
    { tool: 'echo', client: await httpClient(proxy.line, proxy.child.pid ?? 0, {}, AT_ONCE) },
  ].map(({ tool, client }) => ({
    client,
    call: { name: tool, arguments: { text: 'q' } },
    ms: [] as number[],
  }));
  for (const { client, call } of subjects) await callMany(client, { call }, AT_ONCE, 3 * CALLS);
  for (let round = 0; round < ROUNDS; round++)
    for (const { client, call, ms } of subjects) {
      const before = cpuMs(client.pid);
      await callMany(client, { call }, AT_ONCE, CALLS);
      ms.push((cpuMs(client.pid) - before) / CALLS);
    }
  for (const { client } of subjects) await client.close();
  await installation.close();
  await stop(proxy.child);
  await stop(upstream.child);
  const [own, other] = subjects.map(({ ms }) => ms);
  return {
    gatehouse: median(own ?? []),
    proxy: median(other ?? []),
    ratio: median((own ?? []).map((ms, round) => ms / (other?.[round] ?? Number.NaN))),
  };
}

/** Memory with a session for each account, as far as a process keeps them. */
async function measureSessions() {
  const upstream = await startAndRead([process.execPath, STAND_IN, 'legacy'], {});
  const installation = await Installation.start(upstream.line);
  const users = Array.from({ length: Number(options.accounts) }, (_, n) => `user-${n}`);
  const accounts: string[] = [];
  await each(users, 8, async (user) => void accounts.push(await installation.connect(user)));
  const [first = ''] = accounts;
  await installation.published(first);
  for (let n = 0; n < 2 * CALLS; n++) await installation.call(first);
  const before = memoryMb(installation.pid);
  let highest = before;
  await each(accounts, AT_ONCE, async (account) => {
    if ((await installation.call(account)) !== 200) throw new Error('a call failed');
    highest = Math.max(highest, memoryMb(installation.pid));
  });
  const open = await installation.sessions();
  await installation.close();
  await stop(upstream.child);
  return { accounts: accounts.length, open, beforeMb: before, highestMb: highest, moreMb: highest - before };
}

/** Measures the effect of list changes on other callers, and the cost of answers of many megabytes. */
async function measureHostile() {
  const env = { BENCH_MEGABYTES: options.megabytes };
  const upstream = await startAndRead([process.execPath, STAND_IN, 'legacy'], env);
  const installation = await Installation.start(upstream.line);
  const account = await installation.connect('local');
  await installation.published(account);
  const changes = await measureChanges(installation, account);
  const before = memoryMb(installation.pid);
  let highest = before;
  const watch = setInterval(() => (highest = Math.max(highest, memoryMb(installation.pid))), 5);
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push(await installation.call(account, 'notes_huge'));
  clearInterval(watch);
  await installation.close();
  await stop(upstream.child);
  return { huge: { statuses, moreMb: highest - before }, changes };
}

/**
 * Measures how long calls take after changes of the list and after none, in turns. The slowest call of many is
 * mostly one that coincided with a garbage collection or with other work of the machine, with or without changes.
 * So each round has its slowest, and rounds are compared.
 */
async function measureChanges(installation: Installation, account: string) {
  const rounds = { quiet: [] as number[][], changed: [] as number[][] };
  const perRound = Number(options.changes) / CHANGE_ROUNDS;
  for (let round = -1; round < CHANGE_ROUNDS; round++) {
    const quiet: number[] = [];
    const changed: number[] = [];
    for (let told = 0; told < perRound; told += CHANGES_PER_CALL)
      for (const [tool, times] of [
        ['notes_echo', quiet],
        ['notes_changes', changed],
      ] as const) {
        if ((await installation.call(account, tool)) !== 200) throw new Error(`${tool} failed`);
        for (let n = 0; n < CALLS_PER_TURN; n++) {
          const startedAt = performance.now();
          await installation.call(account);
          times.push(performance.now() - startedAt);
        }
      }
    // The first round warms the program up.
    if (round < 0) continue;
    rounds.quiet.push(quiet);
    rounds.changed.push(changed);
  }
  const slowest = (times: number[][]): number[] => times.map((round) => Math.max(...round));
  return {
    median: compared(median(rounds.quiet.flat()), median(rounds.changed.flat())),
    slowest: compared(median(slowest(rounds.quiet)), median(slowest(rounds.changed))),
    slowestOfAll: compared(Math.max(...slowest(rounds.quiet)), Math.max(...slowest(rounds.changed))),
  };
}

/** Times in milliseconds without changes and during changes. */
function compared(quietMs: number, changedMs: number) {
  return { quietMs, changedMs, ratio: changedMs / quietMs };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const PROGRAM = builtProgram();
const STAND_IN = join(import.meta.dirname, 'upstream-stand-in.ts');
const PROXY = join(import.meta.dirname, 'minimal-proxy.ts');
const isWanted = (part: string): boolean => options.part.includes(part);
const cpu = isWanted('cpu')
  ? { modern: await measureCpu('modern'), legacy: await measureCpu('legacy') }
  : undefined;
const sessions = isWanted('sessions') ? await measureSessions() : undefined;
const hostile = isWanted('hostile') ? await measureHostile() : undefined;
const figures = [
  { figure: 'CPU per call beside a minimal proxy, modern', judged: cpu?.modern.ratio, most: MOST.cpu },
  { figure: 'CPU per call beside a minimal proxy, legacy', judged: cpu?.legacy.ratio, most: MOST.cpu },
  {
    figure: `memory with sessions of ${options.accounts} accounts, MB more`,
    judged: sessions?.moreMb,
    most: MOST.sessionsMb,
  },
  {
    figure: `memory for answers of ${options.megabytes} MB, MB more`,
    judged: hostile?.huge.moreMb,
    most: MOST.hugeMb,
  },
  {
    figure: `time of calls beside ${options.changes} changes of the list`,
    judged: hostile?.changes.median.ratio,
    most: MOST.changes,
  },
  {
    figure: `slowest call beside ${options.changes} changes of the list`,
    judged: hostile?.changes.slowest.ratio,
    most: MOST.changes,
  },
].flatMap(({ judged, ...row }) => (judged === undefined ? [] : [{ ...row, judged }]));
console.table(figures.map((row) => ({ ...row, judged: rounded(row.judged) })));
const document = {
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  cpu: `${cpus().length} x ${cpus()[0]?.model}`,
  load: loadavg(),
  rounds: ROUNDS,
  calls: CALLS,
  figures,
  cpuMsPerCall: cpu,
  sessions,
  ...hostile,
};
const json = JSON.stringify(
  document,
  (_key, value: unknown) => (typeof value === 'number' ? rounded(value) : value),
  2,
);
writeFileSync(options.results, `${json}\n`);
const missed = figures.filter(({ judged, most }) => !(judged <= most));
if (missed.length > 0 && !options.unbounded) {
  console.error(`Beyond the bound: ${missed.map(({ figure }) => figure).join('; ')}`);
  process.exitCode = 1;
}
