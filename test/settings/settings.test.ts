import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings, resolveBaseUrl } from '../../src/settings/settings.ts';
import { emptyFolder, settingsOf } from './settings-support.ts';

describe('settings without any source', () => {
  it('equal the defaults of docs/configuration.md', () => {
    const folder = emptyFolder();
    const { problemAt: _, inForce: _inForce, ...settings } = settingsOf({}, folder);
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
        connectionsPerOrigin: 64,
      },
      logLevel: 'info',
      logRequests: true,
      servesDocs: true,
      lifetimes: {
        tokenMs: 3_600_000,
        linkMs: 3_600_000,
        stateMs: 600_000,
        pendingVerificationMs: 600_000,
        sessionMs: 3_600_000,
      },
      refresh: { marginMs: 60_000, leaseMs: 10_000, deadlineMs: 60_000 },
      inbound: { maxBodyBytes: 1_000_000, maxConnections: 2048, keepAliveTimeoutMs: 65_000, drainDelayMs: 0 },
      database: { poolSize: 10 },
      executions: { areRequired: false },
      mcp: { readOnly: false, discovery: 'off', ownTools: true, maxResultBytes: 32_000, userId: 'local' },
      retention: {
        executionsMs: 2_592_000_000,
        summariesMs: 34_560_000_000,
        interceptorLogsMs: 2_592_000_000,
        webhookDeliveriesMs: 604_800_000,
      },
      webhooks: { giveUpAfterMs: 259_200_000 },
      catalogDirs: [],
      environments: [
        {
          name: 'development',
          baseUrl: 'http://127.0.0.1:3000',
          userVerification: 'none',
          userVerifyUrls: [],
          signUp: 'open',
          isLocalOnly: true,
          brand: {},
          connections: [],
          interceptors: [],
          webhooks: [],
        },
      ],
    });
  });
});

describe('setting webhooks.give_up_after', () => {
  it('stands next to the list of webhooks, as one key with a dot or as a variable', () => {
    const yaml =
      'webhooks.give_up_after: 2d\nwebhooks:\n  - {name: ops, url: https://hooks.example.test/, events: [connected_account.created]}\n';
    const settings = settingsOf({ yaml });
    expect([settings.webhooks.giveUpAfterMs, settings.environments[0].webhooks.length]).toEqual([
      172_800_000, 1,
    ]);
    const env = { GATEHOUSE_WEBHOOKS_GIVE_UP_AFTER: '1h' };
    expect(settingsOf({ yaml, env }).webhooks.giveUpAfterMs).toBe(3_600_000);
  });
});

describe('sources of settings', () => {
  const yaml = 'lifetimes:\n  link: 1m\n';

  it('prefer the file to the default', () => {
    expect(settingsOf({ yaml }).lifetimes.linkMs).toBe(60_000);
  });

  it('prefer the environment to the file', () => {
    expect(settingsOf({ yaml, env: { GATEHOUSE_LIFETIMES_LINK: '2s' } }).lifetimes.linkMs).toBe(2_000);
  });

  it('prefer a flag to the environment', () => {
    const sources = { yaml: 'port: 1\n', env: { GATEHOUSE_PORT: '2' }, flags: { port: '3' } };
    expect(settingsOf(sources).port).toBe(3);
  });

  it('ignore an empty variable', () => {
    expect(settingsOf({ yaml, env: { GATEHOUSE_LIFETIMES_LINK: '' } }).lifetimes.linkMs).toBe(60_000);
  });

  it.each([
    ['GATEHOUSE_MCP_READ_ONLY', '1', { readOnly: true }],
    ['GATEHOUSE_MCP_READ_ONLY', 'false', { readOnly: false }],
    ['GATEHOUSE_MCP_TOOLS', 'a_b, c_d,', { tools: ['a_b', 'c_d'] }],
    ['GATEHOUSE_MCP_MAX_RESULT_BYTES', '5000', { maxResultBytes: 5000 }],
    ['GATEHOUSE_MCP_MAX_RESULT_BYTES', '2 KiB', { maxResultBytes: 2048 }],
    ['GATEHOUSE_MCP_MAX_RESULT_BYTES', '1 MB', { maxResultBytes: 60_000 }],
    ['GATEHOUSE_MCP_OWN_TOOLS', 'false', { ownTools: false }],
    ['GATEHOUSE_MCP_ORGANIZATION_ID', 'acme', { organizationId: 'acme', userId: '' }],
  ])('read the variable %s=%s', (name, value, expected) => {
    expect(settingsOf({ env: { [name]: value } }).mcp).toMatchObject(expected);
  });

  it('read what decides over the listener, the pool and the records', () => {
    const env = {
      GATEHOUSE_INBOUND_KEEP_ALIVE: '2m',
      GATEHOUSE_INBOUND_DRAIN_DELAY: '20s',
      GATEHOUSE_DATABASE_POOL_SIZE: '25',
      GATEHOUSE_EXECUTIONS_REQUIRED: 'true',
    };
    const { inbound, database, executions } = settingsOf({ env });
    expect([inbound.keepAliveTimeoutMs, inbound.drainDelayMs]).toEqual([120_000, 20_000]);
    expect([database, executions]).toEqual([{ poolSize: 25 }, { areRequired: true }]);
  });

  it('accept both names of a setting with the same value', () => {
    const env = {
      GATEHOUSE_ALLOW_PRIVATE_HOSTS: '10.0.0.0/8',
      GATEHOUSE_OUTBOUND_ALLOW_PRIVATE_HOSTS: '10.0.0.0/8',
    };
    expect(settingsOf({ env }).outbound.allowPrivateHosts).toEqual(['10.0.0.0/8']);
  });

  it('expand variables in the file, also in numbers and lists', () => {
    const text = 'port: ${PORT}\nclient_id: id-${NAME}-$${x}\nclient_secret: s\nmcp:\n  tools: ${TOOLS}\n';
    const settings = settingsOf({ yaml: text, env: { PORT: '8080', NAME: 'n', TOOLS: 'a,b' } });
    expect([settings.port, settings.environments[0].clientId, settings.mcp.tools]).toEqual([
      8080,
      'id-n-${x}',
      ['a', 'b'],
    ]);
  });
});

