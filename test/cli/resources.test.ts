import { describe, expect, it } from 'vitest';
import { fakeAdmin, gatehouse } from './cli-support.ts';

/** Fakes of one or more services that record the arguments after the caller and answer with `answer`. */
function recorded(services: string | readonly string[], answers: Record<string, unknown>) {
  const calls: unknown[] = [];
  const methods = Object.entries(answers).map(([name, answer]) => [
    name,
    async (_caller: unknown, ...args: unknown[]) => {
      calls.push([name, ...args.map((value) => JSON.parse(JSON.stringify(value)) as unknown)]);
      return answer;
    },
  ]);
  const fakes = [services].flat().map((service) => [service, Object.fromEntries(methods) as never]);
  const { openAdmin, state } = fakeAdmin(Object.fromEntries(fakes) as never);
  return { calls, state, app: { openAdmin } };
}

describe('gatehouse accounts', () => {
  const account = {
    id: 'ca_1',
    connector: 'websearch',
    identifier: 'a\u001b[31mlice',
    status: 'ACTIVE',
    last_used_at: null,
  };
  const page = {
    connected_accounts: [account],
    next_page_token: 'next',
    prev_page_token: '',
    total_size: 31,
  };

  it('prints a page as a table without control characters, and names the next page', async () => {
    const { calls, app, state } = recorded('accounts', { list: page });
    const { stdout, stderr } = await gatehouse(
      ['accounts', 'list', '--status', 'ACTIVE', '--user', 'alice', '--page-size', '1'],
      { app },
    );
    expect(stdout).toBe(
      'ID    CONNECTOR  IDENTIFIER  STATUS  LAST_USED_AT\nca_1  websearch  a [31mlice  ACTIVE  -\n',
    );
    expect(stderr).toBe('31 in all. Next page: --page-token next\n');
    expect(calls).toEqual([['list', { status: 'ACTIVE', user_id: 'alice', page_size: 1 }]]);
    expect(state.closed).toBe(1);
  });

  it('says that a list has more accounts than were counted', async () => {
    const counted = { ...page, total_size: 10_000, total_size_is_at_least: true };
    const { stderr } = await gatehouse(['accounts', 'list'], recorded('accounts', { list: counted }));
    expect(stderr).toBe('More than 10000 in all. Next page: --page-token next\n');
  });

  it('prints the whole page with --json', async () => {
    const { stdout, stderr } = await gatehouse(
      ['accounts', 'list', '--json'],
      recorded('accounts', { list: page }),
    );
    expect([JSON.parse(stdout), stderr]).toEqual([page, '']);
  });

  it('creates an account with credentials from stdin', async () => {
    const { calls, app } = recorded('accounts', { create: account });
    const stdin = '{"static_auth":{"details":{"api_key":"k"}}}';
    await gatehouse(
      [
        'accounts',
        'create',
        '--connector',
        'websearch',
        '--identifier',
        'a',
        '--organization',
        'acme',
        '--details',
        '-',
      ],
      { app, stdin },
    );
    expect(calls).toEqual([
      [
        'create',
        {
          connector: 'websearch',
          identifier: 'a',
          organization_id: 'acme',
          connected_account: { authorization_details: { static_auth: { details: { api_key: 'k' } } } },
        },
      ],
    ]);
  });

  it.each([
    [['show', 'ca_1'], 'describe', [['describe', { id: 'ca_1' }]]],
    [
      ['update', 'ca_1', '--api-config', '{"a":1}'],
      'update',
      [['update', { id: 'ca_1', connected_account: { api_config: { a: 1 } } }]],
    ],
    [['refresh', 'ca_1'], 'refresh', [['refresh', 'ca_1']]],
    [['disconnect', 'ca_1'], 'disconnect', [['disconnect', 'ca_1']]],
  ])('selects the account by %j', async (argv, method, expected) => {
    const services = ['accounts', 'accountRefresh', 'disconnection'];
    const { calls, app } = recorded(services, { [method]: account });
    const { code, stdout } = await gatehouse(['accounts', ...argv, '--json'], { app });
    expect([code, JSON.parse(stdout)]).toEqual([0, account]);
    expect(calls).toEqual(expected);
  });

  it('deletes nothing without confirmation when stdin is not a terminal', async () => {
    const { calls, app } = recorded(['accounts', 'disconnection'], { describe: account, remove: undefined });
    const { code, stderr } = await gatehouse(['accounts', 'delete', 'ca_1'], { app });
    expect(code).toBe(2);
    expect(stderr).toContain('There is no terminal to answer on: give --yes.');
    expect(calls).toEqual([['describe', { id: 'ca_1' }]]);
  });

  it('deletes an account after confirmation', async () => {
    const { calls, app } = recorded(['accounts', 'disconnection'], { describe: account, remove: undefined });
    const { code, stdout } = await gatehouse(['accounts', 'delete', 'ca_1', '--yes', '--json'], { app });
    expect([code, JSON.parse(stdout)]).toEqual([0, {}]);
    expect(calls).toEqual([
      ['describe', { id: 'ca_1' }],
      ['remove', { id: 'ca_1' }],
    ]);
  });

  it('shows the history of an account', async () => {
    const events = [
      {
        id: 'evt_1',
        at: '2026-11-20T12:00:00.000Z',
        from: null,
        to: 'ACTIVE',
        cause: 'created',
        actor: 'local',
      },
    ];
    const { stdout } = await gatehouse(['accounts', 'events', 'ca_1'], recorded('accounts', { events }));
    expect(stdout).toContain('2026-11-20T12:00:00.000Z  -     ACTIVE  created  local\n');
  });
});

