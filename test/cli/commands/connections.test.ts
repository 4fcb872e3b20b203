import { inEveryEnvironment } from '../../support/test-catalog.ts';
import { describe, expect, it } from 'vitest';
import { fakeAdmin, gatehouse } from '../cli-support.ts';

const connection = {
  id: 'conn_1',
  name: 'crm',
  connector: 'crm',
  authorization_type: 'OAUTH',
  client_id: 'abc',
  scopes: ['note:read-write', 'task:read'],
  redirect_uri: 'https://gate.example.test/sso/v1/oauth/conn_1/callback',
  warnings: ['It has no client_secret.'],
  managed_by_file: false,
};

/** The app with one connector `crm`, which records what reaches its connections and answers `connection`. */
function fakeApp({ scope_parameter = true, answer = connection } = {}) {
  const calls: unknown[] = [];
  const method =
    (name: string, result: unknown) =>
    async (_caller: unknown, ...args: unknown[]) => {
      calls.push([name, ...args.map((value) => JSON.parse(JSON.stringify(value)) as unknown)]);
      return result;
    };
  const crm = { title: 'Example CRM', auth: [{ type: 'OAUTH', oauth: { scope_parameter } }] };
  const { openAdmin } = fakeAdmin({
    connections: {
      list: method('list', [answer]),
      get: method('get', answer),
      create: method('create', answer),
      update: method('update', answer),
      remove: method('remove', undefined),
    },
    catalog: inEveryEnvironment({ connectors: new Map([['crm', crm]]) as never, tools: new Map() }) as never,
  });
  return { calls, app: { openAdmin } };
}

const create = ['connections', 'create', 'crm', '--client-id', 'abc'];

describe('gatehouse connections create', () => {
  it('reads the client secret from stdin', async () => {
    const { calls, app } = fakeApp();
    const argv = [
      ...create,
      '--client-secret',
      '--scopes',
      'a,b',
      '--params',
      '{"tenant":"t"}',
      '--overrides',
      '{"base_url":"https://sandbox.example.test"}',
      '--id',
      'conn_crm',
    ];
    expect((await gatehouse(argv, { app, stdin: 'hush\n' })).code).toBe(0);
    expect(calls).toEqual([
      [
        'create',
        {
          connector: 'crm',
          id: 'conn_crm',
          client_id: 'abc',
          client_secret: 'hush',
          scopes: ['a', 'b'],
          params: { tenant: 't' },
          overrides: { base_url: 'https://sandbox.example.test' },
        },
      ],
    ]);
  });

  it('reads the client secret from a named environment variable', async () => {
    const { calls, app } = fakeApp();
    const argv = [...create, '--client-secret-env', 'CRM_SECRET'];
    const { code, stdout, stderr } = await gatehouse(argv, {
      app,
      terminal: { env: { CRM_SECRET: 'hush' } },
    });
    expect(code).toBe(0);
    expect(calls).toEqual([['create', { connector: 'crm', client_id: 'abc', client_secret: 'hush' }]]);
    expect(stdout + stderr).not.toContain('hush');
  });

  it.each([
    [
      ['--client-secret'],
      'gatehouse: Client secret is missing. Without a terminal, give one line on stdin for each of: Client secret.\n',
    ],
    [
      ['--client-secret-env', 'CRM_SECRET'],
      'gatehouse: --client-secret-env: there is no environment variable CRM_SECRET.\n',
    ],
  ])('refuses %j without a secret', async (flags, message) => {
    const { code, stderr } = await gatehouse([...create, ...flags], { app: fakeApp().app, stdin: '\n' });
    expect([code, stderr]).toEqual([2, message]);
  });

  it.each([[['--client-secret=hush']], [['--client-secret', 'hush']]])(
    'accepts no secret on the command line, where the history of the shell keeps it: %j',
    async (flags) => {
      const { calls, app } = fakeApp();
      const { code } = await gatehouse([...create, ...flags], { app });
      expect([code, calls]).toEqual([2, []]);
    },
  );

  it('prints what to register with the provider and what does not work yet', async () => {
    const { stdout, stderr } = await gatehouse(create, { app: fakeApp().app });
    expect(stdout).toContain('redirect_uri        https://gate.example.test/sso/v1/oauth/conn_1/callback\n');
    expect(stdout).not.toContain('warnings');
    expect(stderr).toBe(
      'In the app that you register with Example CRM, enter this redirect URI, letter for letter:\n' +
        '  https://gate.example.test/sso/v1/oauth/conn_1/callback\n' +
        'Warning: It has no client_secret.\n',
    );
  });

  it('prints the scopes to select where the provider grants the scopes of its app', async () => {
    const { stderr } = await gatehouse(create, { app: fakeApp({ scope_parameter: false }).app });
    expect(stderr).toContain('In the same app, tick these scopes: note:read-write, task:read.\n');
  });

  it('prints only the connection with --json', async () => {
    const { stdout, stderr } = await gatehouse([...create, '--json'], { app: fakeApp().app });
    expect([JSON.parse(stdout), stderr]).toEqual([connection, '']);
  });

  it('shows no redirect URI that it does not know', async () => {
    const answer = { ...connection, redirect_uri: '/sso/v1/oauth/conn_1/callback', warnings: [] };
    const { stderr } = await gatehouse(create, { app: fakeApp({ answer }).app });
    expect(stderr).toBe('');
  });
});

