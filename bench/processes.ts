/**
 * `node bench/processes.ts [--calls 800] [--runs 5]`: what a call costs with one, two and four processes on one
 * Postgres: CPU time of the process that serves it, and statements.
 *
 * Every process gets the same load, bursts of calls over MCP and REST of users that all processes share. All processes
 * run the whole time and take turns, so that a change in the machine's speed affects every number of them alike. Writes
 * bench/results/processes.json.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Deployment } from '../test/support/deployment/deployment.ts';
import type { ServerProcess } from '../test/support/deployment/server-process.ts';
import { TestPostgres } from '../test/support/postgres.ts';
import { httpClient, type BenchClient } from './mcp-clients.ts';

const PROCESSES = [1, 2, 4];

/** Calls of one burst at one process, half of them over MCP, each for another user. */
const BURST = 8;

/** A burst begins so often, unless the one before is not answered yet. */
const BURST_EVERY_MS = 100;

/** In each run, the numbers of processes take turns so many times, and the processes too. */
const TURNS = 4;

/** Records of MCP calls are stored at most 25 ms after the answer. */
const STORED_AFTER_MS = 200;

const USERS = Array.from({ length: BURST }, (_, n) => `user-${n}`);

/** Cost of a call with a number of processes: medians of the runs. */
export interface ProcessCost {
  processes: number;
  /** Of the process that serves the call. */
  cpuMsPerCall: number;
  statementsPerCall: number;
}

interface ProcessCosts {
  costs: readonly ProcessCost[];
  /** Costs of several processes, divided by those of one. */
  ratios: readonly ProcessCost[];
}

/** A process, and a client of it for each user. */
interface Served {
  server: ServerProcess;
  authorization: string;
  clients: readonly BenchClient[];
}

/**
 * Measures every number of processes in turns.
 *
 * @param options.calls that each process serves in each run
 */
export async function measureProcesses({
  calls,
  runs,
}: {
  calls: number;
  runs: number;
}): Promise<ProcessCosts> {
  const postgres = new TestPostgres();
  try {
    const databaseUrl = await postgres.createDatabase(true);
    const deployment = await Deployment.open({ databaseUrl, env: { GATEHOUSE_LOG_LEVEL: 'warn' } });
    try {
      const most = Math.max(...PROCESSES);
      const all: Served[] = [];
      while (all.length < most) {
        const server = await deployment.serve();
        if (all.length === 0) for (const user of USERS) await deployment.connect(server, user);
        all.push(await served(deployment, server));
      }
      for (const one of all) await load([one], calls);
      const samples = new Map(PROCESSES.map((count): [number, ProcessCost[]] => [count, []]));
      for (let run = 0; run < runs; run++) {
        const parts = new Map(PROCESSES.map((count): [number, ProcessCost[]] => [count, []]));
        for (let turn = 0; turn < TURNS; turn++)
          for (const [count, ofCount] of parts) {
            const some = Array.from({ length: count }, (_, n) => all[(turn + n) % most]);
            ofCount.push(
              await sample(
                some.filter((one) => one !== undefined),
                calls / TURNS,
              ),
            );
          }
        for (const [count, ofCount] of parts) samples.get(count)?.push(combined(count, ofCount, mean));
      }
      await Promise.all(all.flatMap(({ clients }) => clients.map(async (client) => client.close())));
      return report([...samples].map(([processes, costs]) => combined(processes, costs, median)));
    } finally {
      await deployment.close();
    }
  } finally {
    await postgres.stop();
  }
}

/** A process with a client of each user. */
async function served(deployment: Deployment, server: ServerProcess): Promise<Served> {
  const authorization = `Bearer ${await deployment.token(server)}`;
  const clients: BenchClient[] = [];
  for (const user of USERS) {
    const headers = { authorization, 'gatehouse-user-id': user };
    clients.push(await httpClient(`${server.url}/mcp`, server.child.pid ?? 0, headers, 1));
  }
  return { server, authorization, clients };
}

/** Gives every process so many calls. */
async function load(some: readonly Served[], calls: number): Promise<void> {
  for (let left = calls; left > 0; left -= BURST) {
    const due = sleep(BURST_EVERY_MS);
    await Promise.all(some.map(burst));
    await due;
  }
}

/** @throws Error if a call fails */
async function burst({ server, clients }: Served): Promise<void> {
  await Promise.all(
    clients.map(async (client, n) => {
      if (n % 2 === 0) return client.request('tools/call', { name: 'ledger_list', arguments: {} });
      const { status, text } = await server.call(USERS[n] ?? '');
      if (status !== 200) throw new Error(text);
      return undefined;
    }),
  );
}

async function sample(some: readonly Served[], calls: number): Promise<ProcessCost> {
  const before = await used(some);
  await load(some, calls);
  await sleep(STORED_AFTER_MS);
  const after = await used(some);
  const all = Math.ceil(calls / BURST) * BURST * some.length;
  return {
    processes: some.length,
    cpuMsPerCall: (after.cpuMs - before.cpuMs) / all,
    statementsPerCall: (after.statements - before.statements) / all,
  };
}

/** CPU time and statements of the processes so far, as they say: the system tells CPU time in steps of 10 ms. */
async function used(some: readonly Served[]): Promise<{ cpuMs: number; statements: number }> {
  const sum = { cpuMs: 0, statements: 0 };
  for (const { server, authorization } of some) {
    const response = await fetch(`${server.url}/metrics`, { headers: { authorization } });
    const metrics = await response.text();
    if (!response.ok) throw new Error(metrics);
    for (const [, count] of metrics.matchAll(
      /^gatehouse_database_statement_duration_seconds_count\{.*\} (\d+)$/gm,
    ))
      sum.statements += Number(count);
    sum.cpuMs += Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]) * 1_000;
  }
  return sum;
}

function combined(
  processes: number,
  costs: readonly ProcessCost[],
  combine: (values: readonly number[]) => number,
): ProcessCost {
  return {
    processes,
    cpuMsPerCall: combine(costs.map((cost) => cost.cpuMsPerCall)),
    statementsPerCall: combine(costs.map((cost) => cost.statementsPerCall)),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(costs: readonly ProcessCost[]): ProcessCosts {
  const [one, ...several] = costs;
  if (one === undefined) throw new Error('Nothing was measured.');
  const ratios = several.map(({ processes, cpuMsPerCall, statementsPerCall }) => ({
    processes,
    cpuMsPerCall: cpuMsPerCall / one.cpuMsPerCall,
    statementsPerCall: statementsPerCall / one.statementsPerCall,
  }));
  return { costs, ratios };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { calls: { type: 'string', default: '800' }, runs: { type: 'string', default: '5' } },
  });
  const cwd = import.meta.dirname;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' }).trim();
  const measured = await measureProcesses({ calls: Number(values.calls), runs: Number(values.runs) });
  const document = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    // Above the number of processors, what others do on the machine is in the figures.
    loadAverage: loadavg()[0],
    callsPerProcess: Number(values.calls),
    runs: Number(values.runs),
    ...measured,
  };
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  const text = JSON.stringify(document, round, 2);
  process.stdout.write(`${text}\n`);
  writeFileSync(new URL('results/processes.json', import.meta.url), `${text}\n`);
}

if (import.meta.main) await main();
