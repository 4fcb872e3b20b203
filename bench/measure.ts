/** The measurements of a server: cold start, memory, load over both transports. All servers take turns. */
import { setTimeout as delay } from 'node:timers/promises';
import { httpClient, stdioClient, stop, type BenchClient } from './mcp-clients.ts';
import { cpuMs, memoryMb } from './process-usage.ts';
import { startStandInApi, type Subject } from './subjects.ts';

const STARTS = 11;
const CONCURRENCIES = [1, 32];
const SETTLE_MS = 3_000;
const WARM_UP_CALLS = 1_500;
/** Processes of each server, one after the other: each is a little faster or slower for as long as it runs. */
const INSTANCES = 5;
/** Short rounds in turns: the machine is as fast, or as busy, for all servers in each of them. */
const ROUNDS = 5;
const CALLS_PER_ROUND = 800;

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
  /** Median of the rounds. */
  loadedMemoryMb: Record<string, number>;
  loads: Load[];
  /** Values measured in turns with other servers, by figure: the n-th value belongs to the n-th of theirs. */
  turns: Map<string, number[]>;
}

/** The middle one of an odd number of values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Time from spawn to the answer of tools/list. */
async function coldStart(subject: Subject): Promise<number> {
  const startedAt = performance.now();
  const client = await stdioClient(subject.stdio, subject.env);
  await client.request('tools/list', {});
  const took = performance.now() - startedAt;
  await client.close();
  return took;
}

/** Calls the subject's tool so often, some calls at a time. */
export async function callMany(
  client: BenchClient,
  subject: Pick<Subject, 'call'>,
  concurrency: number,
  calls: number,
): Promise<void> {
  let left = calls;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await client.request('tools/call', subject.call);
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
    for (const { client, subject } of opened) await callMany(client, subject, concurrency, WARM_UP_CALLS);
    const names = turnNames(transport, concurrency);
    for (let round = 0; round < ROUNDS; round++) {
      for (const { client, subject } of opened) {
        const result = results.get(subject.name);
        if (result === undefined) continue;
        const cpuBefore = cpuMs(client.pid);
        const startedAt = performance.now();
        await callMany(client, subject, concurrency, CALLS_PER_ROUND);
        const seconds = (performance.now() - startedAt) / 1000;
        noteTurn(result, names.rate, CALLS_PER_ROUND / seconds);
        noteTurn(result, names.cpu, (cpuMs(client.pid) - cpuBefore) / CALLS_PER_ROUND);
        noteTurn(result, names.memory, memoryMb(client.pid));
      }
    }
  }
}

/** Notes the medians of all turns. */
function summarize(result: Result): void {
  const of = (name: string) => median(result.turns.get(name) ?? []);
  for (const transport of ['stdio', 'http'])
    for (const concurrency of CONCURRENCIES) {
      const { rate, cpu, memory } = turnNames(transport, concurrency);
      result.loads.push({ transport, concurrency, callsPerSecond: of(rate), cpuMsPerCall: of(cpu) });
      result.loadedMemoryMb[transport] = of(memory);
    }
}

const COLD_START = 'cold start, ms';

function turnNames(transport: string, concurrency: number) {
  return {
    rate: `calls per second, ${transport} at ${concurrency}`,
    cpu: `CPU per call, ${transport} at ${concurrency}, ms`,
    memory: `memory after load, ${transport}, MB`,
  };
}

function newResult(): Result {
  return { coldStartMs: 0, idleMemoryMb: {}, loadedMemoryMb: {}, loads: [], turns: new Map() };
}

function noteTurn({ turns }: Result, name: string, value: number): void {
  const values = turns.get(name) ?? [];
  turns.set(name, [...values, value]);
}

/**
 * Measures the servers that `subjectsFor` makes for the address of the provider's stand-in.
 *
 * @returns figures by name of the subject
 */
export async function measureAll(
  subjectsFor: (apiUrl: string) => Promise<readonly Subject[]>,
): Promise<Map<string, Result>> {
  const api = await startStandInApi();
  const measured = (await subjectsFor(api.line)).map((subject) => ({
    subject,
    result: newResult(),
  }));
  const results = new Map(measured.map(({ subject, result }) => [subject.name, result]));

  process.stderr.write(`cold start: ${STARTS} starts each, in turns\n`);
  for (let i = 0; i < STARTS; i++) {
    for (const { subject, result } of measured) noteTurn(result, COLD_START, await coldStart(subject));
  }
  for (const { result } of measured) result.coldStartMs = median(result.turns.get(COLD_START) ?? []);
  process.stderr.write('idle memory\n');
  for (const { subject, result } of measured) await measureIdleMemory(subject, result);
  for (let instance = 0; instance < INSTANCES; instance++) {
    const order = instance % 2 === 0 ? measured : measured.toReversed();
    for (const transport of ['stdio', 'http']) {
      process.stderr.write(`${transport}: load\n`);
      const opened: Opened[] = [];
      for (const { subject } of order) opened.push(await open(subject, transport));
      await measureLoad(opened, transport, results);
      for (const entry of opened) await entry.close();
    }
  }
  for (const { result } of measured) summarize(result);
  await stop(api.child);
  return results;
}
