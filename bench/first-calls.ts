/**
 * Measures the cost of a server from its first call on: fresh processes, no warm-up. A desktop client stays in the
 * first thousand calls. The servers take turns, and every figure is the median of the runs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { httpClient, stdioClient, stop, type BenchClient } from './mcp-clients.ts';
import { callMany, median } from './measure.ts';
import { cpuMs, memoryMb } from './process-usage.ts';
import type { Subject } from './subjects.ts';

const RUNS = 5;
const CONCURRENCY = 16;
const FIRST_CALLS = 1_000;
const CALLS = 6_700;
const SETTLE_MS = 3_000;

/** One server over one transport. Times in milliseconds, memory in megabytes (10^6). */
export interface FirstCalls {
  /** From spawn to the answer of tools/list. Over HTTP the client has its access token from before. */
  readyMs: number;
  idleMemoryMb: number;
  cpuMsPerCallOfFirst: number;
  cpuMsPerCall: number;
  memoryMb: number;
  /** After a request for an access token; the same as `memoryMb` where none is needed. */
  memoryWithTokenMb: number;
}

interface Started {
  client: BenchClient;
  /** Requests an access token, where the server needs one. */
  requestToken: () => Promise<unknown>;
  close: () => Promise<void>;
}

type Start = () => Promise<Started>;

/** @returns figures by name of the subject and transport */
export async function measureFirstCalls(
  subjects: readonly Subject[],
): Promise<Record<string, Record<string, FirstCalls>>> {
  const starts: { subject: Subject; transport: string; start: Start; runs: FirstCalls[] }[] = [];
  for (const subject of subjects) {
    starts.push({ subject, transport: 'stdio', start: stdioStart(subject), runs: [] });
    starts.push({ subject, transport: 'http', start: await httpStart(subject), runs: [] });
  }
  for (let run = 1; run <= RUNS; run++) {
    process.stderr.write(`first calls: run ${run} of ${RUNS}\n`);
    for (const { subject, start, runs } of starts) runs.push(await measureOne(subject, start));
  }
  const results: Record<string, Record<string, FirstCalls>> = {};
  for (const { subject, transport, runs } of starts)
    (results[subject.name] ??= {})[transport] = medians(runs);
  return results;
}

function stdioStart(subject: Subject): Start {
  return async () => {
    const client = await stdioClient(subject.stdio, subject.loadEnv);
    return { client, requestToken: async () => {}, close: async () => client.close() };
  };
}

async function httpStart(subject: Subject): Promise<Start> {
  const before = await subject.http(subject.loadEnv);
  const headers = await before.headers();
  await stop(before.child);
  return async () => {
    const { url, child, headers: ask } = await subject.http(subject.loadEnv);
    const client = await httpClient(url, child.pid ?? 0, headers, CONCURRENCY);
    return {
      client,
      requestToken: ask,
      close: async () => {
        await client.close();
        await stop(child);
      },
    };
  };
}

async function measureOne(subject: Subject, start: Start): Promise<FirstCalls> {
  const startedAt = performance.now();
  const { client, requestToken, close } = await start();
  await client.request('tools/list', {});
  const readyMs = performance.now() - startedAt;
  await delay(SETTLE_MS);
  const idleMemoryMb = memoryMb(client.pid);
  const cpuBefore = cpuMs(client.pid);
  await callMany(client, subject, CONCURRENCY, FIRST_CALLS);
  const cpuOfFirst = cpuMs(client.pid) - cpuBefore;
  await callMany(client, subject, CONCURRENCY, CALLS - FIRST_CALLS);
  const cpu = cpuMs(client.pid) - cpuBefore;
  const memoryAfterMb = memoryMb(client.pid);
  await requestToken();
  const memoryWithTokenMb = memoryMb(client.pid);
  await close();
  return {
    readyMs,
    idleMemoryMb,
    cpuMsPerCallOfFirst: cpuOfFirst / FIRST_CALLS,
    cpuMsPerCall: cpu / CALLS,
    memoryMb: memoryAfterMb,
    memoryWithTokenMb,
  };
}

function medians(runs: readonly FirstCalls[]): FirstCalls {
  const of = (key: keyof FirstCalls): number => median(runs.map((run) => run[key]));
  return {
    readyMs: of('readyMs'),
    idleMemoryMb: of('idleMemoryMb'),
    cpuMsPerCallOfFirst: of('cpuMsPerCallOfFirst'),
    cpuMsPerCall: of('cpuMsPerCall'),
    memoryMb: of('memoryMb'),
    memoryWithTokenMb: of('memoryWithTokenMb'),
  };
}
