/**
 * `npm run bench`: compares Gatehouse with the minimal server and server-everything, in one run on one
 * machine. `npm run bench -- --against <commit>`: compares this program with that of a commit.
 *
 * Absolute numbers depend on the machine; the ratios are what the README states. Writes bench/results/.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { compareWith } from './against.ts';
import { measureAll, type Result } from './measure.ts';
import { everythingSubject, gatehouseSubject, minimalSubject } from './subjects.ts';

const { values } = parseArgs({ options: { against: { type: 'string' } } });
if (values.against === undefined) {
  report(
    await measureAll(async (apiUrl) => [
      minimalSubject(apiUrl),
      everythingSubject(),
      await gatehouseSubject(apiUrl),
    ]),
  );
} else {
  await compareWith(values.against);
}

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
