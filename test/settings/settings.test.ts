import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings, resolveBaseUrl } from '../../src/settings/settings.ts';
import { emptyFolder, settingsOf } from './settings-support.ts';

describe('settings without any source', () => {
  it('are the defaults of docs/configuration.md', () => {
    const folder = emptyFolder();
    const { problemAt: _, ...settings } = settingsOf({}, folder);
    expect(settings).toEqual({
      dataDir: join(folder, 'home/.local/share/gatehouse'),
      databaseUrl: `sqlite:${join(folder, 'home/.local/share/gatehouse/gatehouse.db')}`,
      host: '127.0.0.1',
      port: 3000,
      keys: { masterKeyFile: join(folder, 'home/.local/share/gatehouse/master.key') },
      outbound: {
        allowPrivateHosts: [],
        connectTimeoutMs: 5_000,
        headersTimeoutMs: 20_000,
        totalTimeoutMs: 30_000,
        maxResponseBytes: 10_000_000,
      },
      logLevel: 'info',
      lifetimes: {
        tokenMs: 3_600_000,
        linkMs: 3_600_000,
        stateMs: 600_000,
        pendingVerificationMs: 600_000,
        sessionMs: 3_600_000,
      },
      refresh: { marginMs: 60_000, leaseMs: 10_000, deadlineMs: 60_000 },
      inbound: { maxBodyBytes: 1_000_000, maxConnections: 2048 },
      mcp: { readOnly: false, discovery: false, maxResultBytes: 60_000, userId: 'local' },
      retention: {
        executionsMs: 2_592_000_000,
        interceptorLogsMs: 2_592_000_000,
        webhookDeliveriesMs: 604_800_000,
      },
      catalogDirs: [],
      environments: [
        {
          name: 'development',
          baseUrl: 'http://127.0.0.1:3000',
          userVerification: 'none',
          userVerifyUrls: [],
          signUp: 'open',
          isLocalOnly: true,
          connections: [],
          interceptors: [],
          webhooks: [],
        },
      ],
    });
  });
});

describe('sources', () => {
  const yaml = 'lifetimes:\n  link: 1m\n';

  it('lets the file win over the default', () => {
    expect(settingsOf({ yaml }).lifetimes.linkMs).toBe(60_000);
  });

  it('lets the environment win over the file', () => {
    expect(settingsOf({ yaml, env: { GATEHOUSE_LIFETIMES_LINK: '2s' } }).lifetimes.linkMs).toBe(2_000);
  });

  it('lets a flag win over the environment', () => {
    const sources = { yaml: 'port: 1\n', env: { GATEHOUSE_PORT: '2' }, flags: { port: '3' } };
    expect(settingsOf(sources).port).toBe(3);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(settingsOf({ yaml, env: { GATEHOUSE_LIFETIMES_LINK: '' } }).lifetimes.linkMs).toBe(60_000);
  });

  it.each([
    ['GATEHOUSE_MCP_READ_ONLY', '1', { readOnly: true }],
    ['GATEHOUSE_MCP_READ_ONLY', 'false', { readOnly: false }],
    ['GATEHOUSE_MCP_TOOLS', 'a_b, c_d,', { tools: ['a_b', 'c_d'] }],
    ['GATEHOUSE_MCP_MAX_RESULT_BYTES', '5000', { maxResultBytes: 5000 }],
    ['GATEHOUSE_MCP_MAX_RESULT_BYTES', '2 KiB', { maxResultBytes: 2048 }],
    ['GATEHOUSE_MCP_ORGANIZATION_ID', 'acme', { organizationId: 'acme', userId: '' }],
  ])('reads %s=%s', (name, value, expected) => {
    expect(settingsOf({ env: { [name]: value } }).mcp).toMatchObject(expected);
  });

  it('accepts both names of a setting with the same value', () => {
    const env = {
      GATEHOUSE_ALLOW_PRIVATE_HOSTS: '10.0.0.0/8',
      GATEHOUSE_OUTBOUND_ALLOW_PRIVATE_HOSTS: '10.0.0.0/8',
    };
    expect(settingsOf({ env }).outbound.allowPrivateHosts).toEqual(['10.0.0.0/8']);
  });

  it('expands variables in the file, also where no text is wanted', () => {
    const text = 'port: ${PORT}\nclient_id: id-${NAME}-$${x}\nclient_secret: s\nmcp:\n  tools: ${TOOLS}\n';
    const settings = settingsOf({ yaml: text, env: { PORT: '8080', NAME: 'n', TOOLS: 'a,b' } });
    expect([settings.port, settings.environments[0].clientId, settings.mcp.tools]).toEqual([
      8080,
      'id-n-${x}',
      ['a', 'b'],
    ]);
  });
});

describe('the settings file', () => {
  it('is looked for by flag, variable, working directory and home, in this order', () => {
    const folder = emptyFolder();
    const write = (path: string, port: number): string => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), `port: ${port}\n`);
      return join(folder, path);
    };
    const home = write('home/.config/gatehouse/gatehouse.yaml', 1);
    const load = (config?: string, env: Record<string, string> = {}): [number, string | undefined] => {
      const found = loadSettings({
        flags: { config },
        env,
        cwd: join(folder, 'work'),
        homeDir: join(folder, 'home'),
      });
      return [found.port, found.configFile];
    };
    expect(load()).toEqual([1, home]);
    expect(load(undefined, {})).toEqual([1, home]);
    const work = write('work/gatehouse.yaml', 2);
    expect(load()).toEqual([2, work]);
    const named = write('elsewhere/named.yaml', 3);
    expect(load(undefined, { GATEHOUSE_CONFIG: named })).toEqual([3, named]);
    const flagged = write('work/flag.yaml', 4);
    expect(load('flag.yaml', { GATEHOUSE_CONFIG: named })).toEqual([4, flagged]);
  });
});

