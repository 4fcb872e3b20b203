/** The routes with the real rules and a real database behind them; every answer is checked against /openapi.json. */
import { beforeEach, describe, expect, it } from 'vitest';
import { answer, submitForm, testServices, type Services } from '../../support/services.ts';
import { catalogWithChecks } from '../../support/test-catalog.ts';
import { json, restApi, type RestApi } from '../rest-api.ts';
import { answerProblems, openApi } from '../openapi-document.ts';

const document = await openApi();

const ACCOUNTS = '/api/v1/connected_accounts';

/** Documented paths, longest first, so that `/auth` is not taken for an id. */
const documented = Object.keys(document.paths)
  .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/:]+?')}$`) }));

let services: Services;
let api: RestApi;

beforeEach(async () => {
  services = await testServices({ environment: { userVerification: 'none', userVerifyUrl: undefined } });
  api = await restApi({ services });
});

/** Status and body of an answer that fits the documentation. */
async function call(path: string, init: RequestInit = {}): Promise<{ status: number; body: never }> {
  const response = await api.request(path, init);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const body = (await response.json()) as never;
  const pathname = path.split('?')[0] ?? '';
  const template = documented.find(({ pattern }) => pattern.test(pathname))?.path ?? pathname;
  const problems = answerProblems(document, {
    method: init.method ?? 'GET',
    path: template,
    status: response.status,
    body,
  });
  expect(problems).toEqual([]);
  return { status: response.status, body };
}

const details = (api_key: string) => ({ authorization_details: { static_auth: { details: { api_key } } } });

async function createAccount(
  owner: Record<string, string> = { user_id: 'ada' },
  identifier = 'ada@example.test',
): Promise<string> {
  const created = await call(
    ACCOUNTS,
    json('POST', { connector: 'notes', identifier, ...owner, connected_account: details('key-1') }),
  );
  expect(created.status).toBe(201);
  return (created.body as { connected_account: { id: string } }).connected_account.id;
}

const tables = [
  'accounts',
  'account_events',
  'connections',
  'credentials',
  'links',
  'executions',
  'audit',
] as const;

async function rowCounts(): Promise<number[]> {
  return Promise.all(
    tables.map(async (table) => (await services.db.read.selectFrom(table).selectAll().execute()).length),
  );
}

