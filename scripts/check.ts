/**
 * Runs every check of the repository, one after another; continues after a failure and summarizes at the end.
 *
 * `--without-tests` leaves the test suite out, for callers that run it themselves.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { styleText } from 'node:util';

const ROOT = join(import.meta.dirname, '..');

/** Name and command, in order: quick and informative ones first. Commands are found in node_modules/.bin. */
const CHECKS: readonly (readonly [string, readonly string[]])[] = [
  ['format', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['lint', ['oxlint', '--type-aware', '--deny-warnings']],
  ['types', ['tsc']],
  ['architecture', ['vitest', 'run', 'test/architecture.test.ts']],
  ['catalog', ['node', 'scripts/check-catalog.ts']],
  ['generated files', ['node', 'scripts/generate.ts', '--check']],
  ['surface', ['node', 'scripts/surface.ts']],
  ['tests', ['vitest', 'run']],
  ['dead code', ['knip']],
];

const withoutTests = process.argv.includes('--without-tests');
const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
const results: { name: string; isGood: boolean; seconds: string }[] = [];

for (const [name, [command = '', ...args]] of CHECKS) {
  if (withoutTests && name === 'tests') continue;
  console.log(styleText('bold', `\n# ${name}: ${[command, ...args].join(' ')}`));
  const started = performance.now();
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: path },
  });
  if (error !== undefined) console.error(error.message);
  results.push({ name, isGood: status === 0, seconds: ((performance.now() - started) / 1_000).toFixed(1) });
}

console.log();
for (const { name, isGood, seconds } of results) {
  console.log(`${isGood ? styleText('green', 'ok    ') : styleText('red', 'FAILED')} ${name} (${seconds} s)`);
}
const failed = results.filter(({ isGood }) => !isGood);
if (failed.length > 0) {
  console.error(
    `${failed.length} of ${results.length} checks failed: ${failed.map(({ name }) => name).join(', ')}`,
  );
  process.exitCode = 1;
}
