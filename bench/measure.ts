/** The measurements of a server: cold start, memory, load over both transports. All servers take turns. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { httpClient, stdioClient, stop, type BenchClient } from './mcp-clients.ts';
import { cpuMs, memoryMb } from './process-usage.ts';
import { startAndRead, type Subject } from './subjects.ts';

const STARTS = 11;
const CONCURRENCIES = [1, 32];
const SETTLE_MS = 3_000;
const WARM_UP_CALLS = 1_500;
const ROUNDS = 5;
const CALLS_PER_ROUND = 1_500;

/** Load over one transport: medians of the rounds. */
export interface Load {
  transport: string;
  concurrency: number;
  callsPerSecond: number;
  cpuMsPerCall: number;
}

/** Every figure of one server. Times in milliseconds, memory in megabytes (10^6). */
export interface Result {
  coldStartMs: number;
  idleMemoryMb: Record<string, number>;
  loadedMemoryMb: Record<string, number>;
  loads: Load[];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Time from spawn to the answer of tools/list. */
async function coldStart(subject: Subject): Promise<number> {
  const startedAt = performance.now();
  const client = await stdioClient(subject.stdio, subject.env);
  await client.request('tools/list', {});
  const took = performance.now() - startedAt;
  await client.close();
  return took;
}

async function callMany(
  client: BenchClient,
  subject: Subject,
  concurrency: number,
  calls: number,
): Promise<void> {
  const [name, args] = subject.hasProviderCall
    ? ['bench_search', { query: 'q' }]
    : ['echo', { message: 'q' }];
  let left = calls;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await client.request('tools/call', { name, arguments: args });
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

interface Opened {
  subject: Subject;
  client: BenchClient;
  close(): Promise<void>;
}

/** Memory some seconds after the start: over stdio after tools/list, over HTTP before the first request. */
async function measureIdleMemory(subject: Subject, { idleMemoryMb }: Result): Promise<void> {
  const client = await stdioClient(subject.stdio, subject.env);
  await client.request('tools/list', {});
  const { child } = await subject.http(subject.env);
  await delay(SETTLE_MS);
  idleMemoryMb.stdio = memoryMb(client.pid);
  idleMemoryMb.http = memoryMb(child.pid ?? 0);
  await client.close();
  await stop(child);
}

/** Starts a subject for load and connects a client. */
async function open(subject: Subject, transport: string): Promise<Opened> {
  if (transport === 'stdio') {
    const client = await stdioClient(subject.stdio, subject.loadEnv);
    return { subject, client, close: async () => client.close() };
  }
  const { url, headers, child } = await subject.http(subject.loadEnv);
  const client = await httpClient(url, child.pid ?? 0, await headers(), Math.max(...CONCURRENCIES));
  return {
    subject,
    client,
    close: async () => {
      await client.close();
      await stop(child);
    },
  };
}

/** Loads all subjects in turns, so that a change in the machine's speed affects all of them alike. */
async function measureLoad(
  opened: readonly Opened[],
  transport: string,
  results: Map<string, Result>,
): Promise<void> {
  for (const concurrency of CONCURRENCIES) {
    const samples = new Map<string, { rate: number[]; cpu: number[] }>();
    for (const { client, subject } of opened) await callMany(client, subject, concurrency, WARM_UP_CALLS);
    for (let round = 0; round < ROUNDS; round++) {
      for (const { client, subject } of opened) {
        const cpuBefore = cpuMs(client.pid);
        const startedAt = performance.now();
        await callMany(client, subject, concurrency, CALLS_PER_ROUND);
        const seconds = (performance.now() - startedAt) / 1000;
        const sample = samples.get(subject.name) ?? { rate: [], cpu: [] };
        sample.rate.push(CALLS_PER_ROUND / seconds);
        sample.cpu.push((cpuMs(client.pid) - cpuBefore) / CALLS_PER_ROUND);
        samples.set(subject.name, sample);
      }
    }
    for (const [name, { rate, cpu }] of samples) {
      results
        .get(name)
        ?.loads.push({ transport, concurrency, callsPerSecond: median(rate), cpuMsPerCall: median(cpu) });
    }
  }
}

/**
 * Measures the servers that `subjectsFor` makes for the address of the provider's stand-in.
 *
 * @returns figures by name of the subject
 */
export async function measureAll(
  subjectsFor: (apiUrl: string) => Promise<readonly Subject[]>,
): Promise<Map<string, Result>> {
  const api = await startAndRead(
    [process.execPath, fileURLToPath(new URL('stand-in-api.ts', import.meta.url))],
    {},
  );
  const measured = (await subjectsFor(api.line)).map((subject) => ({
    subject,
    starts: new Array<number>(),
    result: { coldStartMs: 0, idleMemoryMb: {}, loadedMemoryMb: {}, loads: [] } satisfies Result as Result,
  }));
  const results = new Map(measured.map(({ subject, result }) => [subject.name, result]));

  process.stderr.write(`cold start: ${STARTS} starts each, in turns\n`);
  for (let i = 0; i < STARTS; i++) {
    for (const { subject, starts } of measured) starts.push(await coldStart(subject));
  }
  for (const { starts, result } of measured) result.coldStartMs = median(starts);
  process.stderr.write('idle memory\n');
  for (const { subject, result } of measured) await measureIdleMemory(subject, result);
  for (const transport of ['stdio', 'http']) {
    process.stderr.write(`${transport}: load\n`);
    const opened: Opened[] = [];
    for (const { subject } of measured) opened.push(await open(subject, transport));
    await measureLoad(opened, transport, results);
    for (const { client, subject } of opened) {
      const loaded = results.get(subject.name)?.loadedMemoryMb;
      if (loaded !== undefined) loaded[transport] = memoryMb(client.pid);
    }
    for (const entry of opened) await entry.close();
  }
  await stop(api.child);
  return results;
}
