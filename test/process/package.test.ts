/**
 * The package as somebody installs it: what npm packs, and in the full rounds the packed file in an empty folder on
 * every line of Node that is supported. Those rounds ask the npm registry.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The oldest Node that `engines` allows, the checkout's own, and the newest line. */
const NODES = ['22.19.0', '24.21.0', '26.9.0'];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-packed-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  filename: string;
  files: { path: string; size: number }[];
}

async function pack(...flags: string[]): Promise<Packed> {
  const argv = ['pack', '--json', '--pack-destination', folder, ...flags];
  const { stdout } = await run('npm', argv, { cwd: ROOT, maxBuffer: 100_000_000 });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [Packed];
  return packed;
}

/** An empty folder with an empty package, as `npm init` leaves it. */
function emptyPackage(name: string): string {
  const home = join(folder, name);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private": true}');
  return home;
}

async function install(home: string, ...packages: string[]): Promise<void> {
  const argv = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages];
  await run('npm', argv, { cwd: home });
}

function bytesOf(home: string): number {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(home, name), { throwIfNoEntry: false }))
    .reduce((sum, file) => sum + (file?.isFile() === true ? file.blocks * 512 : 0), 0);
}

describe('package for npm', () => {
  it('contains the program, its data and its documentation, and nothing else', async () => {
    const { files } = await pack('--dry-run', '--ignore-scripts');
    const paths = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
    expect([...new Set(paths.map((path) => path.replace(/\/.*/, '')))].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'catalogs',
      'data',
      'docs',
      'evals',
      'gatehouse.example.yaml',
      'gatehouse.schema.json',
      'ops',
      'package.json',
    ]);
    expect(paths.filter((path) => path.startsWith('bin/'))).toEqual(['bin/gatehouse.js']);
    expect(
      paths.filter((path) => !/\.(js|json|md|png|yaml)$/.test(path) && !path.startsWith('ops/')),
    ).toEqual(['LICENSE']);
  });

  it.skipIf(!ROUNDS.full)('installs in an empty folder and runs the demo on each line of Node', async () => {
    const { filename, files } = await pack();
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['dist/main.js', 'dist/catalog.json', 'dist/licenses.txt']),
    );
    const tarball = join(folder, filename);
    await install(emptyPackage('warm'), tarball);
    const home = emptyPackage('home');
    const startedAt = performance.now();
    await install(home, tarball);
    const seconds = (performance.now() - startedAt) / 1_000;
    const bytes = bytesOf(home);
    process.stdout.write(
      `installed in ${seconds.toFixed(1)} s from a warm cache: ${(bytes / 1e6).toFixed(0)} MB\n`,
    );
    expect(bytes).toBeLessThan(110_000_000);
    for (const version of NODES) {
      const node = join(emptyPackage(`node-${version}`), 'node_modules');
      const name = `node-${process.platform}-${process.arch}`;
      await install(dirname(node), `${name}@${version}`);
      const env = { ...process.env, PATH: [join(node, name, 'bin'), process.env['PATH']].join(delimiter) };
      // As the README says: nothing is installed beforehand.
      const argv = ['exec', '--yes', '--prefer-offline', `--package=${tarball}`, '--'];
      const cwd = emptyPackage(`started-with-${version}`);
      const gatehouse = async (...args: string[]) =>
        run('npm', [...argv, 'gatehouse', ...args], { cwd, env });
      expect(await run('node', ['--version'], { env })).toMatchObject({ stdout: `v${version}\n` });
      expect(await gatehouse('--version')).toMatchObject({ stdout: '0.1.0\n' });
      expect((await gatehouse('demo')).stdout).toContain('That was the whole job');
    }
  });
});
