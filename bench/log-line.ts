/**
 * Measures the log line of a tool call: CPU of calls with the line minus that of calls without it, in turns, in a
 * process whose stderr is a file. Run as a program it prints the microseconds of one line.
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caller } from '../src/core/caller.ts';
import type { Log } from '../src/core/log.ts';
import { createLog } from '../src/core/pino-log.ts';
import { withCallLine } from '../src/executor/call/call-line.ts';

/** A line may cost this much CPU, in microseconds. */
export const MAX_LINE_US = 10;

const ROUNDS = 5;
const CALLS = 10_000;

const CALLER: Caller = {
  kind: 'machine',
  environmentId: 'env_01k9z8y7x6w5v4u3t2s1r0q9p8',
  actor: 'cred_01k9z8y7x6w5v4u3t2s1r0q9p8',
  scopes: new Set(),
  source: 'mcp',
  ip: '',
};
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Measures in a process of its own. */
export function logLineMicroseconds(): number {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-line-'));
  const stderr = openSync(join(folder, 'log'), 'w');
  try {
    const program = fileURLToPath(import.meta.url);
    const stdio: StdioOptions = ['ignore', 'pipe', stderr];
    return Number(execFileSync(process.execPath, [program], { encoding: 'utf8', stdio }));
  } finally {
    closeSync(stderr);
    rmSync(folder, { recursive: true });
  }
}

async function cpuOf(log: Log | undefined): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < CALLS; i++)
    await withCallLine(log, { caller: CALLER, traceparent: TRACEPARENT }, async (facts) => {
      facts.tool_name = 'websearch_search';
      facts.connected_account_id = 'ca_01k9z8y7x6w5v4u3t2s1r0q9p8';
      return { executionId: 'exe_01k9z8y7x6w5v4u3t2s1r0q9p8' };
    });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const log = createLog('info');
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) costs.push((await cpuOf(log)) - (await cpuOf(undefined)));
  process.stdout.write(`${costs.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]}`);
}