describe('connected accounts over REST', () => {
  it('tries a credential where the body asks for it', async () => {
    services = await testServices({ catalog: catalogWithChecks });
    api = await restApi({ services });
    const key = { connector: 'notes', identifier: 'ada', user_id: 'ada' };
    const body = { ...key, connected_account: details('key-1') };
    services.answers.push(answer(401, { error: 'the key of Ada is wrong' }));
    const refused = await call(ACCOUNTS, json('POST', { ...body, check: true }));
    const field = 'connected_account.authorization_details.static_auth.details.api_key';
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ field_violations: [{ field, constraint: 'refused' }] }] },
    });
    expect(JSON.stringify(refused.body)).not.toContain('the key of Ada');
    expect((await rowCounts())[0]).toBe(0);

    services.answers.push(answer(500, {}));
    const created = await call(ACCOUNTS, json('POST', { ...body, check: true }));
    expect(created).toMatchObject({
      status: 201,
      body: {
        connected_account: { status: 'ACTIVE' },
        warnings: [expect.stringContaining('could not be tried')],
      },
    });
    const updated = await call(ACCOUNTS, json('PUT', { ...body, check: true }));
    expect(updated).toMatchObject({ status: 200, body: { warnings: [] } });
    const untried = await call(ACCOUNTS, json('PUT', { ...body, check: false }));
    expect([Object.keys(untried.body), services.sent.length]).toEqual([['connected_account'], 3]);
  });

  it('creates, shows, updates, disconnects and deletes an account', async () => {
    const created = await call(
      ACCOUNTS,
      json('POST', {
        connector: 'notes',
        identifier: 'ada@example.test',
        user_id: 'ada',
        connected_account: details('key-1'),
      }),
    );
    const account = {
      id: expect.stringMatching(/^ca_[0-9a-z]{26}$/),
      connection_id: expect.stringMatching(/^conn_/),
      connector: 'notes',
      provider: 'notes',
      identifier: 'ada@example.test',
      authorization_type: 'API_KEY',
      status: 'ACTIVE',
      token_expires_at: null,
      last_used_at: null,
      updated_at: '2026-11-20T12:00:00.000Z',
      organization_id: '',
      user_id: 'ada',
      api_config: {},
      authorization_details: { static_auth: { details: {} } },
    };
    expect(created).toEqual({ status: 201, body: { connected_account: account } });
    const { id } = (created.body as { connected_account: { id: string } }).connected_account;

    const twice = await call(
      ACCOUNTS,
      json('POST', { connector: 'notes', identifier: 'ada@example.test', user_id: 'ada' }),
    );
    expect(twice).toMatchObject({
      status: 409,
      body: { code: 6, details: [{ error_code: 'ALREADY_EXISTS' }] },
    });

    const updated = await call(
      ACCOUNTS,
      json('PUT', {
        connector: 'notes',
        identifier: 'ada@example.test',
        user_id: 'ada',
        connected_account: { api_config: { rate: 5 } },
      }),
    );
    expect(updated).toEqual({
      status: 200,
      body: {
        connected_account: { ...account, api_config: { rate: 5 } },
        warnings: ['This part of api_config is stored and given back, and Gatehouse does not use it: rate.'],
      },
    });

    const open = await call(`${ACCOUNTS}/auth?id=${id}`);
    expect(open.body).toMatchObject({
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'key-1' } } } },
    });
    const closed = await call(`${ACCOUNTS}/details?id=${id}`);
    expect(JSON.stringify(closed.body)).not.toContain('key-1');

    const { user_id: _u, organization_id: _o, api_config: _c, authorization_details: _d, ...item } = account;
    expect(await call(`${ACCOUNTS}?user_id=ada`)).toEqual({
      status: 200,
      body: { connected_accounts: [item], next_page_token: '', prev_page_token: '', total_size: 1 },
    });
    expect(await call(`${ACCOUNTS}:search?query=ada@`)).toMatchObject({ body: { total_size: 1 } });
    expect(await call(`${ACCOUNTS}:search?query=bob`)).toMatchObject({ body: { total_size: 0 } });

    expect(await call(`${ACCOUNTS}/${id}:disconnect`, { method: 'POST' })).toMatchObject({
      status: 200,
      body: { connected_account: { status: 'DISCONNECTED' } },
    });
    expect(await call(`${ACCOUNTS}/${id}/events`)).toMatchObject({
      body: {
        events: [
          { from: null, to: 'ACTIVE', cause: 'created' },
          { from: 'ACTIVE', to: 'DISCONNECTED' },
        ],
      },
    });
    expect(await call(`${ACCOUNTS}:delete`, json('POST', { id }))).toEqual({ status: 200, body: {} });
    expect(await call(`${ACCOUNTS}/details?id=${id}`)).toMatchObject({ status: 404, body: { code: 5 } });
  });

  it('pages accounts with page tokens that belong to their filters', async () => {
    for (const name of ['a', 'b', 'c']) await createAccount({ user_id: name }, name);
    const first = await call(`${ACCOUNTS}?page_size=2`);
    const { next_page_token } = first.body as { next_page_token: string };
    expect(first.body).toMatchObject({ total_size: 3, prev_page_token: '' });
    expect(await call(`${ACCOUNTS}?page_size=2&page_token=${next_page_token}`)).toMatchObject({
      status: 200,
      body: { connected_accounts: [{ identifier: 'a' }], next_page_token: '' },
    });
    expect(await call(`${ACCOUNTS}?page_size=2&user_id=a&page_token=${next_page_token}`)).toMatchObject({
      status: 400,
    });
    expect(await call(`${ACCOUNTS}?page_token=nonsense`)).toMatchObject({
      status: 400,
      body: { details: [{ field_violations: [{ field: 'page_token' }] }] },
    });
  });

  it('requires something that locates the account', async () => {
    for (const path of [
      '/auth',
      '/details',
      '/auth?connector=notes',
      '/details?identifier=a',
      '/auth?user_id=ada',
    ]) {
      expect(await call(`${ACCOUNTS}${path}`)).toMatchObject({ status: 400, body: { code: 3 } });
    }
  });

  it('answers for an account of another organization like for one that does not exist', async () => {
    const foreign = await createAccount({ organization_id: 'other' });
    const bound = { headers: { authorization: 'Bearer bound' } };
    expect(await call(`${ACCOUNTS}/details?id=${foreign}`, bound)).toMatchObject({ status: 404 });
    expect(await call(`${ACCOUNTS}/details?id=ca_00000000000000000000000000`, bound)).toMatchObject({
      status: 404,
    });
    expect(await call(ACCOUNTS, bound)).toMatchObject({ body: { total_size: 0 } });
  });

  it('creates no account by a refused request', async () => {
    const before = await rowCounts();
    const refused = [
      { connector: 'notes', identifier: 'x\u0000' },
      { connector: 'notes', identifier: 'x', user_id: 'a', organization_id: 'b' },
      { connector: 'nowhere', identifier: 'x' },
      { connector: 'notes', identifier: 'x', connected_account: { authorization_type: 'OAUTH' } },
      {
        connector: 'notes',
        identifier: 'x',
        connected_account: { authorization_details: { oauth_token: { access_token: 'a' } } },
      },
      { connector: 'notes', identifier: 'x'.repeat(100_000) },
    ];
    for (const body of refused)
      expect(await call(ACCOUNTS, json('POST', body))).toMatchObject({ status: 400 });
    expect(await rowCounts()).toEqual(before);
  });
});