describe('gatehouse credentials', () => {
  const credential = {
    id: 'cred_1',
    name: 'backend',
    scopes: ['admin'],
    organization_id: '',
    client_id: 'gh_1',
    created_at: 'now',
  };

  it('prints a new client id and secret once, on stdout', async () => {
    const { calls, app } = recorded('credentials', {
      create: { credential: { ...credential, client_secret: 'hush' } },
    });
    const { stdout, stderr } = await gatehouse(
      ['credentials', 'create', '--name', 'backend', '--scopes', 'admin,tools:execute', '--json'],
      { app },
    );
    expect(JSON.parse(stdout)).toEqual({ ...credential, client_secret: 'hush' });
    expect(stderr).not.toContain('hush');
    expect(calls).toEqual([['create', { name: 'backend', scopes: ['admin', 'tools:execute'] }]]);
  });

  it('creates a credential with the usual scopes, and names them, when none is given', async () => {
    const { calls, app } = recorded('credentials', { create: { credential } });
    const argv = ['credentials', 'create', '--name', 'a', '--organization', 'acme'];
    const { stderr } = await gatehouse(argv, { app });
    expect(stderr).toContain('It has the scopes accounts:write tools:execute. Name others with --scopes.\n');
    const scopes = ['accounts:write', 'tools:execute'];
    expect(calls).toEqual([['create', { name: 'a', scopes, organization_id: 'acme' }]]);
  });

  it('rotates a secret and prints the remaining lifetime of the old one', async () => {
    const answer = { credential: { ...credential, client_secret: 'new' }, previous_until: 'tomorrow' };
    const { stdout } = await gatehouse(
      ['credentials', 'rotate', 'cred_1', '--json'],
      recorded('credentials', { rotate: answer }),
    );
    expect(JSON.parse(stdout)).toEqual({ ...credential, client_secret: 'new', previous_until: 'tomorrow' });
  });

  it('lists and deletes API credentials', async () => {
    const listed = await gatehouse(['credentials', 'list'], recorded('credentials', { list: [credential] }));
    expect(listed.stdout).toContain('cred_1  backend  gh_1       -                admin   now         -\n');
    const { calls, app } = recorded('credentials', { get: credential, remove: undefined });
    expect((await gatehouse(['credentials', 'delete', 'cred_1', '--yes'], { app })).code).toBe(0);
    expect(calls).toEqual([
      ['get', 'cred_1'],
      ['remove', 'cred_1'],
    ]);
  });
});
