/** Which service each route calls, with what, and how its answer looks. */
import { describe, expect, it } from 'vitest';
import { account, fakeApi, json, searchTool } from '../fake-services.ts';

interface Row {
  name: string;
  path: string;
  init?: RequestInit;
  reaches: unknown;
  status?: number;
  answers?: unknown;
}

const pageOfNone = { connected_accounts: [], next_page_token: '', prev_page_token: '', total_size: 0 };
const shown = {
  name: 'websearch_search',
  title: 'Search the web',
  description: 'Searches the web.',
  connector: 'websearch',
  toolset: 'search',
  effect: 'read',
  input_schema: searchTool.inputSchema,
  scopes: [['search', 'all']],
};

const rows: Row[] = [
  {
    name: 'lists accounts with every filter',
    path: '/api/v1/connected_accounts?organization_id=o&user_id=u&connector=my%20crm&provider=crm&identifier=i&status=EXPIRED&connection_names=a&connection_names=b&query=q&page_size=100&page_token=t',
    reaches: [
      {
        what: 'accounts.list',
        with: [
          {
            organization_id: 'o',
            user_id: 'u',
            connector: 'my crm',
            provider: 'crm',
            identifier: 'i',
            status: 'EXPIRED',
            connection_names: ['a', 'b'],
            query: 'q',
            page_size: 100,
            page_token: 't',
          },
        ],
      },
    ],
    answers: pageOfNone,
  },
  {
    name: 'lists accounts from the first page for an empty page token',
    path: '/api/v1/connected_accounts?page_token=',
    reaches: [{ what: 'accounts.list', with: [{ page_token: '' }] }],
  },
  {
    name: 'searches accounts',
    path: '/api/v1/connected_accounts:search?query=ada&page_size=5',
    reaches: [{ what: 'accounts.list', with: [{ query: 'ada', page_size: 5 }] }],
    answers: pageOfNone,
  },
  {
    name: 'creates an account',
    path: '/api/v1/connected_accounts',
    init: json('POST', {
      connector: 'websearch',
      identifier: 'ada@example.test',
      user_id: 'ada',
      connected_account: {
        authorization_type: 'API_KEY',
        authorization_details: { static_auth: { details: { api_key: 'k' } } },
        api_config: { region: 'eu', nested: { a: [1] } },
      },
    }),
    reaches: [
      {
        what: 'accounts.create',
        with: [
          {
            connector: 'websearch',
            identifier: 'ada@example.test',
            user_id: 'ada',
            connected_account: {
              authorization_type: 'API_KEY',
              authorization_details: { static_auth: { details: { api_key: 'k' } } },
              api_config: { region: 'eu', nested: { a: [1] } },
            },
          },
        ],
      },
    ],
    status: 201,
    answers: { connected_account: account },
  },
  {
    name: 'updates an account',
    path: '/api/v1/connected_accounts',
    init: json('PUT', {
      id: 'ca_1',
      connected_account: {
        authorization_details: { oauth_token: { access_token: 'a', scopes: ['s'] } },
        token_expires_at: '2026-11-20T13:00:00+01:00',
        api_config: { gone: null },
      },
    }),
    reaches: [
      {
        what: 'accounts.update',
        with: [
          {
            id: 'ca_1',
            connected_account: {
              authorization_details: { oauth_token: { access_token: 'a', scopes: ['s'] } },
              token_expires_at: '2026-11-20T13:00:00+01:00',
              api_config: { gone: null },
            },
          },
        ],
      },
    ],
    answers: { connected_account: account },
  },
  {
    name: 'gets an account with credentials',
    path: '/api/v1/connected_accounts/auth?connector=websearch&identifier=ada&user_id=ada',
    reaches: [
      {
        what: 'credentialAccess.describe',
        with: [{ connector: 'websearch', identifier: 'ada', user_id: 'ada' }],
      },
    ],
    answers: { connected_account: account },
  },
  {
    name: 'gets an account without credentials',
    path: '/api/v1/connected_accounts/details?id=ca_1',
    reaches: [{ what: 'accounts.describe', with: [{ id: 'ca_1' }] }],
    answers: { connected_account: account },
  },
  {
    name: 'makes a link',
    path: '/api/v1/connected_accounts/magic_link',
    init: json('POST', {
      connector: 'websearch',
      user_id: 'ada',
      state: 's',
      user_verify_url: 'https://app.example.test/v',
    }),
    reaches: [
      {
        what: 'links.create',
        with: [
          {
            connector: 'websearch',
            user_id: 'ada',
            state: 's',
            user_verify_url: 'https://app.example.test/v',
          },
        ],
      },
    ],
    answers: { link: 'http://127.0.0.1:3000/connect/t', expiry: '2026-11-20T13:00:00.000Z' },
  },
  {
    name: 'verifies',
    path: '/api/v1/connected_accounts/user/verify',
    init: json('POST', { auth_request_id: 'abcdefghijklmnopqrst', identifier: 'ada' }),
    reaches: [
      { what: 'verification.verify', with: [{ auth_request_id: 'abcdefghijklmnopqrst', identifier: 'ada' }] },
    ],
    answers: { post_user_verify_redirect_url: 'https://app.example.test/done' },
  },
  {
    name: 'deletes an account',
    path: '/api/v1/connected_accounts:delete',
    init: json('POST', { id: 'ca_1' }),
    reaches: [{ what: 'disconnection.remove', with: [{ id: 'ca_1' }] }],
    answers: {},
  },
  {
    name: 'disconnects an account, with or without a body',
    path: '/api/v1/connected_accounts/ca_1:disconnect',
    init: json('POST', {}),
    reaches: [{ what: 'disconnection.disconnect', with: ['ca_1'] }],
    answers: { connected_account: account },
  },
  {
    name: 'refreshes an account',
    path: '/api/v1/connected_accounts/ca_1:refresh',
    init: json('POST', {}),
    reaches: [{ what: 'accountRefresh.refresh', with: ['ca_1'] }],
    answers: { connected_account: account },
  },
  {
    name: 'lists the events of an account',
    path: '/api/v1/connected_accounts/ca_1/events',
    reaches: [{ what: 'accounts.events', with: ['ca_1'] }],
    answers: { events: [] },
  },
  {
    name: 'executes a tool',
    path: '/api/v1/execute_tool',
    init: json('POST', {
      tool_name: 'websearch_search',
      tool_input: { query: 'x' },
      connected_account_id: 'ca_1',
    }),
    reaches: [
      {
        what: 'executor.execute',
        with: [
          'websearch_search',
          { query: 'x' },
          {
            id: 'ca_1',
            connector: undefined,
            identifier: undefined,
            userId: undefined,
            organizationId: undefined,
          },
        ],
      },
    ],
    answers: { data: { ok: true }, execution_id: 'exe_1' },
  },
  {
    name: 'takes params for tool_input and the account by combination',
    path: '/api/v1/execute_tool',
    init: json('POST', {
      tool_name: 'websearch_search',
      params: { query: 'x' },
      connector: 'websearch',
      identifier: 'ada',
      organization_id: 'acme',
    }),
    reaches: [
      {
        what: 'executor.execute',
        with: [
          'websearch_search',
          { query: 'x' },
          {
            id: undefined,
            connector: 'websearch',
            identifier: 'ada',
            userId: undefined,
            organizationId: 'acme',
          },
        ],
      },
    ],
  },
  {
    name: 'takes params and tool_input that say the same',
    path: '/api/v1/execute_tool',
    init: json('POST', { tool_name: 't', params: { a: { b: 1, c: 2 } }, tool_input: { a: { c: 2, b: 1 } } }),
    reaches: [{ what: 'executor.execute', with: ['t', { a: { c: 2, b: 1 } }, expect.anything()] }],
  },
  {
    name: 'executes a tool without input',
    path: '/api/v1/execute_tool',
    init: json('POST', { tool_name: 't' }),
    reaches: [{ what: 'executor.execute', with: ['t', {}, expect.anything()] }],
  },
  {
    name: 'lists tools',
    path: '/api/v1/tools?connector=websearch&toolset=search&query=SEARCHES',
    reaches: [],
    answers: { tools: [shown], next_page_token: '', prev_page_token: '', total_size: 1 },
  },
  { name: 'gets a tool', path: '/api/v1/tools/websearch_search', reaches: [], answers: { tool: shown } },
  {
    name: 'lists connections',
    path: '/api/v1/connections',
    reaches: [{ what: 'connections.list', with: ['env_dev'] }],
    answers: expect.objectContaining({ total_size: 1, next_page_token: '' }),
  },
  {
    name: 'creates a connection',
    path: '/api/v1/connections',
    init: json('POST', {
      name: 'my crm',
      connector: 'crm',
      client_id: 'i',
      client_secret: 's',
      scopes: ['a'],
      params: { tenant: 't' },
      overrides: { base_url: 'https://x.test' },
      post_user_verify_redirect_url: 'https://app.example.test/done',
    }),
    reaches: [
      {
        what: 'connections.create',
        with: [
          {
            name: 'my crm',
            connector: 'crm',
            client_id: 'i',
            client_secret: 's',
            scopes: ['a'],
            params: { tenant: 't' },
            overrides: { base_url: 'https://x.test' },
            post_user_verify_redirect_url: 'https://app.example.test/done',
          },
        ],
      },
    ],
    status: 201,
    answers: expect.objectContaining({ connection: expect.objectContaining({ id: 'conn_1' }) }),
  },
  {
    name: 'gets a connection by a name with colons and spaces',
    path: '/api/v1/connections/my%20crm:eu',
    reaches: [{ what: 'connections.get', with: ['env_dev', 'my crm:eu'] }],
  },
  {
    name: 'changes a connection',
    path: '/api/v1/connections/conn_1',
    init: json('PATCH', { scopes: [] }),
    reaches: [{ what: 'connections.update', with: ['conn_1', { scopes: [] }] }],
  },
  {
    name: 'deletes a connection',
    path: '/api/v1/connections/conn_1',
    init: { method: 'DELETE' },
    reaches: [{ what: 'connections.remove', with: ['conn_1'] }],
    answers: {},
  },
  {
    name: 'lists credentials',
    path: '/api/v1/credentials',
    reaches: [{ what: 'credentials.list', with: ['env_dev', {}] }],
    answers: expect.objectContaining({ total_size: 1 }),
  },
  {
    name: 'creates a credential',
    path: '/api/v1/credentials',
    init: json('POST', { name: 'n', scopes: ['accounts:read'], organization_id: 'acme' }),
    reaches: [
      {
        what: 'credentials.create',
        with: [{ name: 'n', scopes: ['accounts:read'], organization_id: 'acme' }],
      },
    ],
    status: 201,
    answers: { credential: expect.objectContaining({ client_secret: 'shown-once' }) },
  },
  {
    name: 'gets a credential',
    path: '/api/v1/credentials/cred_1',
    reaches: [{ what: 'credentials.get', with: ['env_dev', 'cred_1', {}] }],
  },
  {
    name: 'rotates a credential',
    path: '/api/v1/credentials/cred_1:rotate',
    init: { method: 'POST' },
    reaches: [{ what: 'credentials.rotate', with: ['cred_1'] }],
    answers: expect.objectContaining({ previous_until: '2026-11-21T12:00:00.000Z' }),
  },
  {
    name: 'deletes a credential',
    path: '/api/v1/credentials/cred_1',
    init: { method: 'DELETE' },
    reaches: [{ what: 'credentials.remove', with: ['cred_1'] }],
    answers: {},
  },
  {
    name: 'lists webhooks',
    path: '/api/v1/webhooks',
    reaches: [{ what: 'webhooks.list', with: ['env_dev'] }],
    answers: expect.objectContaining({ total_size: 1, next_page_token: '' }),
  },
  {
    name: 'creates a webhook',
    path: '/api/v1/webhooks',
    init: json('POST', {
      name: 'ops',
      url: 'https://hooks.example.test',
      events: ['connected_account.deleted'],
      enabled: false,
    }),
    reaches: [
      {
        what: 'webhooks.create',
        with: [
          {
            name: 'ops',
            url: 'https://hooks.example.test',
            events: ['connected_account.deleted'],
            enabled: false,
          },
        ],
      },
    ],
    status: 201,
    answers: { webhook: expect.objectContaining({ id: 'whk_1' }) },
  },
  {
    name: 'gets a webhook',
    path: '/api/v1/webhooks/whk_1',
    reaches: [{ what: 'webhooks.get', with: ['env_dev', 'whk_1'] }],
  },
  {
    name: 'changes a webhook',
    path: '/api/v1/webhooks/whk_1',
    init: json('PATCH', { enabled: false }),
    reaches: [{ what: 'webhooks.update', with: ['whk_1', { enabled: false }] }],
  },
  {
    name: 'deletes a webhook',
    path: '/api/v1/webhooks/whk_1',
    init: { method: 'DELETE' },
    reaches: [{ what: 'webhooks.remove', with: ['whk_1'] }],
    answers: {},
  },
  {
    name: 'lists the deliveries of a webhook',
    path: '/api/v1/webhooks/whk_1/deliveries?status=failed&page_size=2&page_token=t',
    reaches: [
      {
        what: 'deliveryLog.list',
        with: ['env_dev', 'whk_1', { status: 'failed', pageSize: 2, pageToken: 't' }],
      },
    ],
    answers: expect.objectContaining({ total_size: 1 }),
  },
  {
    name: 'sends an event again',
    path: '/api/v1/webhooks/deliveries/whd_1:redeliver',
    init: { method: 'POST' },
    reaches: [{ what: 'deliveryLog.redeliver', with: ['whd_1'] }],
    answers: { delivery: expect.objectContaining({ id: 'whd_1' }) },
  },
  {
    name: 'shows the signing secret',
    path: '/api/v1/signing_secret',
    reaches: [{ what: 'signingSecrets.show', with: [] }],
    answers: { secret: 'whsec_of-the-fake', previous_until: null },
  },
  {
    name: 'rotates the signing secret',
    path: '/api/v1/signing_secret:rotate',
    init: { method: 'POST' },
    reaches: [{ what: 'signingSecrets.rotate', with: [] }],
    answers: { secret: 'whsec_of-the-fake', previous_until: null },
  },
  {
    name: 'makes an MCP server, of all tools of its connections unless they are named',
    path: '/api/v1/mcp_servers',
    init: json('POST', { name: 'support', connections: ['websearch'] }),
    status: 201,
    reaches: [
      {
        what: 'mcpServers.create',
        with: [{ name: 'support', connections: ['websearch'], toolsets: [], tools: [], readOnly: false }],
      },
    ],
  },
  {
    name: 'changes what is given of an MCP server',
    path: '/api/v1/mcp_servers/support',
    init: json('PATCH', { read_only: true }),
    reaches: [{ what: 'mcpServers.update', with: ['support', { readOnly: true }] }],
  },
  {
    name: 'lists MCP servers on one page',
    path: '/api/v1/mcp_servers',
    reaches: [{ what: 'mcpServers.list', with: [] }],
  },
  {
    name: 'shows an MCP server',
    path: '/api/v1/mcp_servers/mcp_1',
    reaches: [{ what: 'mcpServers.get', with: ['mcp_1'] }],
  },
  {
    name: 'deletes an MCP server',
    path: '/api/v1/mcp_servers/mcp_1',
    init: { method: 'DELETE' },
    reaches: [{ what: 'mcpServers.remove', with: ['mcp_1'] }],
    answers: {},
  },
  {
    name: 'makes a token for one user of an MCP server',
    path: '/api/v1/mcp_servers/support/tokens',
    init: json('POST', { user_id: 'ada' }),
    reaches: [
      {
        what: 'serverTokens.issue',
        with: [
          'support',
          { user_id: 'ada' },
          { ip: '192.0.2.7', userAgent: 'test/1.0', region: '', city: '' },
        ],
      },
    ],
    answers: {
      access_token: 'access',
      mcp_url: 'http://127.0.0.1:3000/mcp/support',
      expires_in: 3_600,
    },
  },
  {
    name: 'answers for the process',
    path: '/healthz',
    reaches: [],
    answers: { status: 'ok', installation_id: 'inst_1' },
  },
  { name: 'answers for database and key', path: '/readyz', reaches: [], answers: { status: 'ok' } },
];

