/** What a server has loaded when it is ready and nobody has asked anything: it decides the memory of an idle one. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Stops the server when it says that it is ready, and tells on stderr what it has loaded by then. */
const WATCH = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
const { write } = process.stdout;
process.stdout.write = function (...args) {
  const builtins = process.moduleLoadList.filter((name) => name.includes('undici'));
  process.stderr.write('LOADED ' + JSON.stringify([...loaded, ...builtins]) + '\\n');
  process.kill(process.pid, 'SIGTERM');
  return write.apply(this, args);
};`;

async function loadedWhenReady(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
  try {
    const program = fileURLToPath(new URL('../../../bin/gatehouse.js', import.meta.url));
    const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
    const child = spawn(process.execPath, ['--import', watch, program, 'serve', '--port', '0'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, GATEHOUSE_DATA_DIR: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const told = await text(child.stderr);
    const list = /^LOADED (.*)$/m.exec(told)?.[1];
    if (list === undefined) throw new Error(`the server did not get ready: ${told}`);
    return JSON.parse(list) as string[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('loads no module at the start that only requests need', async () => {
  const loaded = await loadedWhenReady();
  expect(loaded).toEqual(
    expect.arrayContaining([expect.stringMatching(/\/src\/http\/listener\/listener\.ts$/)]),
  );
  const forRequests =
    /\/node_modules\/(@modelcontextprotocol|@?hono|oidc-provider|openid-client|undici)\/|\/prom-client\/lib\/(pushgateway|summary)|\/src\/(pages|http\/routes)\//;
  expect(loaded.filter((url) => forRequests.test(url))).toEqual([]);
  // Node's own fetch: loaded by an import of node:http and by any look at Request, Response, Headers or WebSocket.
  expect(loaded.filter((name) => name.startsWith('NativeModule '))).toEqual([]);
});

it('loads only modules that need the small form of zod', async () => {
  const modules = ['cli/commands/serve.ts', 'settings/settings.ts', 'app/serve/serve.ts'];
  const urls = modules.map((path) => new URL(`../../../src/${path}`, import.meta.url).href);
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
    for (const url of ${JSON.stringify(urls)}) await import(url);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const ofZod = [...stdout.matchAll(/\/zod\/(?:v4\/)?(\w+)/g)].map(([, part]) => part);
  expect(ofZod).toContain('mini');
  expect(ofZod).not.toContain('classic');
});
