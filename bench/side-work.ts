/**
 * `node bench/side-work.ts [--rows 200000] [--seconds 20] [--rounds 1]`: how long tool calls and `/healthz` take on
 * SQLite while something else works, and how long a start takes with a large file.
 *
 * Fills a database with records of calls, half of them over. A round starts the built program for each kind of work,
 * makes 20 calls a second for a while, and as long again during the work: the most expensive list, retention, a backup.
 * The figures are medians of the rounds, the ratios are taken within a round. Writes bench/results/side-work.json.
 *
 * `--rows 5000000 --seconds 60 --rounds 3` is the promised figure: it needs 10 GB below TMPDIR and 45 minutes.
 */
import { execFile, execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import SqliteHandle from 'better-sqlite3';
import { Deployment } from '../test/support/deployment/deployment.ts';
import type { ServerProcess } from '../test/support/deployment/server-process.ts';
import { builtProgram } from '../test/support/program.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '1' },
    starts: { type: 'string', default: '5' },
    only: { type: 'string' },
    results: { type: 'string', default: join(import.meta.dirname, 'results/side-work.json') },
  },
});
const ROWS = Number(options.rows);
const PHASE_MS = Number(options.seconds) * 1_000;
const ROUNDS = Number(options.rounds);
const STARTS = Number(options.starts);

const DAY_MS = 86_400_000;
const CALL_EVERY_MS = 50;
const HEALTH_EVERY_MS = 10;
const WARM_UP_MS = Math.min(5_000, PHASE_MS);
const ACCOUNTS = 1_000;
const RUN_LATE_MS = 60_000;
const PROGRAM = builtProgram();
const LIST_LOOP = join(import.meta.dirname, 'list-loop.ts');

/** Retention begins a minute after the start; with this nothing is over. */
const NOTHING_IS_OVER = { GATEHOUSE_RETENTION_EXECUTIONS: '3650d' };

/** Lists of REST that have much to read, in a table of the rows below. The slowest of them is asked for in a loop. */
const LISTS = [
  '/executions?page_size=100',
  '/executions?status=error&page_size=100',
  '/executions?source=mcp&page_size=100',
  '/executions?connector=notes&status=ok&page_size=100',
  // No row has both, and each alone has many.
  '/executions?tool_name=tool_1&source=cli',
  '/executions?connector=notes&source=cli',
  '/connected_accounts?query=user-',
  '/audit?page_size=100',
];

interface Times {
  p50: number;
  p99: number;
  max: number;
}

/** One stretch of calls, in milliseconds. */
interface Phase {
  seconds: number;
  calls: Times;
  healthz: Times;
  /** Delay of the server's own 10 ms timer, over all its turns. */
  eventLoop: { p99: number; max: number };
}

/** One kind of work, and the stretch before it. */
interface Round {
  work: string;
  base: Phase;
  during: Phase;
  done: number;
}

/** Work of a server in addition to the calls. */
interface Work {
  name: string;
  env: Readonly<Record<string, string>>;
  /** @returns how often it was done, or how many rows it removed */
  run: (server: ServerProcess, isOver: () => boolean) => Promise<number>;
}

/** Records of calls from 60 days ago until now: one in fifty failed, each account of an owner, no pair of `tool_1` and `cli`. */
function fill(file: string, accountId: string): void {
  const handle = new SqliteHandle(file);
  handle.pragma('synchronous = off');
  handle.pragma('cache_size = -800000');
  const environment = handle.prepare("select id from environments where name = 'development'").pluck().get();
  const start = Date.now() - 60 * DAY_MS;
  const insert =
    handle.prepare(`insert into executions (id, environment_id, tool_name, connected_account_id, source,
      status, error_code, duration_ms, at, user_id, organization_id, connector)
    with recursive n(i) as (select $from union all select i + 1 from n where i < $to - 1)
    select 'exe_' || printf('%026d', i), $environment, 'tool_' || (i % 20),
      case when i % ${ACCOUNTS} = 0 then $account else 'ca_' || printf('%026d', i % ${ACCOUNTS}) end,
      case i % 20 when 3 then 'cli' when 5 then 'mcp' else 'api' end,
      case when i % 50 = 0 then 'error' else 'ok' end, case when i % 50 = 0 then 'TOOL_ERROR' end, 100,
      cast($start + 1.0 * i / ${ROWS} * ${60 * DAY_MS} as integer),
      'user-' || (i % ${ACCOUNTS}), '', case i % 20 when 3 then 'mail' else 'notes' end from n`);
  for (let from = 0; from < ROWS; from += 100_000)
    insert.run({ from, to: Math.min(from + 100_000, ROWS), environment, account: accountId, start });
  handle.pragma('optimize(0x10012)');
  handle.close();
}

