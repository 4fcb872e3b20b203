/**
 * Records what others see of the program, and compares it byte for byte with the snapshot in test/surface:
 * MCP, REST, command line, generated files, tables, names of log events, metrics and audit actions. Prints
 * the difference and fails if there is one; `--write` renews the snapshot.
 *
 * It starts the program as its users do, so that it is independent of the layout of `src`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commandLine } from './surface/command-line.ts';
import { postgresSchema, sqliteSchema } from './surface/database.ts';
import { http } from './surface/http.ts';
import { mcp } from './surface/mcp.ts';
import { names } from './surface/names.ts';
import { ROOT, Workplace, type Pages } from './surface/program.ts';

const SNAPSHOT = 'test/surface';

const isWriting = process.argv.includes('--write');
const [postgres, program] = await both(postgresSchema(), surfaceOfProgram());
const pages: Pages = { ...program, ...names(), ...postgres };
if (postgres === undefined) {
  console.log('No Postgres here: its tables are not compared.');
  for (const path of kept()) if (path.startsWith('schema/postgres')) pages[path] = read(path);
}

if (isWriting) {
  rmSync(join(ROOT, SNAPSHOT), { recursive: true, force: true });
  write(join(ROOT, SNAPSHOT));
  console.log(`wrote ${Object.keys(pages).length} files to ${SNAPSHOT}`);
} else if (isSame()) {
  console.log(`${Object.keys(pages).length} files of ${SNAPSHOT} are as the program has them`);
} else {
  printDifference();
  console.error(
    'The surface has changed. If that is meant: run "npm run surface -- --write", commit what it writes, and name the change in CHANGELOG.md.',
  );
  process.exitCode = 1;
}

/** Like `Promise.all`, but waits for both when one fails: no server keeps running. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

async function surfaceOfProgram(): Promise<Pages> {
  const place = await Workplace.make();
  try {
    const served = await place.serve();
    const found: Pages = sqliteSchema(place);
    try {
      // Changes come last, because the rest describes an installation before its first change.
      Object.assign(found, await mcp(served, place), await commandLine(place), await http(served, place));
    } finally {
      await served.stop();
    }
    return found;
  } finally {
    place.remove();
  }
}

function isSame(): boolean {
  const paths = kept();
  return (
    paths.length === Object.keys(pages).length &&
    paths.every((path) => pages[path] !== undefined && read(path) === pages[path])
  );
}

function printDifference(): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-surface-'));
  write(folder);
  const { stdout, error } = spawnSync(
    'git',
    ['--no-pager', 'diff', '--no-index', '--text', '--no-prefix', SNAPSHOT, folder],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e9 },
  );
  rmSync(folder, { recursive: true, force: true });
  if (error !== undefined) throw error;
  console.log(stdout.replaceAll(folder.slice(1), 'now'));
}

/** Paths of the snapshot. */
function kept(): string[] {
  const folder = join(ROOT, SNAPSHOT);
  return existsSync(folder) ? globSync('**/*.*', { cwd: folder }) : [];
}

function read(path: string): string {
  return readFileSync(join(ROOT, SNAPSHOT, path), 'utf8');
}

function write(folder: string): void {
  for (const [path, text] of Object.entries(pages)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
