import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  it('prints one line of JSON when ready, and a new secret only on a terminal', async () => {
    const terminal = { messagesAreTerminal: true };
    const { code, stdout, stderr } = await gatehouse(['serve'], { ...serving(), terminal });
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

  it('shows the link of the first operator on a terminal only, elsewhere the command', async () => {
    const link = 'http://127.0.0.1:3000/operator/token-1';
    const invited = (firstOperator: { link?: string }) => {
      const seen: ServeOptions[] = [];
      const runServe = async (options: ServeOptions): Promise<void> => {
        seen.push(options);
        options.ready({ ...running, firstCredentials: [], firstOperator });
      };
      return { seen, app: { runServe } };
    };
    const [shown, hidden] = [invited({ link }), invited({})];
    const onTerminal = await gatehouse(['serve'], { ...shown, terminal: { messagesAreTerminal: true } });
    expect(shown.seen[0]?.firstOperatorOf).toEqual({ environment: 'development', makesLink: true });
    expect(onTerminal.stderr).toBe(
      `Nobody operates this Gatehouse yet. Open this link within 15 minutes to become its operator:\n  ${link}\n`,
    );
    expect(onTerminal.stdout).not.toContain('operator');
    const inLog = await gatehouse(['serve'], hidden);
    expect(hidden.seen[0]?.firstOperatorOf).toEqual({ environment: 'development', makesLink: false });
    expect(inLog.stderr).toBe(
      'Nobody operates this Gatehouse yet. Make a link for the first operator: gatehouse users sign-in-link\n',
    );
  });

  it('writes a new secret to a file where stderr is no terminal', async () => {
    const folder = emptyFolder();
    const { stdout, stderr } = await gatehouse(['serve', '--data-dir', 'd'], { ...serving(), folder });
    const file = join(folder, 'work/d/first-credential-development.json');
    expect(stderr).toBe(
      `API credential of development: in ${file}. The file is removed when its secret first gets a token from POST /oauth/token.\n`,
    );
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ client_id: 'gh_1', client_secret: 'hush' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stdout + stderr).not.toContain('hush');
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a link to nothing', (path: string) => symlinkSync(`${path}.elsewhere`, path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('overwrites nothing of that name: %s', async (_what, make) => {
    const folder = emptyFolder();
    const file = join(folder, 'work/d/first-credential-development.json');
    mkdirSync(join(folder, 'work/d'));
    make(file);
    const before = lstatSync(file);
    const { code, stderr } = await gatehouse(['serve', '--data-dir', 'd'], { ...serving(), folder });
    expect([code, existsSync(`${file}.elsewhere`)]).toEqual([0, false]);
    expect(lstatSync(file).ino).toBe(before.ino);
    expect(lstatSync(file).size).toBe(before.size);
    expect(stderr).toContain('API credential of development: client id gh_1. Its secret is lost, because');
    expect(stderr).toContain('"gatehouse credentials rotate ID" gives it another.');
    expect(stderr).not.toContain('hush');
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
      mcp: { readOnly: true, discovery: 'on', connectors: ['a', 'b'] },
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
    expect(seen).toEqual([['development', ['websearch.search'], 'on']]);
  });
});

describe('gatehouse demo', () => {
  it('prints the story and keeps running only with --keep', async () => {
    const kept: unknown[] = [];
    const runDemo: App['runDemo'] = async ({ keep, port, write }) => {
      kept.push([keep, port]);
      write('Once upon a time');
    };
    expect(await gatehouse(['demo'], { app: { runDemo } })).toEqual({
      code: 0,
      stdout: 'Once upon a time\n',
      stderr: '',
    });
    await gatehouse(['demo', '--keep', '--port', '4300'], { app: { runDemo } });
    expect(kept).toEqual([
      [false, undefined],
      [true, 4300],
    ]);
  });
});

describe('gatehouse sandbox', () => {
  it('takes a valid port and nothing else', async () => {
    const ports: number[] = [];
    const runOwnSandbox: App['runOwnSandbox'] = async ({ port }) => void ports.push(port);
    await gatehouse(['sandbox'], { app: { runOwnSandbox } });
    await gatehouse(['sandbox', '--port', '4401'], { app: { runOwnSandbox } });
    for (const port of ['0', '-1', '65536', '1e3', 'x']) {
      const { code, stderr } = await gatehouse(['sandbox', '--port', port], { app: { runOwnSandbox } });
      expect([code, stderr]).toEqual([2, expect.stringContaining('It must be a port: 1 to 65535.')]);
    }
    expect(ports).toEqual([4400, 4401]);
  });
});
