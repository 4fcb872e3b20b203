/**
 * What the second stage of the Dockerfile copies, started without a container engine: the assembled folder over the
 * libraries of this machine, in chroot, as a user without rights, on a read-only mount. It needs root, and asks the
 * npm registry. Full rounds only.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { ROUNDS } from '../support/rounds.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const USER = 10_001;

/** Mounts the tree read-only with an empty data folder of the user, and becomes the program in it. */
const ENTER = `set -eu
tree=$1; shift
mount --bind "$tree" "$tree"
mount -o remount,bind,ro "$tree"
mount -t tmpfs -o uid=${USER},gid=${USER},mode=700 data "$tree/var/lib/gatehouse"
mount --bind /proc "$tree/proc"
mount --bind /dev "$tree/dev"
exec chroot --userspec=${USER}:${USER} "$tree" "$@"`;

const NODE = '/opt/gatehouse/node';

let folder: string;
let tree: string;

/** Whether this process may mount and change its root. */
function mayMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** The libraries that Node is linked with, where the loader looks for them. */
function copyLibraries(): void {
  const listed = execFileSync('ldd', [join(tree, NODE)], { encoding: 'utf8' });
  for (const [, path = ''] of listed.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(path, join(tree, path));
  }
}

beforeAll(async () => {
  if (!ROUNDS.full) return;
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
  tree = join(folder, 'tree');
  await run(join(ROOT, 'ops/image/assemble'), [tree], { maxBuffer: 100_000_000 });
  copyLibraries();
  for (const name of ['proc', 'dev']) mkdirSync(join(tree, name));
});

afterAll(() => {
  if (ROUNDS.full) rmSync(folder, { recursive: true, force: true });
});

function start(port: number, argv: readonly string[]) {
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/var/lib/gatehouse',
    GATEHOUSE_HOST: '0.0.0.0',
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_BASE_URL: 'https://gate.example.test',
    GATEHOUSE_DATA_DIR: '/var/lib/gatehouse',
  };
  return spawn('unshare', ['--mount', 'sh', '-c', ENTER, 'sh', tree, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe.skipIf(!ROUNDS.full)('process of the image', () => {
  it('holds the program, its packages and its Node, and nothing of the checkout', () => {
    const size = Number(execFileSync('du', ['-sm', join(tree, 'opt')], { encoding: 'utf8' }).split('\t')[0]);
    process.stdout.write(`assembled image: ${size} MB beside Debian\n`);
    expect(size).toBeLessThan(180);
    const listed = execFileSync('ls', [join(tree, 'opt/gatehouse')], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(listed).toEqual(expect.arrayContaining(['bin', 'catalogs', 'dist', 'node', 'node_modules']));
    for (const absent of ['src', 'test', 'sandbox', '.git', '.env']) expect(listed).not.toContain(absent);
    expect(readdirSync(join(tree, 'opt/gatehouse/data'))).toEqual(['upstreams.yaml']);
  });

  it('serves as a user without rights on a read-only root, is healthy, and ends on SIGTERM', async ({
    skip,
  }) => {
    if (!mayMount()) skip('mounting needs root');
    const port = await freePort();
    const child = start(port, [NODE, '/opt/gatehouse/bin/gatehouse.js', 'serve']);
    const ended = once(child, 'exit');
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const { pid } = JSON.parse(line) as { pid: number };
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:(\\s+${USER}){4}$`, 'm'));
      expect(status).toMatch(/^CapEff:\s+0{16}$/m);
      expect(statSync(`/proc/${pid}/root/var/lib/gatehouse/gatehouse.db`).uid).toBe(USER);
      expect(() => writeFileSync(`/proc/${pid}/root/opt/gatehouse/written`, '')).toThrow('EROFS');
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      const check = start(port, [NODE, '/opt/gatehouse/health-check.js']);
      expect(await once(check, 'exit')).toEqual([0, null]);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      const late = start(port, [NODE, '/opt/gatehouse/health-check.js']);
      expect(await once(late, 'exit')).toEqual([1, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