describe('links over REST', () => {
  it('connects an account by a link', async () => {
    const { status, body } = await call(
      `${ACCOUNTS}/magic_link`,
      json('POST', { connector: 'notes', user_id: 'ada' }),
    );
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/connect\/[\w-]{43}$/),
        expiry: '2026-11-20T13:00:00.000Z',
      },
    });
    await submitForm(services, (body as { link: string }).link, { api_key: 'key-2' });
    expect(await call(`${ACCOUNTS}?user_id=ada`)).toMatchObject({
      body: { connected_accounts: [{ status: 'ACTIVE', identifier: 'ada' }] },
    });
  });

  it('verifies a link by the app that it leads to', async () => {
    const link = await call(
      `${ACCOUNTS}/magic_link`,
      json('POST', {
        connector: 'notes',
        user_id: 'ada',
        state: 's-1',
        user_verify_url: 'https://app.example.test/v?x=1',
      }),
    );
    const redirect = new URL(
      (await submitForm(services, (link.body as { link: string }).link, { api_key: 'key-2' })) ?? '',
    );
    expect(redirect.searchParams.get('state')).toBe('s-1');
    const auth_request_id = redirect.searchParams.get('auth_request_id');
    const verify = (identifier: string) =>
      call(`${ACCOUNTS}/user/verify`, json('POST', { auth_request_id, identifier }));
    expect(await verify('bob')).toMatchObject({
      status: 403,
      body: { details: [{ error_code: 'IDENTIFIER_MISMATCH' }] },
    });
    expect(await verify('ada')).toEqual({
      status: 200,
      body: { post_user_verify_redirect_url: 'http://127.0.0.1:3000/connect/done' },
    });
    expect(await verify('ada')).toMatchObject({
      status: 404,
      body: { message: 'auth request not found or no longer valid' },
    });
  });

  it.each([
    [{ connector: 'notes' }, 'identifier'],
    [{ user_id: 'ada' }, 'connector'],
    [{ connector: 'nowhere', user_id: 'ada' }, 'connector'],
    [{ connector: 'notes', user_id: 'ada', user_verify_url: 'http://app.example.test' }, 'user_verify_url'],
    [{ connector: 'notes', user_id: 'ada', user_verify_url: 'javascript:alert(1)' }, 'user_verify_url'],
  ])('makes no link for %j', async (body, field) => {
    expect(await call(`${ACCOUNTS}/magic_link`, json('POST', body))).toMatchObject({
      status: 400,
      body: { details: [{ field_violations: [{ field }] }] },
    });
  });
});

