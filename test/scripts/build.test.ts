/** The published package: the bundle runs without sources, and needs nothing but what the build leaves out. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import SqliteHandle from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeOlderTables } from '../support/older-tables.ts';
import { builtProgram } from '../support/program.ts';
import { ROUNDS } from '../support/rounds.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
  const home = join(folder, 'node_modules/gatehouse');
  mkdirSync(home, { recursive: true });
  const { dependencies, files, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    files: string[];
    scripts: { prepack: string };
  };
  // What `npm pack` runs before it collects the files. The reduced rounds share what it made for the other tests.
  expect(scripts.prepack).toBe('node scripts/build.ts');
  if (ROUNDS.full) await run(process.execPath, [join(ROOT, 'scripts/build.ts'), join(home, 'dist')]);
  else cpSync(join(dirname(builtProgram()), '../dist'), join(home, 'dist'), { recursive: true });
  for (const file of ['package.json', ...files.filter((name) => name !== 'dist')]) {
    cpSync(join(ROOT, file), join(home, file), { recursive: true });
  }
  for (const name of Object.keys(dependencies)) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  program = join(home, 'bin/gatehouse.js');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEHOUSE_'));
  return { ...Object.fromEntries(inherited), GATEHOUSE_DATA_DIR: join(folder, 'data') };
}

async function gatehouse(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...args], { cwd: folder, env: environment() });
  return stdout;
}

describe('package built for npm', () => {
  it('contains no source files', () => {
    expect(existsSync(join(folder, 'node_modules/gatehouse/src'))).toBe(false);
  });

  it('contains every page of the documentation that the README links to', () => {
    const pages = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/\]\((docs\/[^)#]+)/g)];
    expect(pages.length).toBeGreaterThan(10);
    for (const [, page = ''] of pages)
      expect(existsSync(join(folder, 'node_modules/gatehouse', page)), page).toBe(true);
  });

  it('prints its version and its tools', async () => {
    expect(await gatehouse('--version')).toBe('0.1.0\n');
    expect(await gatehouse('tools', 'list')).toContain('websearch_search');
  });

  // Each file is a look-up through the folders above it; twice as many cost an idle process 6 MB.
  it('starts a desktop session with few files', async () => {
    const watch = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write('LOADED ' + url + '\\n'); return next(url, context); } });`;
    const argv = ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, program, 'mcp'];
    const session = run(process.execPath, argv, { cwd: folder, env: environment() });
    session.child.stdin?.end();
    const { stderr } = await session;
    const files = [...stderr.matchAll(/^LOADED .*\/dist\/(\S+)\.js$/gm)].map(([, name]) => name);
    expect(files.filter((name) => name?.startsWith('process-'))).toHaveLength(1);
    expect(files.length).toBeLessThan(40);
  });

  it('reads a settings file', async () => {
    expect(await gatehouse('doctor', '--config', join(ROOT, 'gatehouse.example.yaml'))).toContain(
      'ok      settings',
    );
  });

  it('reports an unreachable Postgres', async () => {
    const env = { ...environment(), GATEHOUSE_DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    await expect(run(process.execPath, [program, 'accounts', 'list'], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The Postgres database cannot be reached'),
    });
  });

  it('migrates a large file, in the thread that has a file of its own', async () => {
    const file = join(folder, 'older.db');
    await makeOlderTables(`sqlite:${file}`, 12);
    const handle = new SqliteHandle(file);
    handle.exec("insert into installation (key, value) values ('large', hex(zeroblob(5000000)))");
    handle.close();
    const env = { ...environment(), GATEHOUSE_DATABASE_URL: `sqlite:${file}` };
    const { stdout } = await run(process.execPath, [program, 'migrate', '--no-copy'], { env });
    expect(stdout).toMatch(/^The tables went from schema version 12 to \d+ in \d+ ms\.\n$/);
  });

  // The reduced rounds have it in test/process/demo.test.ts, from the same build.
  it.runIf(ROUNDS.full)('performs the whole job of the demo', async () => {
    expect(await gatehouse('demo')).toContain('That was the whole job');
  });

  it('serves requests and issues tokens', async () => {
    const env = {
      ...environment(),
      GATEHOUSE_PORT: '0',
      GATEHOUSE_CLIENT_ID: 'package-test',
      GATEHOUSE_CLIENT_SECRET: 'a-secret-of-the-package-test-0123456789',
    };
    const child = spawn(process.execPath, [program, 'serve'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    try {
      const [line] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(120_000) });
      const { base_url } = JSON.parse(String(line)) as { base_url: string };
      const answer = await fetch(`${base_url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: 'package-test',
          client_secret: 'a-secret-of-the-package-test-0123456789',
        }),
      });
      expect(await answer.json()).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
