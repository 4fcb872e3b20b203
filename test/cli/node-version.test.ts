/**
 * What somebody sees whose own Node is too old: a refusal that says what to do, and the command of a checkout, which
 * takes the Node of the checkout from any folder.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'bin/gatehouse.js');
const run = promisify(execFile);

const olderNode = findOlderNode();

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-node-version-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A Node of this machine that is too old for Gatehouse. */
function findOlderNode(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return folders
    .map((path) => join(path, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => {
      const version = /^v(\d+)\.(\d+)\./.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }));
      const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
      return major < 22 || (major === 22 && minor < 19);
    });
}

/** The program under a Node that says it is another one. */
async function startUnder(version: string, program: string): Promise<{ code: number; text: string }> {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, '--version'];
  return outcome(run(process.execPath, argv, { cwd: folder }));
}

async function outcome(
  started: Promise<{ stdout: string; stderr: string }>,
): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await started.then(
    (ended) => ({ ...ended, code: 0 }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  return { code, text: stdout + stderr };
}

/** A package with its start file and a program that says what it was asked, in a folder whose name needs quotes. */
function makePackage({ hasNode }: { hasNode: boolean }): string {
  const home = join(folder, "somebody's tools");
  for (const name of ['bin', 'dist', 'node_modules/.bin']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"type": "module"}');
  writeFileSync(join(home, 'dist/main.js'), "console.log('started', ...process.argv.slice(2));");
  copyFileSync(PROGRAM, join(home, 'bin/gatehouse.js'));
  if (hasNode) {
    symlinkSync(process.execPath, join(home, 'node_modules/.bin/node'));
    copyFileSync(join(ROOT, 'gatehouse'), join(home, 'gatehouse'));
  }
  return join(home, 'bin/gatehouse.js');
}

describe('Node version that is too old', () => {
  it('refuses to start in a checkout with the command that works there', async () => {
    expect(await startUnder('20.20.2', PROGRAM)).toEqual({
      code: 1,
      text: `Gatehouse needs Node.js 22.19 or newer, this is 20.20.2. The checkout brings its own: ${ROOT}/gatehouse …\n`,
    });
  });

  it('prints a command that can be pasted, whatever the folder is called', async () => {
    const { code, text } = await startUnder('16.0.0', makePackage({ hasNode: true }));
    expect(code).toBe(1);
    const [, command = ''] = /The checkout brings its own: (.*) …\n$/.exec(text) ?? [];
    expect(await run('/bin/sh', ['-c', `${command} tools list`])).toEqual({
      stdout: 'started tools list\n',
      stderr: '',
    });
  });

  it('explains where to get another Node when none was installed with the package', async () => {
    expect(await startUnder('22.18.9', makePackage({ hasNode: false }))).toEqual({
      code: 1,
      text: 'Gatehouse needs Node.js 22.19 or newer, this is 22.18.9. Install Node.js 24, or run "npm ci" in a checkout, which brings it along.\n',
    });
  });

  it('accepts Node 22.19 and newer versions', async () => {
    const program = makePackage({ hasNode: false });
    expect(await startUnder('22.19.0', program)).toEqual({ code: 0, text: 'started --version\n' });
    expect(await startUnder('23.0.0', program)).toEqual({ code: 0, text: 'started --version\n' });
  });

  it('refuses the old Node of this machine with a message, not with a syntax error', async ({ skip }) => {
    if (olderNode === undefined) {
      skip('this machine has no Node older than 22.19');
      return;
    }
    const { code, text } = await outcome(run(olderNode, [PROGRAM, '--version'], { cwd: folder }));
    expect(code).toBe(1);
    expect(text).toMatch(
      /^Gatehouse needs Node\.js 22\.19 or newer, this is \d+\.\d+\.\d+\. The checkout brings its own: .*\n$/,
    );
  });
});

describe('command of a checkout', () => {
  it('becomes the process of the program, so that signals reach it', async () => {
    const home = dirname(dirname(makePackage({ hasNode: true })));
    const waits = "process.once('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1_000);";
    writeFileSync(join(home, 'dist/main.js'), `${waits} console.log(process.pid);`);
    symlinkSync(join(home, 'gatehouse'), join(folder, 'linked'));
    const child = spawn(join(folder, 'linked'), [], {
      cwd: folder,
      env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      expect(line.toString()).toBe(`${child.pid}\n`);
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('asks for npm ci where there is no Node to run', async () => {
    copyFileSync(join(ROOT, 'gatehouse'), join(folder, 'gatehouse'));
    const { code, text } = await outcome(run(join(folder, 'gatehouse'), ['--version']));
    expect({ code, text }).toEqual({
      code: 1,
      text: `gatehouse: run "npm ci" in ${realpathSync(folder)} first. It installs Node.js and everything else.\n`,
    });
  });
});

describe.each(['README.md', 'docs/adding-a-tool.md', 'docs/adding-a-connector/README.md'])(
  'Node for %s',
  (page) => {
    it('has a command that works in any folder, whatever Node the machine has', async () => {
      const text = readFileSync(join(ROOT, page), 'utf8');
      const [line = ''] = /^ *export PATH=.*$/m.exec(text) ?? [];
      const bin = mkdtempSync(join(folder, 'bin-'));
      writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      const script = `cd '${ROOT}'
${line.replace('/path/to/the/checkout', ROOT)}
cd '${folder}'
gatehouse --version`;
      const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder };
      expect(await run('/bin/sh', ['-c', script], { env })).toEqual({ stdout: '0.1.0\n', stderr: '' });
    });
  },
);