/** Makes calls and asks `/healthz` at fixed intervals until `work` ends. */
async function phase(
  server: ServerProcess,
  token: string,
  work: (isOver: () => boolean) => Promise<unknown>,
): Promise<Phase> {
  const [healthz, calls]: [number[], number[]] = [[], []];
  const running: Promise<void>[] = [];
  const every = (ms: number, into: number[], act: () => Promise<unknown>) =>
    setInterval(() => running.push(timed(act).then((took) => void into.push(took))), ms);
  await eventLoopOf(server, token);
  const timers = [
    every(HEALTH_EVERY_MS, healthz, async () => (await fetch(`${server.url}/healthz`)).text()),
    every(CALL_EVERY_MS, calls, async () => {
      const { status, text } = await server.call('user');
      if (status !== 200) throw new Error(text);
    }),
  ];
  const startedAt = performance.now();
  await work(() => performance.now() - startedAt >= PHASE_MS);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  for (const timer of timers) clearInterval(timer);
  await Promise.all(running);
  return {
    seconds,
    calls: timesOf(calls),
    healthz: timesOf(healthz),
    eventLoop: await eventLoopOf(server, token),
  };
}

/** Delays that the server reports since the last request for them. */
async function eventLoopOf(server: ServerProcess, token: string): Promise<Phase['eventLoop']> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  const of = (name: string): number => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1];
    return rounded(Number(seconds) * 1_000);
  };
  return { p99: of('p99'), max: of('max') };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function timesOf(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => rounded(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function repeat(isOver: () => boolean, work: () => Promise<unknown>): Promise<number> {
  let times = 0;
  for (; !isOver(); times++) await work();
  return times;
}

/** The list that takes longest, each asked for twice. */
async function slowestList(server: ServerProcess): Promise<{ path: string; ms: number }> {
  const lists = [];
  for (const path of LISTS) {
    const times = [];
    for (let n = 0; n < 2; n++)
      times.push(
        await timed(async () => {
          const { status, text } = await server.api('GET', path);
          if (status !== 200) throw new Error(`${path}: ${text}`);
        }),
      );
    lists.push({ path, ms: rounded(Math.min(...times)) });
  }
  console.table(lists);
  return lists.reduce((slowest, list) => (list.ms > slowest.ms ? list : slowest));
}

/** Milliseconds from the start of the process to its first answers. */
async function start(
  deployment: Deployment,
): Promise<{ healthz: number; call: number; server: ServerProcess }> {
  const startedAt = performance.now();
  const server = await deployment.serve({}, PROGRAM);
  await (await fetch(`${server.url}/healthz`)).text();
  const healthz = rounded(performance.now() - startedAt);
  const { status, text } = await server.call('user');
  if (status !== 200) throw new Error(text);
  return { healthz, call: rounded(performance.now() - startedAt), server };
}

async function open(): Promise<{ deployment: Deployment; file: string; accountId: string }> {
  const deployment = await Deployment.open();
  const server = await deployment.serve({}, PROGRAM);
  await deployment.connect(server, 'user', DAY_MS);
  const { body } = await server.api('GET', '/connected_accounts?user_id=user');
  await server.stop();
  return {
    deployment,
    file: join(deployment.dir, 'data/gatehouse.db'),
    accountId: body.connected_accounts?.[0]?.id ?? '',
  };
}

/** A small file and the large one in turns, after a clean and after an unclean end. */
async function starts(small: Deployment, large: Deployment) {
  const taken: Record<string, { healthz: number[]; call: number[] }> = {};
  const note = (name: string, { healthz, call }: { healthz: number; call: number }): void => {
    const into = (taken[name] ??= { healthz: [], call: [] });
    into.healthz.push(healthz);
    into.call.push(call);
  };
  for (let n = 0; n < STARTS; n++) {
    const first = await start(small);
    note('small file', first);
    await first.server.stop();
    const second = await start(large);
    note('after a clean end', second);
    await second.server.kill();
    const third = await start(large);
    note('after kill -9', third);
    await third.server.stop();
  }
  return Object.entries(taken).map(([name, { healthz, call }]) => ({
    name,
    healthz: median(healthz),
    call: median(call),
  }));
}

/** Prints and writes what all rounds so far say. */
function report({
  works,
  rounds,
  ...facts
}: {
  fileMb: number;
  startsMs: unknown;
  works: string[];
  rounds: Round[];
}): void {
  const results = works.map((work) => {
    const own = rounds.filter((round) => round.work === work);
    const middle = (of: (round: Round) => number): number => rounded(median(own.map(of)));
    return {
      work,
      done: middle(({ done }) => done),
      'call p99 before': middle(({ base }) => base.calls.p99),
      'call p99 during': middle(({ during }) => during.calls.p99),
      'call p99 ratio': middle(({ base, during }) => during.calls.p99 / base.calls.p99),
      'healthz p99 before': middle(({ base }) => base.healthz.p99),
      'healthz p99 during': middle(({ during }) => during.healthz.p99),
      'healthz max during': middle(({ during }) => during.healthz.max),
      'event loop p99 before': middle(({ base }) => base.eventLoop.p99),
      'event loop p99 during': middle(({ during }) => during.eventLoop.p99),
      'event loop max before': middle(({ base }) => base.eventLoop.max),
      'event loop max during': middle(({ during }) => during.eventLoop.max),
    };
  });
  console.table(results);
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const document = {
    commit: git('rev-parse', '--short', 'HEAD'),
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    // Above the number of processors, what others do on the machine is in the figures.
    loadAverage: rounded(loadavg()[0] ?? 0),
    rows: ROWS,
    ...facts,
    results,
    rounds,
  };
  writeFileSync(options.results, `${JSON.stringify(document, null, 2)}\n`);
}

const opened = await open();
const small = await open();
try {
  const { deployment, file } = opened;
  const filling = performance.now();
  fill(file, opened.accountId);
  const fileMb = Math.round(statSync(file).size / 1e6);
  console.log(`${ROWS} rows, ${fileMb} MB, filled in ${Math.round((performance.now() - filling) / 1_000)} s`);

  const started = await starts(small.deployment, deployment);
  console.table(started);

  const look = await deployment.serve(NOTHING_IS_OVER, PROGRAM);
  const slowest = await slowestList(look);
  await look.stop();

  const copy = join(deployment.dir, 'copy.db');
  const works: readonly Work[] = [
    {
      name: `list ${slowest.path}, in a loop`,
      env: NOTHING_IS_OVER,
      run: async (server, isOver) => {
        const token = await deployment.token(server);
        const env = { ...process.env, LIST_URL: `${server.url}/api/v1${slowest.path}`, LIST_TOKEN: token };
        const looping = promisify(execFile)(process.execPath, [LIST_LOOP], { env });
        await Promise.race([repeat(isOver, async () => sleep(100)), looping]);
        looping.child.stdin?.end();
        return Number((await looping).stdout);
      },
    },
    {
      name: 'retention',
      env: {},
      run: async (_server, isOver) => {
        const handle = new SqliteHandle(file, { readonly: true });
        const oldest = handle.prepare('select id from executions order by at, id limit 1').pluck();
        const before = Number(String(oldest.get()).slice('exe_'.length));
        await repeat(isOver, async () => sleep(100));
        const after = Number(String(oldest.get()).slice('exe_'.length));
        handle.close();
        return after - before;
      },
    },
    {
      name: 'backup, in a loop',
      env: NOTHING_IS_OVER,
      run: async (_server, isOver) => {
        const ending = new AbortController();
        const { env } = deployment;
        let done = 0;
        const looping = (async () => {
          while (!ending.signal.aborted) {
            const args = [PROGRAM, 'backup', copy, '--force'];
            await promisify(execFile)(process.execPath, args, { env, signal: ending.signal });
            done += 1;
          }
        })().catch((error: unknown) => {
          if (!ending.signal.aborted) throw error;
        });
        await Promise.race([repeat(isOver, async () => sleep(100)), looping]);
        ending.abort();
        await looping;
        execFileSync('sh', ['-c', `rm -f ${copy}*`]);
        return done;
      },
    },
  ];
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const work of works.filter(
      ({ name }) => options.only === undefined || name.startsWith(options.only),
    )) {
      const startedAt = performance.now();
      const server = await deployment.serve(work.env, PROGRAM);
      const token = await deployment.token(server);
      const idle = async (isOver: () => boolean) => repeat(isOver, async () => sleep(10));
      await phase(server, token, async () => sleep(WARM_UP_MS));
      const isRetention = work.name === 'retention';
      const base = await phase(server, token, async (isOver) =>
        // Of a run of retention only the beginning is near.
        idle(() => isOver() || (isRetention && performance.now() - startedAt > RUN_LATE_MS - 1_000)),
      );
      if (isRetention) await sleep(RUN_LATE_MS + 500 - (performance.now() - startedAt));
      let done = 0;
      const during = await phase(server, token, async (isOver) => {
        done = await work.run(server, isOver);
      });
      await server.stop();
      rounds.push({ work: work.name, base, during, done });
      console.log(work.name, JSON.stringify({ base, during, done }));
    }
    report({ fileMb, startsMs: started, works: works.map(({ name }) => name), rounds });
  }
} finally {
  await opened.deployment.close();
  await small.deployment.close();
}
