/**
 * `npm run bench:scale -- [--part NAME]… [--database sqlite|postgres] [--scale 0.01] [--minutes 15] [--rounds 40]
 * [--output FILE]`: what grows with the number of accounts, on both databases.
 *
 * Fills installations with 1,000, 100,000 and 1,000,000 accounts, times the scale, and everything else in proportion:
 * five executions and one line of the audit log for each. Then it runs the parts and adds their figures to
 * bench/results/scale.json. A row that misses its bound is marked, and the program ends with 1. Below scale 1 nothing is
 * marked, because the sizes are not beyond the bound up to which lists are counted.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Dialect } from '../src/store/engine/database.ts';
import { rowsFor } from '../test/support/growing-rows.ts';
import { TestPostgres } from '../test/support/postgres.ts';
import { measureProcesses } from './processes.ts';
import { measureFaults } from './scale/faults.ts';
import { rounded, type Row } from './scale/figures.ts';
import { newInstallation, type Installation } from './scale/installation.ts';
import { measureLists } from './scale/lists.ts';
import { measureOperations } from './scale/operations.ts';
import { soak } from './scale/soak.ts';

/** The result of a part. */
interface Found {
  rows?: readonly Row[];
  figures?: Readonly<Record<string, unknown>>;
  /** Sentences about what is not as promised. */
  failures?: readonly string[];
}

/** The parts, each for the installations of one database, smallest first. */
const PARTS: Readonly<Record<string, (installations: readonly Installation[]) => Promise<Found>>> = {
  lists: async (installations) => ({ rows: await measureLists(installations, ROUNDS) }),
  operations: async (installations) => ({ rows: await measureOperations(installations, ROUNDS) }),
  processes: async ([one]) => (one?.dialect === 'postgres' ? processes() : {}),
  faults: async (installations) => measureFaults(installations.at(-1)),
  soak: async (installations) => soak(installations.at(-1), MINUTES * 60_000),
};

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    scale: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '40' },
    output: { type: 'string', default: join(import.meta.dirname, 'results/scale.json') },
  },
});
const [SCALE, MINUTES, ROUNDS] = [Number(values.scale), Number(values.minutes), Number(values.rounds)];
const SIZES = [1_000, 100_000, 1_000_000].map((size) => Math.max(10, Math.round(size * SCALE)));
const isJudged = SCALE >= 1;

/** Each process on a database that has two may cost so many times what it costs alone. */
const [MOST_CPU, MOST_STATEMENTS] = [1.15, 1.1];
const RUNS_OF_PROCESSES = 5;

/** Calls of one, two and four processes on a Postgres of their own, which has few rows. */
async function processes(): Promise<Found> {
  const measured = await measureProcesses({
    calls: Math.max(50, 800 * SCALE),
    runs: isJudged ? RUNS_OF_PROCESSES : 1,
  });
  const two = measured.ratios.find((one) => one.processes === 2);
  const failures =
    isJudged && two !== undefined && (two.cpuMsPerCall > MOST_CPU || two.statementsPerCall > MOST_STATEMENTS)
      ? [
          `A call of two processes costs ${rounded(two.cpuMsPerCall)} times the CPU, ${rounded(two.statementsPerCall)} times the statements.`,
        ]
      : [];
  return { figures: { ...measured }, failures };
}

/** Figures with where they come from. Each part has its own, because parts may run on different days. */
type Recorded = Found & { date: string; commit: string; node: string; cpu: string; loadAverage: number };

function record(name: string, found: Found): void {
  const before: Record<string, unknown> = existsSync(values.output)
    ? (JSON.parse(readFileSync(values.output, 'utf8')) as { parts: Record<string, unknown> }).parts
    : {};
  const recorded: Recorded = {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    // Above the number of processors, what others do on the machine is in the figures.
    loadAverage: Math.round(loadavg()[0] ?? 0),
    ...found,
  };
  const document = { sizes: SIZES, parts: { ...before, [name]: recorded } };
  // Objects without another one in them, and lists of numbers, stay on one line.
  const text = JSON.stringify(document, null, 2).replaceAll(/(?:\[[^[\]{}]*\])|(?:\{[^[\]{}]*\})/g, (part) =>
    part.replaceAll(/\s+/g, ' '),
  );
  writeFileSync(values.output, `${text}\n`);
}

/** The commit that is measured, with a mark if files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '../src') === '' ? '' : ', changed'}`;
}

/** @returns whether everything is as promised */
function show(name: string, { rows = [], figures = {}, failures = [] }: Found): boolean {
  const missed = isJudged ? rows.filter(({ misses }) => misses.length > 0) : [];
  process.stdout.write(`\n${name}\n`);
  for (const { name: what, p50, p95, ratio, ratioToSmallest, misses } of rows) {
    const cells = [...p50, ...p95].map((time) => time.toFixed(2).padStart(9)).join('');
    const ratios = [ratio, ratioToSmallest].map((one) => one.toFixed(2).padStart(8)).join('');
    const mark = isJudged && misses.length > 0 ? `  MISSED: ${misses.join('; ')}` : '';
    process.stdout.write(`${what.padEnd(90)}${cells}${ratios}${mark}\n`);
  }
  for (const [what, figure] of Object.entries(figures))
    if (what !== 'samples') process.stdout.write(`${what.padEnd(90)}${JSON.stringify(figure)}\n`);
  const load = Math.round(loadavg()[0] ?? 0);
  if (missed.length > 0 && load > cpus().length)
    process.stdout.write(
      `The load is ${load} on ${cpus().length} processors: waiting for them is in these times.\n`,
    );
  for (const failure of failures) process.stderr.write(`FAILED: ${failure}\n`);
  return missed.length === 0 && failures.length === 0;
}

async function runAll(dialect: Dialect, postgres: TestPostgres): Promise<boolean> {
  const installations: Installation[] = [];
  try {
    for (const size of SIZES) {
      const startedAt = performance.now();
      installations.push(await newInstallation(dialect, rowsFor(size), postgres));
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      process.stdout.write(`${dialect}: ${size} accounts filled in ${seconds} s\n`);
    }
    let isFine = true;
    for (const part of values.part) {
      const found = await PARTS[part]?.(installations);
      if (found === undefined) throw new Error(`There is no part ${part}: ${Object.keys(PARTS).join(', ')}.`);
      const name = `${part}, ${dialect}`;
      record(name, found);
      if (!show(name, found)) isFine = false;
    }
    return isFine;
  } finally {
    for (const { deployment } of installations) await deployment.close();
  }
}

const postgres = new TestPostgres();
try {
  process.stdout.write(`accounts: ${SIZES.join(', ')}; p50 of each, p95 of each (ms), ratios of p50\n`);
  for (const dialect of ['sqlite', 'postgres'] as const)
    if (values.database.includes(dialect) && !(await runAll(dialect, postgres))) process.exitCode = 1;
} finally {
  await postgres.stop();
}
