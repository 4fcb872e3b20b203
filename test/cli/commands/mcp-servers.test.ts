import { describe, expect, it } from 'vitest';
import { fakeAdmin, gatehouse } from '../cli-support.ts';

const server = {
  id: 'mcp_1',
  name: 'support',
  organization_id: '',
  connections: ['crm'],
  toolsets: ['crm.tasks'],
  tools: [],
  read_only: true,
  mcp_url: 'https://gate.example.test/mcp/support',
};

/** The app, which records what reaches its servers. */
function fakeApp() {
  const calls: unknown[] = [];
  const method =
    (name: string, result: unknown) =>
    async (_caller: unknown, ...args: unknown[]) => {
      calls.push([name, ...args]);
      return result;
    };
  const { openAdmin } = fakeAdmin({
    mcpServers: {
      list: method('list', [server]),
      get: method('get', server),
      create: method('create', server),
      update: method('update', server),
      remove: method('remove', undefined),
    },
  });
  return { calls, app: { openAdmin } };
}

const run = async (argv: string[], stdin = '', env: Record<string, string> = {}) => {
  const { calls, app } = fakeApp();
  const { code, stdout, stderr } = await gatehouse(['mcp-servers', ...argv], {
    app,
    stdin,
    terminal: { env },
  });
  return { calls, code, stdout, stderr };
};

describe('gatehouse mcp-servers', () => {
  it('creates a server with all tools of its connections, unless tools are named', async () => {
    const plain = await run(['create', 'support', '--connections', 'crm,mail']);
    const all = { name: 'support', connections: ['crm', 'mail'], toolsets: [], tools: [], readOnly: false };
    expect([plain.code, plain.calls]).toEqual([0, [['create', all]]]);
    const named = ['--toolsets', 'crm.tasks', '--tools', 'mail_send', '--read-only', '--json'];
    const { calls, stdout } = await run(['create', 'support', '--connections', 'crm', ...named]);
    const some = { toolsets: ['crm.tasks'], tools: ['mail_send'], readOnly: true };
    expect(calls).toEqual([['create', { name: 'support', connections: ['crm'], ...some }]]);
    expect(JSON.parse(stdout)).toMatchObject({ mcp_url: 'https://gate.example.test/mcp/support' });
    expect((await run(['create', 'support'])).code).toBe(2);
  });

  it('updates only the given fields', async () => {
    const { calls } = await run(['update', 'support', '--no-read-only', '--tools', 'mail_send']);
    expect(calls).toEqual([['update', 'support', { tools: ['mail_send'], readOnly: false }]]);
    const nothing = await run(['update', 'support']);
    expect([nothing.code, nothing.calls]).toEqual([2, []]);
  });

  it('prints the address of a server with list and show', async () => {
    for (const argv of [['list'], ['show', 'support'], ['list', '--json']])
      expect((await run(argv)).stdout).toContain('https://gate.example.test/mcp/support');
  });

  it.each([
    [
      {},
      'http://127.0.0.1:3000 is the address of a server that has these settings. One that was started with --host, --port or --base-url is at that address instead: set port (GATEHOUSE_PORT) or base_url (GATEHOUSE_BASE_URL), and both know it.\n',
    ],
    [{ GATEHOUSE_PORT: '8080' }, 'http://127.0.0.1:8080 is the address of a server'],
    [
      { GATEHOUSE_PORT: '0' },
      'With port 0 only the running server knows its port, so mcp_url is a path here. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).\n',
    ],
  ])('explains where an unset address comes from: %j', async (env, words) => {
    for (const argv of [
      ['create', 'support', '--connections', 'crm'],
      ['update', 'support', '--read-only'],
      ['show', 'support'],
      ['list', '--json'],
    ])
      expect((await run(argv, '', env)).stderr).toContain(words);
  });

  it('prints no explanation for a set or absent address', async () => {
    const env = { GATEHOUSE_BASE_URL: 'https://gate.example.test' };
    expect((await run(['show', 'support'], '', env)).stderr).toBe('');
    expect((await run(['delete', 'support', '--yes'])).stderr).toBe('Deleted support.\n');
  });

  it('asks before it deletes, unless a flag confirms', async () => {
    const { code, calls } = await run(['delete', 'support'], 'n\n');
    expect([code, calls]).toEqual([2, [['get', 'support']]]);
    expect((await run(['delete', 'support', '--yes'])).calls).toEqual([
      ['get', 'support'],
      ['remove', 'mcp_1'],
    ]);
  });
});
