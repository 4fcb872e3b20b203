/**
 * Compares this program with that of a commit: both built, both measured in turns in one run. A ratio is
 * the median of the ratios of neighboring turns.
 *
 * The commit is built in a worktree of its own, which is removed afterwards. No lines of calls are logged; the cost of
 * one is printed by itself. Ends with exit code 1 if a figure is worse by more than the tolerance, or the line costs too
 * much. Writes bench/results/against.json.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logLineMicroseconds, MAX_LINE_US } from './log-line.ts';
import { measureAll, median, type Result } from './measure.ts';
import { gatehouseSubject } from './subjects.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A figure that is worse by more than this share fails the comparison. */
const TOLERANCE = 0.05;

/** @param revision anything that git resolves to a commit */
export async function compareWith(revision: string): Promise<void> {
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-against-'));
  const checkout = join(folder, 'checkout');
  git('worktree', 'add', '--detach', checkout, commit);
  try {
    buildIn(checkout);
    const results = await measureAll(async (apiUrl) => [
      await gatehouseSubject(apiUrl, { name: 'before', checkout }),
      await gatehouseSubject(apiUrl, { name: 'now' }),
    ]);
    report(commit, figuresOf(results.get('before')), figuresOf(results.get('now')));
  } finally {
    git('worktree', 'remove', '--force', checkout);
    rmSync(folder, { recursive: true, force: true });
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

/** Uses the packages of this checkout if the commit locks the same ones, otherwise its own. */
function buildIn(checkout: string): void {
  const isSameLock =
    git('diff', '--name-only', git('-C', checkout, 'rev-parse', 'HEAD'), '--', 'package-lock.json') === '';
  if (isSameLock) symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: checkout, stdio: 'inherit' });
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: checkout, stdio: 'inherit' });
}

/**
 * Measured values by name: the n-th values of both programs belong to the same turn. For all except calls per
 * second, less is better.
 */
function figuresOf(result: Result | undefined): Map<string, number[]> {
  if (result === undefined) throw new Error('A program was not measured.');
  const figures = new Map(result.turns);
  for (const [transport, mb] of Object.entries(result.idleMemoryMb))
    figures.set(`idle memory, ${transport}, MB`, [mb]);
  return figures;
}

function report(
  commit: string,
  before: ReadonlyMap<string, number[]>,
  now: ReadonlyMap<string, number[]>,
): void {
  const figures = [...before].map(([name, values]) => {
    const today = now.get(name) ?? [];
    // Each turn is compared with its neighbor, so that a slower machine slows both.
    const ratio = median(values.map((value, turn) => (today[turn] ?? Number.NaN) / value));
    const isWorse = name.startsWith('calls per second') ? ratio < 1 - TOLERANCE : ratio > 1 + TOLERANCE;
    return {
      name,
      before: rounded(median(values)),
      now: rounded(median(today)),
      ratio: rounded(ratio),
      isWorse,
    };
  });
  const logLineUs = logLineMicroseconds();
  const document = {
    date: new Date().toISOString().slice(0, 10),
    against: commit,
    commit: git('rev-parse', 'HEAD'),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    figures,
    logLineUs: rounded(logLineUs),
  };
  writeFileSync(new URL('results/against.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
  console.table(figures);
  console.log(`log line of a tool call: ${rounded(logLineUs)} µs CPU, at most ${MAX_LINE_US}`);
  if (logLineUs > MAX_LINE_US) process.exitCode = 1;
  const worse = figures.filter(({ isWorse }) => isWorse);
  if (worse.length === 0) return;
  console.error(`Worse by more than ${TOLERANCE * 100} %: ${worse.map(({ name }) => name).join('; ')}`);
  process.exitCode = 1;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
