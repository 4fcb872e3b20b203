import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from './cli-support.ts';

const WATCH = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write('LOADED ' + url + '\\n'); return next(url, context); } });`;

describe('cold start of the command line', () => {
  it('loads the command module of gatehouse tools and no other', async () => {
    const program = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
    const folder = emptyFolder();
    const argv = [
      '--import',
      `data:text/javascript,${encodeURIComponent(WATCH)}`,
      program,
      'tools',
      'show',
      'websearch_search',
      '--json',
    ];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'websearch_search' });
    const loaded = [...stderr.matchAll(/^LOADED .*\/src\/(?:cli|app)\/(?:\S+\/)?([^\s/]+)\.ts$/gm)].map(
      ([, name]) => name,
    );
    for (const other of [
      'serve',
      'mcp',
      'demo',
      'init',
      'connect',
      'accounts',
      'credentials',
      'connections',
      'doctor',
      'admin',
      'stdio',
    ])
      expect(loaded).not.toContain(other);
    expect(loaded).toEqual(expect.arrayContaining(['run', 'commands', 'tools', 'installed-catalog']));
    expect(stderr).not.toMatch(/@clack|better-sqlite3|oidc-provider/);
  });
});
