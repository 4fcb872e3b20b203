/** What the API refuses before any service is reached. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { Users } from '../../../src/people/users.ts';
import { brokenDatabase } from '../../authorization-server/identity-support.ts';
import { smallestEntry } from '../../support/auth-entries.ts';
import { connectedAccount, testServices } from '../../support/services.ts';
import { testCatalog } from '../../support/test-catalog.ts';
import { json, restApi, rowsWritten, type RestApi } from '../rest-api.ts';

/** One for all: what is refused changes nothing. */
let api: RestApi;
beforeAll(async () => {
  api = await restApi();
});

interface Violation {
  field: string;
  constraint: string;
  description: string;
}

async function violationsOf(path: string, init?: RequestInit): Promise<Violation[]> {
  const { db, sent } = api.services;
  const before = await rowsWritten(db);
  const response = await api.request(path, init);
  expect(response.status).toBe(400);
  expect([await rowsWritten(db), sent]).toEqual([before, []]);
  const body = (await response.json()) as {
    code: number;
    details: [{ error_code: string; field_violations: Violation[] }];
  };
  expect(body.code).toBe(3);
  expect(body.details[0].error_code).toBe('INVALID_ARGUMENT');
  return body.details[0].field_violations;
}

const ACCOUNTS = '/api/v1/connected_accounts';
const EXECUTE = '/api/v1/execute_tool';

