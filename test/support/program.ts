/**
 * The program that tests start as processes. In the full rounds it is the checkout, run from its sources. In the
 * reduced rounds it is what the published package runs, built when the first test file asks: it starts in a quarter
 * of the time. Outside of vitest (bench/) it is the checkout.
 *
 * A build is kept in node_modules/.cache under a name that tells its inputs, so that the next run, and a worker
 * beside this one, need not build again. A worker that comes while another one builds waits for it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { ROUNDS } from './rounds.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUILDS = join(ROOT, 'node_modules/.cache/test-builds');

/** Locked by who builds; the end of a process unlocks it, whatever ended it. */
const LOCK = join(ROOT, 'node_modules/.cache/test-builds.db');
const LONGEST_BUILD_MS = 120_000;

/** What decides how the built program behaves. */
const INPUTS = ['bin', 'catalogs', 'src', 'sandbox', 'scripts/build.ts', 'package.json', 'package-lock.json'];

/** Builds of sources that have changed since are removed, but not under a run that may still use them. */
const KEPT_MS = 24 * 3_600_000;

/** `bin/gatehouse.js` of the program to test: what `node PROGRAM serve` starts. */
export const PROGRAM =
  process.env.VITEST === undefined || ROUNDS.full ? join(ROOT, 'bin/gatehouse.js') : builtProgram();

/**
 * Environment of `gatehouse serve`, which keeps its compiled code apart: V8 refuses code that was compiled under other
 * flags, and a server sets its own. In one folder a server and a command would each compile and write what the other did.
 */
export function environmentOfServer(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const cache = env['NODE_COMPILE_CACHE'] ?? '';
  return cache === '' ? env : { ...env, NODE_COMPILE_CACHE: `${cache}-of-servers` };
}

/** `bin/gatehouse.js` of what the published package runs. */
export function builtProgram(): string {
  return join(builtPackage(), 'bin/gatehouse.js');
}

function builtPackage(): string {
  const folder = join(BUILDS, fingerprint());
  if (existsSync(folder)) return folder;
  mkdirSync(BUILDS, { recursive: true });
  const lock = new SqliteHandle(LOCK, { timeout: LONGEST_BUILD_MS });
  try {
    lock.exec('begin exclusive');
    if (!existsSync(folder)) build(folder);
  } finally {
    lock.close();
  }
  return folder;
}

function build(folder: string): void {
  removeOldBuilds();
  const unfinished = mkdtempSync(join(BUILDS, 'unfinished-'));
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts'), join(unfinished, 'dist')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // A link to the script would lead Node back to the sources.
  for (const name of ['bin', 'package.json'])
    cpSync(join(ROOT, name), join(unfinished, name), { recursive: true });
  symlinkSync(join(ROOT, 'catalogs'), join(unfinished, 'catalogs'));
  renameSync(unfinished, folder);
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const path = join(ROOT, input);
    const names = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
      : [''];
    for (const name of names.toSorted()) {
      const file = statSync(join(path, name));
      if (file.isFile()) hash.update(`${input}/${name} ${file.size} ${file.mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function removeOldBuilds(): void {
  for (const name of readdirSync(BUILDS)) {
    const folder = join(BUILDS, name);
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (made < Date.now() - KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}