describe('tools over REST', () => {
  const execute = (body: unknown) => call('/api/v1/execute_tool', json('POST', body));

  it('executes a tool and records the execution', async () => {
    const id = await createAccount();
    services.answers.push(answer(200, { results: [1] }));
    const done = await execute({
      tool_name: 'notes_search',
      tool_input: { query: 'x' },
      connected_account_id: id,
    });
    expect(done).toEqual({
      status: 200,
      body: { data: { results: [1] }, execution_id: expect.stringMatching(/^exe_/) },
    });
    expect(services.sent).toHaveLength(1);
    expect(await call('/api/v1/executions')).toEqual({
      status: 200,
      body: {
        executions: [
          {
            execution_id: (done.body as { execution_id: string }).execution_id,
            tool_name: 'notes_search',
            connected_account_id: id,
            source: 'api',
            status: 'ok',
            error_code: null,
            duration_ms: 0,
            at: '2026-11-20T12:00:00.000Z',
            user_id: 'ada',
            organization_id: '',
            connector: 'notes',
            virtual_server_id: null,
            error_message: null,
            provider_status: null,
          },
        ],
        next_page_token: '',
        prev_page_token: '',
        total_size: 1,
      },
    });
    expect(await call('/api/v1/executions?status=error')).toMatchObject({ body: { total_size: 0 } });
    expect(
      await call('/api/v1/executions?connected_account_id=ca_0', {
        headers: { authorization: 'Bearer bound' },
      }),
    ).toMatchObject({ status: 404 });
  });

  it('executes a call under an idempotency key once, and says so in a repeated answer', async () => {
    await createAccount();
    services.answers.push(answer(200, { results: [1] }));
    const body = {
      tool_name: 'notes_search',
      tool_input: { query: 'x' },
      user_id: 'ada',
      idempotency_key: 'order-1',
    };
    const first = await execute(body);
    const again = await execute(body);
    expect(first).toMatchObject({ status: 200, body: { data: { results: [1] } } });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(services.sent).toHaveLength(1);
    expect(await execute({ ...body, tool_input: { query: 'y' } })).toMatchObject({
      status: 409,
      body: { code: 6, details: [{ error_code: 'IDEMPOTENCY_CONFLICT' }] },
    });
  });

  it('repeats a failure under an idempotency key with its status, body and header', async () => {
    await createAccount();
    services.answers.push(answer(404, { error: 'no such note' }));
    const body = {
      tool_name: 'notes_search',
      tool_input: { query: 'x' },
      user_id: 'ada',
      idempotency_key: 'order-1',
    };
    const send = async () => api.request('/api/v1/execute_tool', json('POST', body));
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status]).toEqual([404, 404]);
    expect(await again.json()).toEqual(await first.json());
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('takes the header Idempotency-Key for idempotency_key', async () => {
    await createAccount();
    const body = { tool_name: 'notes_search', tool_input: { query: 'x' }, user_id: 'ada' };
    const withHeader = async (key: string, more: object = {}) => {
      const init = json('POST', { ...body, ...more });
      const headers = { ...(init.headers as Record<string, string>), 'Idempotency-Key': key };
      return api.request('/api/v1/execute_tool', { ...init, headers });
    };
    const first = await withHeader('order-1');
    for (const again of [
      await withHeader('order-1'),
      await withHeader('order-1', { idempotency_key: 'order-1' }),
      await api.request('/api/v1/execute_tool', json('POST', { ...body, idempotency_key: 'order-1' })),
    ]) {
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await again.json()).toEqual(await first.clone().json());
    }
    expect(services.sent).toHaveLength(1);
    const differing = await withHeader('order-1', { idempotency_key: 'order-2' });
    expect([differing.status, await differing.json()]).toMatchObject([
      400,
      {
        details: [
          {
            field_violations: [
              {
                field: 'idempotency_key',
                description:
                  'idempotency_key and the header Idempotency-Key are the same thing and differ here. Give one of them.',
                constraint: 'exclusive',
              },
            ],
          },
        ],
      },
    ]);
    expect(services.sent).toHaveLength(1);
  });

  it('shows the request of a dry run with the key masked, and sends nothing', async () => {
    await createAccount();
    const done = await execute({
      tool_name: 'notes_search',
      tool_input: { query: 'x' },
      user_id: 'ada',
      dry_run: true,
    });
    expect(done).toMatchObject({
      status: 200,
      body: {
        dry_run: true,
        request: {
          method: 'GET',
          url: 'https://api.notes.example/search?q=x',
          headers: { accept: 'application/json', 'x-api-key': '[secret]' },
          body: null,
        },
        note: 'Nothing was sent.',
      },
    });
    expect(services.sent).toEqual([]);
    expect(await call('/api/v1/executions')).toMatchObject({ body: { total_size: 0 } });
  });

  it('uses the account that the combination names', async () => {
    await createAccount({ user_id: 'ada' });
    const done = await execute({
      tool_name: 'notes_search',
      params: { query: 'x' },
      identifier: 'ada@example.test',
      user_id: 'ada',
    });
    expect(done.status).toBe(200);
  });

  it.each([
    ['an unknown tool', { tool_name: 'nothing' }, 404, 'RESOURCE_NOT_FOUND'],
    [
      'a missing parameter',
      { tool_name: 'notes_search', tool_input: {}, user_id: 'ada' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'an unknown parameter',
      { tool_name: 'notes_search', tool_input: { query: 'x', colour: 1 }, user_id: 'ada' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'no account',
      { tool_name: 'notes_search', tool_input: { query: 'x' }, user_id: 'nobody' },
      400,
      'CONNECTED_ACCOUNT_NOT_ACTIVE',
    ],
  ])('sends nothing to the provider for %s', async (_name, body, status, error_code) => {
    await createAccount();
    expect(await execute(body)).toMatchObject({ status, body: { details: [{ error_code }] } });
    expect(services.sent).toEqual([]);
  });

  it('answers with a link while the account is not connected', async () => {
    const created = await call(
      ACCOUNTS,
      json('POST', { connector: 'notes', identifier: 'ada', user_id: 'ada' }),
    );
    const { id } = (created.body as { connected_account: { id: string } }).connected_account;
    const refused = await execute({
      tool_name: 'notes_search',
      tool_input: { query: 'x' },
      connected_account_id: id,
    });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 9,
        details: [
          {
            error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
            status: 'PENDING_AUTH',
            authorization_link: expect.stringContaining('/connect/'),
            expiry: '2026-11-20T13:00:00.000Z',
          },
        ],
      },
    });
  });

  it('passes on what the provider says, and when to try again', async () => {
    const id = await createAccount();
    services.answers.push(answer(404, { error: 'no such note', tag: 'missing' }));
    const body = { tool_name: 'notes_search', tool_input: { query: 'x' }, connected_account_id: id };
    expect(await execute(body)).toMatchObject({
      status: 404,
      body: {
        code: 5,
        details: [{ error_code: 'TOOL_ERROR', tool_error: { provider_status: 404, code: 'missing' } }],
      },
    });
    for (const _ of [1, 2]) expect((await execute({ ...body, tool_name: 'notes_limited' })).status).toBe(200);
    const limited = await api.request(
      '/api/v1/execute_tool',
      json('POST', { ...body, tool_name: 'notes_limited' }),
    );
    expect(limited.status).toBe(429);
    expect(limited.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });

  it('lists the tools as one user could use them', async () => {
    await createAccount();
    const { body } = await call('/api/v1/tools/scoped?user_id=ada&toolset=all');
    const { tools } = body as {
      tools: { name: string; status: string; account: { identifier: string } | null }[];
    };
    expect(tools.map(({ name, status, account }) => [name, status, account?.identifier])).toEqual([
      ['desk_search', 'needs_connection', undefined],
      ['mailbox_search', 'needs_connection', undefined],
      ['notes_limited', 'ready', 'ada@example.test'],
      ['notes_search', 'ready', 'ada@example.test'],
      ['weather_search', 'needs_connection', undefined],
    ]);
  });
});