describe('the data folder', () => {
  it('is ./data where that exists', () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'work/data'));
    expect(settingsOf({}, folder).dataDir).toBe(join(folder, 'work/data'));
  });

  it('is ./data in a checkout', () => {
    const folder = emptyFolder();
    for (const file of ['work/bin/gatehouse.js', 'work/src/main.ts']) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    expect(settingsOf({}, folder).dataDir).toBe(join(folder, 'work/data'));
  });

  it('is taken from the folder of the settings file when it is relative', () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'conf'));
    writeFileSync(join(folder, 'conf/g.yaml'), 'data_dir: ./state\nkeys:\n  master_key_file: ~/k\n');
    const settings = settingsOf({ flags: { config: '../conf/g.yaml' } }, folder);
    expect(settings.dataDir).toBe(join(folder, 'conf/state'));
    expect(settings.databaseUrl).toBe(`sqlite:${join(folder, 'conf/state/gatehouse.db')}`);
    expect(settings.keys.masterKeyFile).toBe(join(folder, 'home/k'));
  });

  it('is taken from the working directory when it comes as a flag', () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'conf'));
    writeFileSync(join(folder, 'conf/g.yaml'), '');
    expect(settingsOf({ flags: { config: '../conf/g.yaml', dataDir: 'd' } }, folder).dataDir).toBe(
      join(folder, 'work/d'),
    );
  });

  it.each([
    ['sqlite:here.db', 'work/here.db'],
    ['sqlite:/abs/x.db', undefined],
    ['sqlite::memory:', undefined],
    ['postgres://u:p@h/db', undefined],
  ])('resolves the database %s', (url, relative) => {
    const folder = emptyFolder();
    const expected = relative === undefined ? url : `sqlite:${join(folder, relative)}`;
    expect(settingsOf({ env: { GATEHOUSE_DATABASE_URL: url } }, folder).databaseUrl).toBe(expected);
  });
});

describe('environments', () => {
  it('decides verification and sign-up by who can reach base URL and listener', () => {
    const of = (env: Record<string, string>): string[] => {
      const [first] = settingsOf({ env }).environments;
      return [first.userVerification, first.signUp];
    };
    expect(of({})).toEqual(['none', 'open']);
    expect(of({ GATEHOUSE_HOST: 'localhost' })).toEqual(['none', 'open']);
    expect(of({ GATEHOUSE_HOST: '::1', GATEHOUSE_PORT: '0' })).toEqual(['none', 'open']);
    expect(of({ GATEHOUSE_HOST: '192.168.1.5' })).toEqual(['app', 'closed']);
    expect(of({ GATEHOUSE_BASE_URL: 'https://gate.example.test' })).toEqual(['app', 'closed']);
    expect(of({ GATEHOUSE_HOST: '0.0.0.0', GATEHOUSE_BASE_URL: 'http://localhost:3000' })).toEqual([
      'app',
      'closed',
    ]);
    expect(of({ GATEHOUSE_USER_VERIFICATION: 'signed_in', GATEHOUSE_SIGN_UP: 'invited' })).toEqual([
      'signed_in',
      'invited',
    ]);
  });

  it('keeps what each entry declares apart', () => {
    const yaml = `
connections:
  - connector: websearch
environments:
  - name: production
    base_url: https://gate.example.test
    client_id: backend
    client_secret: \${SECRET}
    connections:
      - {name: search, connector: websearch, overrides: {base_url: "https://proxy.example.test"}}
`;
    const [development, production] = settingsOf({ yaml, env: { SECRET: 'hush' } }).environments;
    expect(development.connections).toEqual([{ name: 'websearch', connector: 'websearch' }]);
    expect(production).toEqual({
      name: 'production',
      baseUrl: 'https://gate.example.test',
      clientId: 'backend',
      clientSecret: 'hush',
      userVerification: 'app',
      userVerifyUrls: [],
      signUp: 'closed',
      isLocalOnly: false,
      connections: [
        { name: 'search', connector: 'websearch', overrides: { base_url: 'https://proxy.example.test' } },
      ],
      interceptors: [],
      webhooks: [],
    });
  });

  it.each([
    ['127.0.0.1', 80, 'http://127.0.0.1'],
    ['::1', 4000, 'http://[::1]:4000'],
    ['localhost', 4000, 'http://localhost:4000'],
  ])('names %s port %d as %s once the port is known', (host, port, expected) => {
    expect(resolveBaseUrl({ host }, {}, port)).toBe(expected);
  });

  it('leaves the base URL open while the port is, and never replaces a configured one', () => {
    const [first] = settingsOf({ env: { GATEHOUSE_PORT: '0' } }).environments;
    expect(first.baseUrl).toBeUndefined();
    expect(resolveBaseUrl({ host: '0.0.0.0' }, { baseUrl: 'https://gate.example.test' }, 5)).toBe(
      'https://gate.example.test',
    );
  });
});