describe('settings file', () => {
  it('comes from flag, variable, working directory or home, in this order', () => {
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

describe('data folder', () => {
  it('defaults to ./data where that exists', () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'work/data'));
    expect(settingsOf({}, folder).dataDir).toBe(join(folder, 'work/data'));
  });

  it('defaults to ./data in a checkout', () => {
    const folder = emptyFolder();
    for (const file of ['work/bin/gatehouse.js', 'work/src/main.ts']) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    expect(settingsOf({}, folder).dataDir).toBe(join(folder, 'work/data'));
  });

  it('resolves a relative path from the folder of the settings file', () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'conf'));
    writeFileSync(join(folder, 'conf/g.yaml'), 'data_dir: ./state\nkeys:\n  master_key_file: ~/k\n');
    const settings = settingsOf({ flags: { config: '../conf/g.yaml' } }, folder);
    expect(settings.dataDir).toBe(join(folder, 'conf/state'));
    expect(settings.databaseUrl).toBe(`sqlite:${join(folder, 'conf/state/gatehouse.db')}`);
    expect(settings.keys.masterKeyFile).toBe(join(folder, 'home/k'));
  });

  it('resolves a relative path in a flag from the working directory', () => {
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
  ])('resolves the database URL %s', (url, relative) => {
    const folder = emptyFolder();
    const expected = relative === undefined ? url : `sqlite:${join(folder, relative)}`;
    expect(settingsOf({ env: { GATEHOUSE_DATABASE_URL: url } }, folder).databaseUrl).toBe(expected);
  });
});

describe('environments of the settings', () => {
  it('derive verification and sign-up from who can reach base URL and listener', () => {
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

  it('allow the verify URL alone where the list of allowed ones is empty', () => {
    const allowed = (file: Record<string, unknown>): readonly string[] =>
      settingsOf({ yaml: JSON.stringify(file) }).environments[0].userVerifyUrls;
    const url = 'https://app.example.test/verify';
    const others = ['https://app.example.test/', 'https://shop.example.test/verify'];
    expect(allowed({ user_verify_url: url })).toEqual([url]);
    expect(allowed({ user_verify_url: url, user_verify_urls: [] })).toEqual([url]);
    expect(allowed({ user_verify_url: url, user_verify_urls: others })).toEqual(others);
    expect(allowed({ user_verify_urls: others })).toEqual(others);
    expect(allowed({})).toEqual([]);
  });

  it('keep the declarations of each entry separate', () => {
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
      brand: {},
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
  ])('name %s port %d as %s once the port is known', (host, port, expected) => {
    expect(resolveBaseUrl({ host }, {}, port)).toBe(expected);
  });

  it('leave the base URL open while the port is, and never replace a configured one', () => {
    const [first] = settingsOf({ env: { GATEHOUSE_PORT: '0' } }).environments;
    expect(first.baseUrl).toBeUndefined();
    expect(resolveBaseUrl({ host: '0.0.0.0' }, { baseUrl: 'https://gate.example.test' }, 5)).toBe(
      'https://gate.example.test',
    );
  });
});