describe('connections over REST', () => {
  it('creates, changes and deletes connections, and never shows their secret', async () => {
    const created = await call(
      '/api/v1/connections',
      json('POST', {
        name: 'my mail',
        connector: 'mailbox',
        client_id: 'id-1',
        client_secret: 'hunter2',
        scopes: ['read'],
      }),
    );
    expect(created).toEqual({
      status: 201,
      body: {
        connection: {
          id: expect.stringMatching(/^conn_/),
          name: 'my mail',
          connector: 'mailbox',
          authorization_type: 'OAUTH',
          client_id: 'id-1',
          secret_set_at: expect.stringMatching(/Z$/),
          scopes: ['read'],
          params: {},
          overrides: {},
          post_user_verify_redirect_url: null,
          redirect_uri: expect.stringMatching(
            /^http:\/\/127\.0\.0\.1:3000\/sso\/v1\/oauth\/conn_\w+\/callback$/,
          ),
          warnings: expect.any(Array),
          managed_by_file: false,
        },
      },
    });
    const patched = await call('/api/v1/connections/my%20mail', json('PATCH', { scopes: ['read', 'write'] }));
    expect(patched).toMatchObject({
      status: 200,
      body: { connection: { scopes: ['read', 'write'], client_id: 'id-1' } },
    });
    const listed = await call('/api/v1/connections');
    expect(JSON.stringify(listed.body)).not.toContain('hunter2');
    expect(await call('/api/v1/connections/my%20mail', { method: 'DELETE' })).toEqual({
      status: 200,
      body: {},
    });
    expect(await call('/api/v1/connections/my%20mail')).toMatchObject({ status: 404 });
  });

  it('removes members that are set to null, and refuses null elsewhere', async () => {
    const path = '/api/v1/connections/mailbox';
    const input = { connector: 'mailbox', client_id: 'id-1', client_secret: 'hunter2' };
    expect(await call('/api/v1/connections', json('POST', input))).toMatchObject({ status: 201 });
    expect(await call(path, json('PATCH', { client_id: null, client_secret: null }))).toMatchObject({
      status: 200,
      body: { connection: { client_id: null } },
    });
    const [row] = await services.db.read
      .selectFrom('connections')
      .selectAll()
      .where('name', '=', 'mailbox')
      .execute();
    expect(row).toMatchObject({ client_id: null, client_secret_sealed: null });
    const refused = await call(path, json('PATCH', { name: null, scopes: null, overrides: null }));
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: [
          {
            field_violations: [
              { field: 'name', constraint: 'type' },
              { field: 'scopes', constraint: 'type' },
              { field: 'overrides', constraint: 'type' },
            ],
          },
        ],
      },
    });
  });

  it.each([
    [{ client_secret: 'hunter2\n' }, ['client_secret characters']],
    [{ client_secret: `hunter2${'x'.repeat(4_096)}` }, ['client_secret max_length']],
    [{ client_secret: ['hunter2'] }, ['client_secret type']],
    [{ scopes: ['ok', 7], client_secret: 'hunter2' }, ['scopes.1 type']],
    [
      { scopes: ['two words'], overrides: { base_url: 'https://a.test/x' }, client_secret: 'hunter2 ' },
      ['client_secret characters', 'scopes.0 pattern', 'overrides.base_url format'],
    ],
    [{ overrides: { discovery_url: 'https://a.test' } }, ['overrides.discovery_url unknown']],
    [{ overrides: { token_url: 'http://a.test/token' } }, ['overrides.token_url format']],
  ])('refuses the connection %j naming what is wrong, and repeats no secret', async (input, expected) => {
    const refused = await call('/api/v1/connections', json('POST', { connector: 'mailbox', ...input }));
    expect(refused.status).toBe(400);
    const {
      details: [detail],
    } = refused.body as {
      details: [{ field_violations: { field: string; constraint: string }[] }];
    };
    expect(detail.field_violations.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual(
      expected,
    );
    expect(JSON.stringify(refused.body)).not.toContain('hunter2');
  });
});

