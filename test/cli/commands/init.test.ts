import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../../src/settings/settings.ts';
import { emptyFolder, fakeAdmin, gatehouse } from '../cli-support.ts';

const made = { created: true, clientId: 'gh_1', clientSecret: 'hush' };
const { openAdmin } = fakeAdmin({ credentials: { ensureFirst: async () => made } });
const app = { openAdmin };

describe('gatehouse init', () => {
  it('writes valid settings that only their owner can read', async () => {
    const folder = emptyFolder();
    const { code } = await gatehouse(['init', '--port', '3100'], { app, folder });
    expect(code).toBe(0);
    const file = join(folder, 'work/gatehouse.yaml');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const settings = loadSettings({
      flags: {},
      env: {},
      cwd: join(folder, 'work'),
      homeDir: join(folder, 'home'),
    });
    expect([settings.configFile, settings.port, settings.dataDir]).toEqual([
      file,
      3100,
      join(folder, 'work/data'),
    ]);
  });

  it('prints the desktop configuration with absolute paths and the URL for remote clients', async () => {
    const folder = emptyFolder();
    const { stdout } = await gatehouse(['init', '--config', 'conf/g.yaml'], { app, folder });
    const snippet = JSON.parse(/^\{[^]*?^\}/m.exec(stdout)?.[0] ?? '') as unknown;
    expect(snippet).toEqual({
      mcpServers: {
        gatehouse: {
          command: '/opt/node',
          args: ['/opt/gatehouse/bin/gatehouse.js', 'mcp', '--config', join(folder, 'work/conf/g.yaml')],
        },
      },
    });
    expect(stdout).toContain('\nhttp://127.0.0.1:3000/mcp\n');
  });

  it('prints a command for remote clients that needs no installed package', async () => {
    const folder = emptyFolder();
    const { stdout } = await gatehouse(['init', '--config', "ada's/g.yaml"], { app, folder });
    const file = join(folder, "work/ada'\\''s/g.yaml");
    expect(stdout).toContain(`: /opt/node /opt/gatehouse/bin/gatehouse.js serve --config '${file}'\n`);
  });

  it('prints the first API credential on a terminal, and never on stdout', async () => {
    const terminal = { messagesAreTerminal: true };
    const { stdout, stderr } = await gatehouse(['init', '--json'], { app, terminal });
    expect(stderr).toContain(
      'API credential of development, shown only now: client id gh_1, client secret hush\n',
    );
    expect(stdout).not.toContain('hush');
    expect(JSON.parse(stdout)).toMatchObject({ mcp_url: 'http://127.0.0.1:3000/mcp' });
  });

  it('writes the first API credential to a file where stderr is no terminal', async () => {
    const folder = emptyFolder();
    const { stdout, stderr } = await gatehouse(['init'], { app, folder });
    const file = join(folder, 'work/data/first-credential-development.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ client_id: 'gh_1', client_secret: 'hush' });
    expect(stderr).toContain(file);
    expect(stdout + stderr).not.toContain('hush');
  });

  it('accepts a public address as base URL', async () => {
    const folder = emptyFolder();
    const argv = [
      'init',
      '--base-url',
      'https://gate.example.test',
      '--user-verify-url',
      'https://app.example.test/v',
      '--data-dir',
      '/var/lib/g',
    ];
    const { stdout } = await gatehouse(argv, { app, folder });
    expect(stdout).toContain('https://gate.example.test/mcp');
    const settings = loadSettings({
      flags: {},
      env: {},
      cwd: join(folder, 'work'),
      homeDir: join(folder, 'home'),
    });
    expect(settings.dataDir).toBe('/var/lib/g');
    expect(settings.environments[0]).toMatchObject({
      userVerification: 'app',
      userVerifyUrl: 'https://app.example.test/v',
    });
  });

  it('replaces an existing file only with the flag for it', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'work/gatehouse.yaml');
    writeFileSync(file, 'port: 1\n');
    const { code, stderr } = await gatehouse(['init'], { app, folder });
    expect([code, stderr]).toEqual([
      1,
      `gatehouse: ${file} exists already. Use --force to replace it, or --config to write elsewhere.\n`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe('port: 1\n');
    expect((await gatehouse(['init', '--force'], { app, folder })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('port: 3000\n');
  });

  it('leaves no file behind when an answer is invalid', async () => {
    const folder = emptyFolder();
    const { code, stderr } = await gatehouse(['init', '--base-url', 'gate"\nport: 1'], { app, folder });
    expect([code, stderr]).toEqual([
      2,
      'gatehouse: base_url: must be an origin such as https://gate.example.test: lower case, nothing after host and port\n',
    ]);
    expect(existsSync(join(folder, 'work/gatehouse.yaml'))).toBe(false);
    expect(existsSync(join(folder, 'work/gatehouse.yaml.new'))).toBe(false);
  });
});
