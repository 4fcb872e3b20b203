/**
 * `npm run bench`: Gatehouse beside the minimal server and server-everything, in one run on one machine.
 *
 * Absolute numbers depend on the machine; the ratios are what the README states. Writes bench/results/.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { httpClient, stdioClient, stop, type BenchClient } from './mcp-clients.ts';
import { cpuMs, memoryMb } from './process-usage.ts';
import {
  everythingSubject,
  gatehouseSubject,
  minimalSubject,
  startAndRead,
  type Subject,
} from './subjects.ts';

const STARTS = 11;
const CONCURRENCIES = [1, 32];
const SETTLE_MS = 3_000;
const WARM_UP_CALLS = 1_500;
const ROUNDS = 5;
const CALLS_PER_ROUND = 1_500;

interface Load {
  transport: string;
  concurrency: number;
  callsPerSecond: number;
  cpuMsPerCall: number;
}

interface Result {
  coldStartMs: number;
  idleMemoryMb: Record<string, number>;
  loadedMemoryMb: Record<string, number>;
  loads: Load[];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** From spawn to the answer of tools/list. */
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

/** Memory some seconds after the start: over stdio after tools/list, over HTTP before anybody asked. */
async function measureIdleMemory(subject: Subject): Promise<void> {
  const { idleMemoryMb } = resultOf(subject);
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

/** Loads all subjects in turns, so that a change of the machine's mood hits each of them alike. */
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

const api = await startAndRead(
  [process.execPath, fileURLToPath(new URL('stand-in-api.ts', import.meta.url))],
  {},
);
const subjects = [minimalSubject(api.line), everythingSubject(), await gatehouseSubject(api.line)];
const results = new Map<string, Result>(
  subjects.map(({ name }) => [name, { coldStartMs: 0, idleMemoryMb: {}, loadedMemoryMb: {}, loads: [] }]),
);

function resultOf({ name }: Subject): Result {
  const result = results.get(name);
  if (result === undefined) throw new Error(`no result of ${name}`);
  return result;
}

process.stderr.write(`cold start: ${STARTS} starts each, in turns\n`);
const starts = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
for (let i = 0; i < STARTS; i++) {
  for (const subject of subjects) starts.get(subject.name)?.push(await coldStart(subject));
}
for (const subject of subjects) resultOf(subject).coldStartMs = median(starts.get(subject.name) ?? []);
process.stderr.write('idle memory\n');
for (const subject of subjects) await measureIdleMemory(subject);
for (const transport of ['stdio', 'http']) {
  process.stderr.write(`${transport}: load\n`);
  const opened = [];
  for (const subject of subjects) opened.push(await open(subject, transport));
  await measureLoad(opened, transport, results);
  for (const { client, subject } of opened)
    resultOf(subject).loadedMemoryMb[transport] = memoryMb(client.pid);
  for (const entry of opened) await entry.close();
}
await stop(api.child);
report(results);

function report(all: ReadonlyMap<string, Result>): void {
  const [gatehouse, minimal, everything] = ['gatehouse', 'minimal', 'server-everything'].map((name) =>
    all.get(name),
  );
  if (gatehouse === undefined || minimal === undefined || everything === undefined)
    throw new Error('a subject is missing');
  const ratios: Record<string, number> = {
    'cold start over stdio, to server-everything': gatehouse.coldStartMs / everything.coldStartMs,
    'cold start over stdio, to minimal': gatehouse.coldStartMs / minimal.coldStartMs,
  };
  for (const load of gatehouse.loads) {
    const other = minimal.loads.find(
      (candidate) => candidate.transport === load.transport && candidate.concurrency === load.concurrency,
    );
    const where = `over ${load.transport} at ${load.concurrency}, to minimal`;
    ratios[`CPU per call ${where}`] = load.cpuMsPerCall / (other?.cpuMsPerCall ?? Number.NaN);
    ratios[`calls per second ${where}`] = load.callsPerSecond / (other?.callsPerSecond ?? Number.NaN);
  }
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  const document = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    ratios,
    idleMemoryMb: gatehouse.idleMemoryMb,
    results: Object.fromEntries(all),
  };
  const text = JSON.stringify(document, round, 2);
  writeFileSync(new URL('results/latest.json', import.meta.url), `${text}\n`);
  process.stdout.write(`${text}\n`);
}