describe('API credentials over REST', () => {
  it('shows the client secret at creation and never again', async () => {
    const created = await call(
      '/api/v1/credentials',
      json('POST', { name: 'backend', scopes: ['accounts:read'] }),
    );
    const { credential } = created.body as { credential: { id: string; client_secret: string } };
    expect(created.status).toBe(201);
    const rotated = await call(`/api/v1/credentials/${credential.id}:rotate`, { method: 'POST' });
    expect(rotated).toMatchObject({ status: 200, body: { previous_until: '2026-11-21T12:00:00.000Z' } });
    for (const path of ['/api/v1/credentials', `/api/v1/credentials/${credential.id}`]) {
      const { status, body } = await call(path);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
    expect(await call(`/api/v1/credentials/${credential.id}`, { method: 'DELETE' })).toEqual({
      status: 200,
      body: {},
    });
    expect(await call(`/api/v1/credentials/${credential.id}`)).toMatchObject({ status: 404 });
  });
});

describe('accounts, tools and connections by every member of a request', () => {
  it('accounts are found by each filter', async () => {
    await createAccount({ user_id: 'ada' }, 'ada@example.test');
    await createAccount({ organization_id: 'acme' }, 'acme');
    for (const filter of [
      'organization_id=acme',
      'user_id=ada',
      'identifier=acme',
      'query=ada@',
      'connector=notes&provider=notes&status=ACTIVE&user_id=ada&page_token=',
      'connection_names=notes&connection_names=mailbox&identifier=acme&page_size=100',
    ])
      expect([filter, (await call(`${ACCOUNTS}?${filter}`)).body]).toMatchObject([filter, { total_size: 1 }]);
    for (const filter of ['status=EXPIRED', 'provider=mailbox', 'connector=mailbox', 'connection_names=desk'])
      expect([filter, (await call(`${ACCOUNTS}?${filter}`)).body]).toMatchObject([filter, { total_size: 0 }]);
  });

  it('a token is renewed, and what has none is refused', async () => {
    const mailbox = { connector: 'mailbox', client_id: 'id-1', client_secret: 'hunter2' };
    await call('/api/v1/connections', json('POST', mailbox));
    const oauth_token = { access_token: 'at-0', refresh_token: 'rt-0', scopes: ['read'] };
    const created = await call(
      ACCOUNTS,
      json('POST', {
        connector: 'mailbox',
        identifier: 'ada',
        connected_account: { authorization_details: { oauth_token } },
      }),
    );
    const { id } = (created.body as { connected_account: { id: string } }).connected_account;
    expect(await call(`${ACCOUNTS}/${id}:refresh`, { method: 'POST' })).toMatchObject({
      status: 200,
      body: { connected_account: { id, status: 'ACTIVE', token_expires_at: '2026-11-20T13:00:00.000Z' } },
    });
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    const notes = await createAccount();
    expect(await call(`${ACCOUNTS}/${notes}:refresh`, json('POST', {}))).toMatchObject({ status: 400 });
  });

  it('a tool takes params, tool_input that say the same, and an account by its combination', async () => {
    await createAccount({ organization_id: 'acme' }, 'acme');
    const who = { connector: 'notes', identifier: 'acme', organization_id: 'acme' };
    for (const input of [{ params: { query: 'x' } }, { params: { query: 'x' }, tool_input: { query: 'x' } }])
      expect(
        await call('/api/v1/execute_tool', json('POST', { tool_name: 'notes_search', ...who, ...input })),
      ).toMatchObject({ status: 200 });
    expect(services.sent.map(({ url }) => url.searchParams.get('q'))).toEqual(['x', 'x']);
    const without = await call('/api/v1/execute_tool', json('POST', { tool_name: 'notes_search', ...who }));
    expect(without).toMatchObject({ status: 400, body: { details: [{ error_code: 'INVALID_ARGUMENT' }] } });
  });

  it('tools are listed and shown', async () => {
    const tool = {
      name: 'notes_search',
      title: 'search',
      description: 'Tool search of notes.',
      connector: 'notes',
      toolset: 'all',
      effect: 'read',
      input_schema: expect.objectContaining({ required: ['query'] }),
      scopes: [],
    };
    expect(await call('/api/v1/tools?connector=notes&toolset=all&query=TOOL%20SEARCH')).toEqual({
      status: 200,
      body: { tools: [tool], next_page_token: '', prev_page_token: '', total_size: 1 },
    });
    expect(await call('/api/v1/tools/notes_search')).toEqual({ status: 200, body: { tool } });
  });

  it('a connection has every member that it is made with, and a name with colons and spaces', async () => {
    const input = {
      name: 'my mail:eu',
      connector: 'mailbox',
      client_id: 'i',
      scopes: ['a'],
      overrides: { token_url: 'https://x.test/token' },
      post_user_verify_redirect_url: 'https://app.example.test/done',
    };
    const made = await call('/api/v1/connections', json('POST', { ...input, client_secret: 's' }));
    expect(made).toMatchObject({ status: 201, body: { connection: input } });
    const shown = await api.request('/api/v1/connections/my%20mail:eu');
    expect(await shown.json()).toMatchObject({ connection: input });
  });

  it('a credential of an organization says so', async () => {
    const input = { name: 'n', scopes: ['accounts:read'], organization_id: 'acme' };
    expect(await call('/api/v1/credentials', json('POST', input))).toMatchObject({
      status: 201,
      body: { credential: { ...input, client_secret: expect.any(String) } },
    });
  });
});

describe('virtual MCP servers over REST', () => {
  const all = '/api/v1/mcp_servers';

  it('live from creation to deletion', async () => {
    const made = await call(all, json('POST', { name: 'support', connections: ['notes'] }));
    const server = {
      id: expect.stringMatching(/^mcp_/),
      name: 'support',
      organization_id: '',
      connections: ['notes'],
      toolsets: [],
      tools: [],
      read_only: false,
      mcp_url: 'http://127.0.0.1:3000/mcp/support',
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    };
    expect(made).toEqual({ status: 201, body: { mcp_server: server } });
    const changed = { mcp_server: { ...server, read_only: true } };
    expect((await call(`${all}/support`, json('PATCH', { read_only: true }))).body).toEqual(changed);
    expect((await call(`${all}/support`)).body).toEqual(changed);
    expect((await call(all)).body).toMatchObject({ mcp_servers: [changed.mcp_server], total_size: 1 });
    expect(await call(`${all}/support`, { method: 'DELETE' })).toEqual({ status: 200, body: {} });
    expect((await call(`${all}/support`)).status).toBe(404);
  });

  it('give a token for one user, whose accounts work', async () => {
    await call(all, json('POST', { name: 'support', connections: ['notes'] }));
    await services.db.transaction(async (tx) => {
      const row = { name: 'backend', organization_id: '', scopes: 'admin', created_at: 1 };
      await tx
        .insertInto('credentials')
        .values({ id: 'cred_1', environment_id: 'env_test', client_id: 'gh_1', ...row })
        .execute();
    });
    const token = async () => call(`${all}/support/tokens`, json('POST', { user_id: 'ada' }));
    expect(await token()).toMatchObject({
      status: 400,
      body: { details: [{ error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' }] },
    });
    await createAccount();
    expect(await token()).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        mcp_url: 'http://127.0.0.1:3000/mcp/support',
        expires_in: 3_600,
      },
    });
    const [session] = await services.db.read.selectFrom('sessions').selectAll().execute();
    expect(session).toMatchObject({ user_id: 'ada', client_id: 'gh_1' });
  });
});

describe('a route', () => {
  it('answers for the process, and for database and key', async () => {
    expect((await call('/healthz')).body).toEqual({ status: 'ok', installation_id: 'inst_1' });
    expect((await call('/readyz')).body).toEqual({ status: 'ok' });
  });

  it('names its process on the machine itself, where another process wants the port', async () => {
    const response = await api.request('/healthz', {}, { isLocalPeer: true });
    expect(await response.json()).toEqual({ status: 'ok', installation_id: 'inst_1', pid: process.pid });
  });

  it('answers HEAD like GET without a body', async () => {
    const response = await api.request('/api/v1/tools', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('hands on the trace and tells the executor when the caller leaves', async () => {
    const connected_account_id = await createAccount();
    const body = { tool_name: 'notes_search', tool_input: { query: 'x' }, connected_account_id };
    const leaving = new AbortController();
    const init = { ...json('POST', body), signal: leaving.signal };
    expect((await api.request('/api/v1/execute_tool', init)).status).toBe(200);
    const [sent] = services.sent;
    expect(sent?.headers).toMatchObject({
      traceparent: expect.stringContaining('0af7651916cd43dd8448eb211c80319c'),
    });
    leaving.abort();
    expect(sent?.signal?.aborted).toBe(true);
  });

  it('tells its pattern for logs and metrics', async () => {
    await api.request(`${ACCOUNTS}/ca_1:disconnect`, { method: 'POST' });
    expect(api.contexts.map(({ route }) => route)).toEqual(['/api/v1/connected_accounts/{id}:disconnect']);
  });
});