describe('gatehouse connections update', () => {
  it('changes only the given fields', async () => {
    const { calls, app } = fakeApp();
    const argv = ['connections', 'update', 'crm', '--redirect-url', 'https://app.example.test/done'];
    await gatehouse(argv, { app });
    expect(calls).toEqual([
      ['update', 'crm', { post_user_verify_redirect_url: 'https://app.example.test/done' }],
    ]);
  });

  it('removes the client secret on request', async () => {
    const { calls, app } = fakeApp();
    await gatehouse(['connections', 'update', 'crm', '--no-client-secret'], { app });
    expect(calls).toEqual([['update', 'crm', { client_secret: null }]]);
  });

  it('refuses an update without a change', async () => {
    const { code, stderr } = await gatehouse(['connections', 'update', 'crm'], { app: fakeApp().app });
    expect([code, stderr]).toEqual([
      2,
      'gatehouse: Nothing to change. Name what is new, such as --scopes.\n',
    ]);
  });
});

describe('gatehouse connections', () => {
  it('lists connections with the number of warnings', async () => {
    const { stdout } = await gatehouse(['connections', 'list'], { app: fakeApp().app });
    expect(stdout).toBe(
      'ID      NAME  CONNECTOR  AUTHORIZATION_TYPE  MANAGED_BY_FILE  WARNINGS\n' +
        'conn_1  crm   crm        OAUTH               false            1\n',
    );
  });

  it('shows a redirect URI only for browser flows', async () => {
    const show = async (authorization_type: string) => {
      const { app } = fakeApp({ answer: { ...connection, authorization_type } });
      const { stdout, stderr } = await gatehouse(['connections', 'show', 'crm'], { app });
      return `${stdout}${stderr}`;
    };
    expect(await show('OAUTH')).toContain('/sso/v1/oauth/conn_1/callback');
    const shown = await show('OAUTH_M2M');
    expect(shown).toContain('OAUTH_M2M');
    expect(shown).not.toContain('redirect');
    expect(shown).not.toContain('/callback');
  });

  it('lists and shows connections as JSON', async () => {
    const list = await gatehouse(['connections', 'list', '--json'], { app: fakeApp().app });
    expect(JSON.parse(list.stdout)).toEqual({ connections: [connection] });
    const show = await gatehouse(['connections', 'show', 'crm', '--json'], { app: fakeApp().app });
    expect(JSON.parse(show.stdout)).toEqual(connection);
  });

  it('deletes the only connection of a connector', async () => {
    const { calls, app } = fakeApp();
    await gatehouse(['connections', 'delete', 'crm', '--yes'], { app });
    expect(calls).toEqual([
      ['get', 'crm'],
      ['remove', 'conn_1'],
    ]);
  });
});