describe('bearer token of a REST request', () => {
  it('answers 401 to a request without a token', async () => {
    const response = await api.request(ACCOUNTS, { headers: { authorization: '' } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 16, details: [{ error_code: 'UNAUTHENTICATED' }] });
  });

  it('answers 401 invalid_token to a refused token', async () => {
    const response = await api.request(ACCOUNTS, { headers: { authorization: 'Bearer unknown' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('checks the token before the body', async () => {
    const response = await api.request(ACCOUNTS, {
      method: 'POST',
      headers: { authorization: 'Bearer unknown' },
      body: 'not json',
    });
    expect(response.status).toBe(401);
  });

  it('requires a token for the environment or its REST API', async () => {
    const asked: unknown[] = [];
    const refusing = await restApi({
      tokens: {
        verify: (environmentId, _token, { audiences }) => {
          asked.push(environmentId, audiences);
          return Promise.reject(new ServiceError('UNAUTHENTICATED', 'Not for this address.'));
        },
      },
    });
    expect((await refusing.request(ACCOUNTS)).status).toBe(401);
    expect(asked).toEqual(['env_test', ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api']]);
  });

  it('asks for no token where the API describes itself and its health', async () => {
    for (const path of ['/openapi.json', '/healthz', '/readyz']) {
      expect((await api.request(path, { headers: { authorization: '' } })).status).toBe(200);
    }
  });
});

const scopes: [string, string, string][] = [
  ['accounts:read', 'GET', ACCOUNTS],
  ['accounts:read', 'GET', `${ACCOUNTS}:search?query=a`],
  ['accounts:read', 'GET', `${ACCOUNTS}/details?id=ca_1`],
  ['accounts:read', 'GET', `${ACCOUNTS}/ca_1/events`],
  ['accounts:credentials', 'GET', `${ACCOUNTS}/auth?id=ca_1`],
  ['accounts:write', 'POST', ACCOUNTS],
  ['accounts:write', 'PUT', ACCOUNTS],
  ['accounts:write', 'POST', `${ACCOUNTS}:delete`],
  ['accounts:write', 'POST', `${ACCOUNTS}/ca_1:disconnect`],
  ['accounts:write', 'POST', `${ACCOUNTS}/magic_link`],
  ['accounts:write', 'POST', `${ACCOUNTS}/user/verify`],
  ['tools:execute', 'POST', EXECUTE],
  ['tools:execute', 'GET', '/api/v1/tools'],
  ['tools:execute', 'GET', '/api/v1/tools/scoped?user_id=ada'],
  ['tools:execute', 'GET', '/api/v1/tools/notes_search'],
  ['tools:execute', 'GET', '/api/v1/executions'],
  ['admin', 'GET', '/api/v1/connections'],
  ['admin', 'POST', '/api/v1/connections'],
  ['admin', 'GET', '/api/v1/connections/conn_1'],
  ['admin', 'PATCH', '/api/v1/connections/conn_1'],
  ['admin', 'DELETE', '/api/v1/connections/conn_1'],
  ['admin', 'GET', '/api/v1/credentials'],
  ['admin', 'POST', '/api/v1/credentials'],
  ['admin', 'GET', '/api/v1/credentials/cred_1'],
  ['admin', 'DELETE', '/api/v1/credentials/cred_1'],
  ['admin', 'POST', '/api/v1/credentials/cred_1:rotate'],
  ['admin', 'GET', '/api/v1/webhooks'],
  ['admin', 'POST', '/api/v1/webhooks'],
  ['admin', 'GET', '/api/v1/webhooks/whk_1'],
  ['admin', 'PATCH', '/api/v1/webhooks/whk_1'],
  ['admin', 'DELETE', '/api/v1/webhooks/whk_1'],
  ['admin', 'GET', '/api/v1/webhooks/whk_1/deliveries'],
  ['admin', 'POST', '/api/v1/webhooks/deliveries/whd_1:redeliver'],
  ['admin', 'GET', '/api/v1/upstreams'],
  ['admin', 'POST', '/api/v1/upstreams'],
  ['admin', 'PATCH', '/api/v1/upstreams/memos'],
  ['admin', 'DELETE', '/api/v1/upstreams/memos'],
  ['admin', 'POST', '/api/v1/upstreams/memos:approve'],
  ['admin', 'GET', '/api/v1/mcp_servers'],
  ['admin', 'POST', '/api/v1/mcp_servers'],
  ['admin', 'GET', '/api/v1/mcp_servers/support'],
  ['admin', 'PATCH', '/api/v1/mcp_servers/support'],
  ['admin', 'DELETE', '/api/v1/mcp_servers/support'],
  ['admin', 'POST', '/api/v1/mcp_servers/support/tokens'],
  ...(
    [
      ['GET', '/api/v1/organizations'],
      ['POST', '/api/v1/organizations'],
      ['GET', '/api/v1/organizations/org_1'],
      ['PATCH', '/api/v1/organizations/org_1'],
      ['DELETE', '/api/v1/organizations/org_1'],
      ['GET', '/api/v1/organizations/org_1/members'],
      ['PATCH', '/api/v1/organizations/org_1/members/usr_1'],
      ['DELETE', '/api/v1/organizations/org_1/members/usr_1'],
      ['GET', '/api/v1/organizations/org_1/invitations'],
      ['POST', '/api/v1/organizations/org_1/invitations'],
      ['DELETE', '/api/v1/organizations/org_1/invitations/inv_1'],
      ['GET', '/api/v1/organizations/org_1/provider'],
      ['PUT', '/api/v1/organizations/org_1/provider'],
      ['DELETE', '/api/v1/organizations/org_1/provider'],
      ['GET', '/api/v1/users'],
      ['POST', '/api/v1/users'],
      ['GET', '/api/v1/users/usr_1'],
      ['PATCH', '/api/v1/users/usr_1'],
      ['DELETE', '/api/v1/users/usr_1'],
      ['POST', '/api/v1/users/usr_1:unbind'],
      ['GET', '/api/v1/sessions'],
      ['POST', '/api/v1/sessions'],
      ['GET', '/api/v1/sessions/ses_1'],
      ['DELETE', '/api/v1/sessions/ses_1'],
    ] as const
  ).map(([method, path]): [string, string, string] => ['admin', method, path]),
  ['admin', 'GET', '/api/v1/signing_secret'],
  ['admin', 'POST', '/api/v1/signing_secret:rotate'],
];

describe('scopes of REST routes', () => {
  it.each(scopes)(
    'requires the scope %s, or one that includes it, for %s %s',
    async (scope, method, path) => {
      const all = [
        'accounts:read',
        'accounts:write',
        'accounts:credentials',
        'tools:execute',
        'metrics:read',
        'admin',
      ];
      const wider = scope === 'accounts:read' ? 'accounts:write' : scope;
      for (const held of ['none', ...all.filter((other) => other !== scope && other !== wider)]) {
        const response = await api.request(path, {
          method,
          headers: { authorization: `Bearer ${held.replace(':', '.')}` },
        });
        expect([held, response.status]).toEqual([held, 403]);
        expect(await response.json()).toMatchObject({
          details: [{ error_code: 'PERMISSION_DENIED', required_scope: scope }],
        });
      }
      for (const held of [scope, wider]) {
        const authorization = `Bearer ${held.replace(':', '.')}`;
        const response = await api.request(path, { method, headers: { authorization } });
        expect([200, 400, 404, 415]).toContain(response.status);
      }
    },
  );

  it('refuses the scope admin of one organization for what belongs to the whole environment', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/connections'],
      ['PATCH', '/api/v1/connections/conn_1'],
      ['GET', '/api/v1/webhooks'],
      ['PATCH', '/api/v1/webhooks/whk_1'],
      ['GET', '/api/v1/webhooks/whk_1/deliveries'],
      ['POST', '/api/v1/webhooks/deliveries/whd_1:redeliver'],
      ['POST', '/api/v1/organizations'],
      ['GET', '/api/v1/users'],
      ['POST', '/api/v1/users'],
      ['GET', '/api/v1/users/usr_1'],
      ['PATCH', '/api/v1/users/usr_1'],
      ['DELETE', '/api/v1/users/usr_1'],
      ['GET', '/api/v1/signing_secret'],
      ['POST', '/api/v1/signing_secret:rotate'],
    ] as const) {
      const response = await api.request(path, { method, headers: { authorization: 'Bearer bound' } });
      expect(response.status).toBe(403);
    }
  });

  it('gives the scope admin of one organization the credentials of that organization', async () => {
    const made = [];
    for (const [name, organization_id] of [
      ['whole', ''],
      ['own', 'acme'],
      ['other', 'other'],
    ] as const) {
      const body = { name, scopes: ['accounts:read'], ...(organization_id !== '' && { organization_id }) };
      const response = await api.request('/api/v1/credentials', json('POST', body));
      const { credential } = (await response.json()) as { credential: { id: string } };
      made.push(credential.id);
    }
    const headers = { authorization: 'Bearer bound' };
    const listed = await api.request('/api/v1/credentials', { headers });
    expect(await listed.json()).toMatchObject({ credentials: [{ name: 'own' }], total_size: 1 });
    const statuses = [];
    for (const id of made)
      statuses.push((await api.request(`/api/v1/credentials/${id}`, { headers })).status);
    expect(statuses).toEqual([404, 200, 404]);
  });
});

describe('paths of REST routes', () => {
  it.each([
    '/',
    '/api/v1/nothing',
    '/api/v1/connected_accounts/',
    '/api/v1/connected_accounts/ca_1',
    '/api/v1/connected_accounts/ca_1:renew',
    '/api/v1/connected_accounts/ca_1/~refresh',
    '/api/v1/connected_accounts/ca_1/~disconnect',
    '/api/v1/connected_accounts/ca_1/%7Edisconnect',
    '/api/v1/connected_accounts/ca_1:toString',
    '/API/V1/tools',
    '/metrics',
  ])('answers 404 to a path that is no route: %s', async (path) => {
    const response = await api.request(path, { method: path.includes(':') ? 'POST' : 'GET' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 5, details: [{ error_code: 'RESOURCE_NOT_FOUND' }] });
  });

  it.each([
    ['DELETE', ACCOUNTS, 'GET, POST, PUT, HEAD'],
    ['OPTIONS', EXECUTE, 'POST'],
    ['GET', EXECUTE, 'POST'],
    ['HEAD', EXECUTE, 'POST'],
    ['GET', `${ACCOUNTS}/ca_1:disconnect`, 'POST'],
    ['POST', `${ACCOUNTS}:search`, 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/api/v1/connections/conn_1', 'GET, PATCH, DELETE, HEAD'],
    ['GET', '/api/v1/webhooks/deliveries/whd_1:redeliver', 'POST'],
    ['GET', '/api/v1/signing_secret:rotate', 'POST'],
    ['DELETE', '/api/v1/signing_secret', 'GET, HEAD'],
  ])('answers 405 to %s %s', async (method, path, allow) => {
    const response = await api.request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });

  it.each([
    '/api/v1/tools/%00',
    '/api/v1/tools/nothing',
    `/api/v1/tools/${'x'.repeat(200)}`,
    '/api/v1/credentials/%00',
    '/api/v1/connections/%01',
  ])('answers 404 to a path that names nothing: %s', async (path) => {
    const before = await rowsWritten(api.services.db);
    expect((await api.request(path)).status).toBe(404);
    expect(await rowsWritten(api.services.db)).toBe(before);
  });
});

describe('malformed request bodies of REST routes', () => {
  it('names everything that is wrong once: texts, fields, and what is in them', async () => {
    const input = '{"queri":"a\\u0000","limit":1e999}';
    const body = `{"tool_name":"notes_search","user_id":"a\\u0000","connector":5,"zz":1,"organization_id":"o","tool_input":${input}}`;
    const found = await violationsOf(EXECUTE, { ...json('POST', {}), body });
    expect(found.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual([
      'user_id characters',
      'tool_input.limit number',
      'connector type',
      'zz unknown',
      'queri unknown',
      'query required',
      'organization_id exclusive',
    ]);
  });

  it.each(['{"a":', '['])('refuses a body nested far too deeply with %s', async (piece) => {
    const closing = piece === '[' ? ']' : '}';
    const deep = `${piece.repeat(20_000)}1${closing.repeat(20_000)}`;
    const found = await violationsOf(EXECUTE, {
      ...json('POST', {}),
      body: `{"tool_name":"t","tool_input":{"a":${deep}},"params":{"a":${deep}}}`,
    });
    expect(found.map(({ constraint }) => constraint)).toEqual(['max_depth', 'max_depth']);
  });

  it('names a list where a text belongs once', async () => {
    const found = await violationsOf(EXECUTE, json('POST', { tool_name: 't', user_id: [] }));
    expect(found).toEqual([{ field: 'user_id', description: 'Must be a string.', constraint: 'type' }]);
  });

  it('asks for an item where a list is empty', async () => {
    const body = { name: 'a', url: 'https://a.example/', events: [] };
    expect(await violationsOf('/api/v1/webhooks', json('POST', body))).toEqual([
      { field: 'events', description: 'Must have at least 1 item.', constraint: 'min_items' },
    ]);
  });

  it('answers a body with very many bad members shortly', async () => {
    const scopes = Array.from({ length: 90 }, () => '\0');
    const found = await violationsOf('/api/v1/credentials', json('POST', { name: 'a', scopes }));
    expect(found).toHaveLength(51);
    expect(found.at(-1)).toMatchObject({ field: '', constraint: 'more' });
  });
});

describe('query parameters of REST routes', () => {
  it('names everything that is wrong in a query', async () => {
    const found = await violationsOf(
      `${ACCOUNTS}?page_size=0&status=LOST&user_id=&connector=a%2Fb&colour=red&identifier=a&identifier=b&provider=%ff&connection_names=`,
    );
    expect(found.map(({ field, constraint }) => `${field} ${constraint}`).toSorted()).toEqual([
      'colour unknown',
      'connection_names.0 format',
      'connection_names.0 min_length',
      'connector format',
      'identifier repeated',
      'page_size minimum',
      'provider encoding',
      'status enum',
      'user_id min_length',
    ]);
  });

  it.each(['0', '101', '-1', '1.5', 'ten', '', '1e1', '0x10', ' 5', '99999999999'])(
    'refuses the page size "%s"',
    async (size) => {
      const [violation] = await violationsOf(`${ACCOUNTS}?page_size=${encodeURIComponent(size)}`);
      expect(violation?.field).toBe('page_size');
    },
  );

  it.each(['99999999999999999999', '9'.repeat(400)])(
    'names the maximum to the page size %s',
    async (size) => {
      expect(await violationsOf(`${ACCOUNTS}?page_size=${size}`)).toEqual([
        { field: 'page_size', description: 'Must be at most 100.', constraint: 'maximum' },
      ]);
    },
  );

  it.each(['1', '100', '030'])('accepts the page size %s', async (size) => {
    const paged = await restApi();
    for (const user_id of ['ada', 'bob']) await connectedAccount(paged.services, { user_id });
    const response = await paged.request(`${ACCOUNTS}?page_size=${size}`);
    const { connected_accounts } = (await response.json()) as { connected_accounts: unknown[] };
    expect([response.status, connected_accounts.length]).toEqual([200, Math.min(Number(size), 2)]);
  });

  it.each(['/api/v1/connections?a=1', '/healthz?a=1', '/api/v1/credentials/cred_1?a=1'])(
    'refuses a parameter on a route without parameters: %s',
    async (path) => {
      expect(await violationsOf(path)).toEqual([
        { field: 'a', description: 'There is no such query parameter.', constraint: 'unknown' },
      ]);
    },
  );

  it('requires the text of a search', async () => {
    expect(await violationsOf(`${ACCOUNTS}:search`)).toEqual([
      { field: 'query', description: 'This field is required.', constraint: 'required' },
    ]);
  });

  it('requires one owner for scoped tools', async () => {
    for (const search of ['', '?user_id=a&organization_id=b']) {
      const found = await violationsOf(`/api/v1/tools/scoped${search}`);
      expect(found.map(({ field, constraint }) => [field, constraint])).toEqual([['user_id', 'exactly_one']]);
    }
  });
});

describe('request bodies of REST routes', () => {
  it('names everything that is wrong in a body by its field', async () => {
    const found = await violationsOf(
      ACCOUNTS,
      json('POST', {
        connector: 'a/b',
        identifier: 'x'.repeat(201),
        organization_id: 'x'.repeat(65),
        user_id: 7,
        id: 'ca_1',
        connected_account: {
          authorization_type: 'MAGIC',
          api_config: 'x',
          token_expires_at: 'tomorrow',
          colour: 'red',
          authorization_details: {
            oauth_token: { access_token: 1, scopes: ['a', 2], colour: 'red' },
            static_auth: { details: 1 },
            workspace_dwd: { subject: '' },
            trusted_idp: null,
            colour: {},
          },
        },
      }),
    );
    const details = 'connected_account.authorization_details';
    expect(found.map(({ field, constraint }) => `${field} ${constraint}`).toSorted()).toEqual([
      'connected_account.api_config type',
      `${details}.colour unknown`,
      `${details}.oauth_token.access_token type`,
      `${details}.oauth_token.colour unknown`,
      `${details}.oauth_token.scopes.1 type`,
      `${details}.static_auth.details type`,
      `${details}.trusted_idp type`,
      `${details}.workspace_dwd.subject min_length`,
      'connected_account.authorization_type enum',
      'connected_account.colour unknown',
      'connected_account.token_expires_at format',
      'connector format',
      'id unknown',
      'identifier max_length',
      'organization_id max_length',
      'user_id type',
    ]);
  });

  it('says in words what each field should be', async () => {
    const found = await violationsOf(
      ACCOUNTS,
      json('POST', { identifier: 1, user_id: '', organization_id: 'x'.repeat(65) }),
    );
    expect(found).toEqual([
      { field: 'connector', description: 'This field is required.', constraint: 'required' },
      { field: 'identifier', description: 'Must be a string.', constraint: 'type' },
      {
        field: 'organization_id',
        description: 'Must be at most 64 characters long.',
        constraint: 'max_length',
      },
      { field: 'user_id', description: 'Must not be empty.', constraint: 'min_length' },
    ]);
  });

  it('repeats no value of the body in the answer', async () => {
    const response = await api.request(
      ACCOUNTS,
      json('POST', { connector: 'hunter2/', identifier: { hunter2: 1 } }),
    );
    expect(await response.text()).not.toContain('hunter2');
  });

  it('reports a wrong body and a wrong query together', async () => {
    const found = await violationsOf(`${ACCOUNTS}?a=1`, json('POST', { connector: 'c', identifier: '' }));
    expect(found.map(({ field }) => field)).toEqual(['a', 'identifier']);
  });

  it.each([
    [
      'WORKSPACE_DWD',
      {
        workspace_dwd: {
          subject: 'ada@example.test',
          access_token: 'a',
          scopes: [],
          token_expires_at: 'x',
        },
      },
    ],
    [
      'TRUSTED_IDP',
      {
        trusted_idp: {
          db_user: 'ada',
          access_key_id: 'a',
          expiry: 'x',
          secret_access_key: 'a',
          session_token: 'a',
        },
      },
    ],
  ] as const)('may hold the read-only members of an account of %s as it was read', async (type, details) => {
    const notes = testCatalog.connectors.get('notes')!;
    const cloud = { ...notes, name: 'cloud', auth: [smallestEntry(type)], needsNoOperator: true };
    const catalog = { ...testCatalog, connectors: new Map([['cloud', cloud]]) };
    const cloudApi = await restApi({ services: await testServices({ catalog }) });
    const account = { connector: 'cloud', identifier: 'ada' };
    expect((await cloudApi.request(ACCOUNTS, json('POST', account))).status).toBe(201);
    const readOnly = {
      id: 'ca_9',
      connection_id: 1,
      connector: 'x',
      provider: 'x',
      identifier: null,
      status: 'ACTIVE',
      organization_id: '',
      user_id: '',
      last_used_at: null,
      updated_at: 'x',
    };
    const connected_account = { ...readOnly, api_config: { a: 1 }, authorization_details: details };
    const response = await cloudApi.request(ACCOUNTS, json('PUT', { ...account, connected_account }));
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { connected_account: { identifier: 'ada', connector: 'cloud', api_config: { a: 1 } } },
    ]);
  });

  it.each([
    ['idempotency_key', '', 'min_length'],
    ['idempotency_key', 'k'.repeat(256), 'max_length'],
    ['idempotency_key', 'a\u0000b', 'characters'],
    ['idempotency_key', 7, 'type'],
    ['dry_run', 'true', 'type'],
  ])('refuses a wrong %s (%j)', async (field, value, constraint) => {
    const found = await violationsOf(EXECUTE, json('POST', { tool_name: 't', [field]: value }));
    expect(found).toMatchObject([{ field, constraint }]);
  });

  it('refuses params and tool_input that differ', async () => {
    const found = await violationsOf(
      EXECUTE,
      json('POST', { tool_name: 't', tool_input: { a: 1 }, params: { a: '1' } }),
    );
    expect(found).toMatchObject([{ field: 'params', constraint: 'exclusive' }]);
  });

  it.each([
    [
      ACCOUNTS,
      { connector: 'c', identifier: 'i', connected_account: { api_config: { a: 'x'.repeat(65_536) } } },
      'connected_account.api_config',
      'max_size',
    ],
    ['/api/v1/connections', { connector: 'c', params: { a: 'x'.repeat(65_536) } }, 'params', 'max_size'],
    [EXECUTE, { tool_name: 't', tool_input: [] }, 'tool_input', 'type'],
    [EXECUTE, { tool_name: 't', tool_input: null }, 'tool_input', 'type'],
    [EXECUTE, { tool_name: 'x'.repeat(129) }, 'tool_name', 'max_length'],
    [EXECUTE, { tool_name: 't', connected_account_id: '' }, 'connected_account_id', 'min_length'],
    [`${ACCOUNTS}/magic_link`, { connector: 'c', state: 'x'.repeat(513) }, 'state', 'max_length'],
    [
      `${ACCOUNTS}/magic_link`,
      { connector: 'c', user_verify_url: `https://${'x'.repeat(2041)}` },
      'user_verify_url',
      'max_length',
    ],
    [`${ACCOUNTS}/user/verify`, { auth_request_id: 1, identifier: 'i' }, 'auth_request_id', 'type'],
    [`${ACCOUNTS}/user/verify`, { auth_request_id: 'abcdefghijklmnopqrst' }, 'identifier', 'required'],
    ['/api/v1/credentials', { name: 'n', scopes: [] }, 'scopes', 'min_items'],
    ['/api/v1/credentials', { name: 'n', scopes: ['root'] }, 'scopes.0', 'enum'],
    ['/api/v1/connections', { connector: 'c', overrides: { base_url: 1 } }, 'overrides.base_url', 'type'],
    [
      '/api/v1/connections',
      { connector: 'c', scopes: Array.from({ length: 501 }, () => 's') },
      'scopes',
      'max_items',
    ],
    ['/api/v1/connections', { connector: 'c', id: 'conn_x' }, 'id', 'unknown'],
  ])('refuses at %s the body %j for its field %s', async (path, body, field, constraint) => {
    const found = await violationsOf(path, json('POST', body));
    expect(found.map((violation) => [violation.field, violation.constraint])).toEqual([[field, constraint]]);
  });

  it('answers a body with thousands of unknown members shortly', async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`member_${i}`, i]));
    const response = await api.request(ACCOUNTS, json('POST', body));
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain('And 19952 more problems like these.');
  });

  it('answers 413 to a body over the limit', async () => {
    const small = await restApi({ maxBodyBytes: 100 });
    const response = await small.request(
      EXECUTE,
      json('POST', { tool_name: 't', tool_input: { a: 'x'.repeat(100) } }),
    );
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      code: 8,
      details: [{ error_code: 'TOO_LARGE', max_bytes: 100 }],
    });
  });

  it('answers 415 to a body that is not JSON', async () => {
    const response = await api.request(EXECUTE, { method: 'POST', body: 'tool_name=t' });
    expect(response.status).toBe(415);
  });
});

describe('errors of services behind REST routes', () => {
  it('answers 500 to a defect and tells nothing about it', async () => {
    const { db, clock, pageTokens } = api.services;
    const broken = brokenDatabase(db, new Error('the database password is hunter2'));
    const failing = await restApi({ users: new Users({ db: broken, clock, pageTokens }) });
    const response = await failing.request('/api/v1/users');
    expect(response.status).toBe(500);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      code: 13,
      message: expect.stringContaining('0af7651916cd43dd8448eb211c80319c'),
    });
  });

  it('answers 503 when readiness fails', async () => {
    const locked = await restApi({ ready: () => Promise.reject(new Error('database is locked')) });
    const response = await locked.request('/readyz');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 14, details: [{ error_code: 'UNAVAILABLE' }] });
  });
});
