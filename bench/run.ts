/**
 * `npm run bench`: compares Gatehouse with the minimal server, with server-everything and, from the first call
 * on, with openapi-mcp-server, in one run on one machine. `npm run bench -- --peer`: with openapi-mcp-server
 * alone. `npm run bench -- --against <commit>`: compares this program with that of a commit.
 *
 * Absolute numbers depend on the machine; the ratios are what the README states. Writes bench/results/latest.json, or
 * peer.json for openapi-mcp-server alone. Without an option bench/large-catalog.ts and bench/upstreams.ts follow.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareWith } from './against.ts';
import { measureFirstCalls, type FirstCalls } from './first-calls.ts';
import { logLineMicroseconds } from './log-line.ts';
import { measureAll, type Result } from './measure.ts';
import { stop } from './mcp-clients.ts';
import {
  everythingSubject,
  gatehouseSubject,
  minimalSubject,
  openApiSubjects,
  startStandInApi,
} from './subjects.ts';

/** The most that a figure may be in relation to that of openapi-mcp-server. */
const MOST: Partial<Record<keyof FirstCalls, number>> = {
  cpuMsPerCall: 0.9,
  readyMs: 1,
  idleMemoryMb: 1.2,
  memoryMb: 1.2,
};

const { values } = parseArgs({ options: { against: { type: 'string' }, peer: { type: 'boolean' } } });
if (values.against !== undefined) {
  await compareWith(values.against);
} else if (values.peer === true) {
  record('peer.json', await besidePeer());
} else {
  const all = await measureAll(async (apiUrl) => [
    minimalSubject(apiUrl),
    everythingSubject(),
    await gatehouseSubject(apiUrl),
  ]);
  report(all, await besidePeer());
  for (const part of ['large-catalog.ts', 'upstreams.ts']) {
    const file = fileURLToPath(new URL(part, import.meta.url));
    const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

/** Prints the figures of both servers and their ratios, and returns them. */
async function besidePeer() {
  const api = await startStandInApi();
  const subjects = await openApiSubjects(api.line);
  const results = await measureFirstCalls(subjects);
  await stop(api.child);
  const [gatehouse, peer] = subjects.map(({ name }) => results[name] ?? {});
  const ratios: Record<string, number> = {};
  const rows = Object.entries(gatehouse ?? {}).flatMap(([transport, figures]) => {
    const others = peer?.[transport];
    return (Object.keys(figures) as (keyof FirstCalls)[]).map((figure) => {
      const [own, other] = [figures[figure], others?.[figure] ?? Number.NaN];
      ratios[`${figure} over ${transport}`] = own / other;
      return {
        transport,
        figure,
        gatehouse: rounded(own),
        peer: rounded(other),
        ratio: rounded(own / other),
        most: MOST[figure],
      };
    });
  });
  console.table(rows);
  return { ratios, results };
}

function report(all: ReadonlyMap<string, Result>, firstCalls: object): void {
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
  const text = record('latest.json', {
    ratios,
    idleMemoryMb: gatehouse.idleMemoryMb,
    logLineUs: logLineMicroseconds(),
    results: Object.fromEntries(all),
    firstCalls,
  });
  process.stdout.write(text);
}

/** Writes the figures with commit, machine and date. @returns what was written */
function record(file: string, figures: object): string {
  const document = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    ...figures,
  };
  const json = JSON.stringify(
    document,
    (_key, value: unknown) => (typeof value === 'number' ? rounded(value) : value),
    2,
  );
  const text = `${json}\n`;
  writeFileSync(new URL(`results/${file}`, import.meta.url), text);
  return text;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