describe('REST routes', () => {
  it.each(rows)('serves the route that $name', async ({ path, init, reaches, status, answers }) => {
    const api = fakeApi();
    const response = await api.request(path, init);
    expect(response.status).toBe(status ?? 200);
    expect(api.reached).toEqual(reaches);
    if (answers !== undefined) expect(await response.json()).toEqual(answers);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('names its process on the machine itself, where another process wants the port', async () => {
    const response = await fakeApi().request('/healthz', {}, { isLocalPeer: true });
    expect(await response.json()).toEqual({ status: 'ok', installation_id: 'inst_1', pid: process.pid });
  });

  it('answers HEAD like GET without a body', async () => {
    const response = await fakeApi().request('/api/v1/tools', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('passes on the trace and tells the executor when the caller leaves', async () => {
    const calls: {
      traceparent?: string | undefined;
      signal?: AbortSignal | undefined;
      ip: string;
      source: string;
    }[] = [];
    const api = fakeApi({
      executor: {
        execute: ({ traceparent, signal, caller }) => {
          calls.push({ traceparent, signal, ip: caller.ip, source: caller.source });
          return Promise.resolve({
            data: null,
            executionId: 'exe_1',
            account: { id: '', identifier: '', connector: '' },
          });
        },
        dryRun: () => Promise.reject(new Error('not asked for')),
        violations: () => [],
      },
    });
    const response = await api.request('/api/v1/execute_tool', json('POST', { tool_name: 't' }));
    expect(await response.json()).toEqual({ data: null, execution_id: 'exe_1' });
    expect(calls).toEqual([
      {
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
        signal: expect.any(AbortSignal),
        ip: '192.0.2.7',
        source: 'api',
      },
    ]);
  });

  it('reports the route pattern for logs and metrics', async () => {
    const api = fakeApi();
    await api.request('/api/v1/connected_accounts/ca_1:disconnect', { method: 'POST' });
    expect(api.contexts.map(({ route }) => route)).toEqual(['/api/v1/connected_accounts/{id}:disconnect']);
  });
});
