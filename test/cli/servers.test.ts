import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/cli/terminal/app.ts';
import { emptyFolder, gatehouse } from './cli-support.ts';

type ServeOptions = Parameters<App['runServe']>[0];

const running = {
  baseUrl: 'http://127.0.0.1:3000',
  firstCredentials: [{ environment: 'development', clientId: 'gh_1', clientSecret: 'hush' }],
  services: { environments: { byName: () => ({ baseUrl: 'http://127.0.0.1:3000' }) } },
} as unknown as Parameters<ServeOptions['ready']>[0];

function serving() {
  const seen: ServeOptions[] = [];
  const runServe = async (options: ServeOptions): Promise<void> => {
    seen.push(options);
    options.ready(running);
  };
  return { seen, app: { runServe } };
}

describe('gatehouse serve', () => {
  it('prints one line of JSON when ready, and a new secret on stderr only', async () => {
    const { code, stdout, stderr } = await gatehouse(['serve'], serving());
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      event: 'ready',
      base_url: 'http://127.0.0.1:3000',
      mcp_url: 'http://127.0.0.1:3000/mcp',
      dashboard_url: 'http://127.0.0.1:3000/dashboard',
      pid: process.pid,
    });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe(
      'API credential of development, shown only now: client id gh_1, client secret hush\n',
    );
  });

  it('prints a short text on a terminal', async () => {
    const { stdout } = await gatehouse(['serve'], { ...serving(), terminal: { outputIsTerminal: true } });
    expect(stdout).toContain('Gatehouse is ready at http://127.0.0.1:3000\n');
    expect(stdout).not.toContain('{');
  });

  it('prefers flags to environment variables', async () => {
    const { seen, app } = serving();
    const folder = emptyFolder();
    await gatehouse(
      [
        'serve',
        '--port',
        '4000',
        '--host',
        '127.0.0.2',
        '--base-url',
        'http://localhost:4000',
        '--data-dir',
        'd',
        '--read-only',
        '--connectors',
        'a,b',
        '--log-level',
        'error',
      ],
      { app, folder, terminal: { env: { GATEHOUSE_PORT: '5000', GATEHOUSE_MCP_DISCOVERY: 'true' } } },
    );
    expect(seen[0]?.settings).toMatchObject({
      port: 4000,
      host: '127.0.0.2',
      dataDir: join(folder, 'work/d'),
      logLevel: 'error',
      mcp: { readOnly: true, discovery: true, connectors: ['a', 'b'] },
      environments: [{ baseUrl: 'http://localhost:4000' }],
    });
  });
});

describe('gatehouse mcp', () => {
  it('reserves stdout for the protocol and prints the data folder on stderr', async () => {
    const seen: unknown[] = [];
    const folder = emptyFolder();
    const runStdio: App['runStdio'] = async ({ settings, environment }) => {
      seen.push([environment, settings.mcp.toolsets, settings.mcp.discovery]);
    };
    const result = await gatehouse(['mcp', '--toolsets', 'websearch.search', '--discovery'], {
      app: { runStdio },
      folder,
    });
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: `gatehouse: data in ${join(folder, 'home/.local/share/gatehouse')}\n`,
    });
    expect(seen).toEqual([['development', ['websearch.search'], true]]);
  });
});

describe('gatehouse demo', () => {
  it('prints the story and keeps running only with --keep', async () => {
    const kept: boolean[] = [];
    const runDemo: App['runDemo'] = async ({ keep, write }) => {
      kept.push(keep);
      write('Once upon a time');
    };
    expect(await gatehouse(['demo'], { app: { runDemo } })).toEqual({
      code: 0,
      stdout: 'Once upon a time\n',
      stderr: '',
    });
    await gatehouse(['demo', '--keep'], { app: { runDemo } });
    expect(kept).toEqual([false, true]);
  });
});
