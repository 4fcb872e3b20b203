/** Good bodies of every route, and bad values for each of their members. */
import { MARK } from './bad-request.ts';
import { PEOPLE_QUERIES, PEOPLE_TEMPLATES } from './people-templates.ts';

/** What a member must be. */
export type Kind = 'text' | 'name' | 'object' | 'texts' | 'word' | 'time' | 'number' | 'flag';

/** A good body, and what can be wrong in it. */
export interface Template {
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** Members that are checked, by dotted path. */
  fields: Record<string, Kind>;
  required: readonly string[];
}

const details = 'connected_account.authorization_details';

const ACCOUNT_FIELDS: Record<string, Kind> = {
  connector: 'text',
  identifier: 'text',
  user_id: 'text',
  organization_id: 'text',
  connected_account: 'object',
  'connected_account.authorization_type': 'word',
  'connected_account.api_config': 'object',
  'connected_account.token_expires_at': 'time',
  [details]: 'object',
  [`${details}.static_auth`]: 'object',
  [`${details}.static_auth.details`]: 'object',
  [`${details}.oauth_token`]: 'object',
  [`${details}.oauth_token.access_token`]: 'text',
  [`${details}.oauth_token.refresh_token`]: 'text',
  [`${details}.oauth_token.domain`]: 'text',
  [`${details}.oauth_token.scopes`]: 'texts',
  [`${details}.workspace_dwd`]: 'object',
  [`${details}.trusted_idp`]: 'object',
  [`${details}.workspace_dwd.subject`]: 'text',
  [`${details}.trusted_idp.db_user`]: 'text',
};

const account = {
  connector: 'websearch',
  identifier: MARK,
  user_id: MARK,
  connected_account: {
    authorization_details: { static_auth: { details: { api_key: MARK } } },
    api_config: { a: { b: [MARK] } },
  },
};

/** An account that does not exist. A call that named a user instead would make one. */
const NO_ACCOUNT = 'ca_00000000000000000000000000';

export const TEMPLATES: readonly Template[] = [
  {
    method: 'POST',
    path: '/api/v1/connected_accounts',
    body: account,
    fields: ACCOUNT_FIELDS,
    required: ['connector', 'identifier'],
  },
  {
    method: 'PUT',
    path: '/api/v1/connected_accounts',
    body: account,
    fields: { ...ACCOUNT_FIELDS, id: 'text' },
    required: ['connector', 'identifier'],
  },
  {
    method: 'POST',
    path: '/api/v1/connected_accounts:delete',
    body: { connector: 'websearch', identifier: MARK, user_id: MARK },
    fields: { id: 'text', connector: 'text', identifier: 'text', user_id: 'text', organization_id: 'text' },
    required: ['connector', 'identifier'],
  },
  {
    method: 'POST',
    path: '/api/v1/connected_accounts/magic_link',
    body: {
      connector: 'websearch',
      user_id: MARK,
      state: MARK,
      user_verify_url: 'https://app.example.test/v',
    },
    fields: {
      id: 'text',
      connector: 'text',
      identifier: 'text',
      user_id: 'text',
      state: 'text',
      user_verify_url: 'text',
    },
    required: ['connector', 'user_id'],
  },
  {
    method: 'POST',
    path: '/api/v1/connected_accounts/user/verify',
    body: { auth_request_id: 'a'.repeat(43), identifier: MARK },
    fields: { auth_request_id: 'text', identifier: 'text' },
    required: ['auth_request_id', 'identifier'],
  },
  {
    method: 'POST',
    path: '/api/v1/execute_tool',
    body: { tool_name: 'websearch_search', tool_input: { query: MARK }, connected_account_id: NO_ACCOUNT },
    fields: {
      tool_name: 'text',
      tool_input: 'object',
      params: 'object',
      connected_account_id: 'text',
      connector: 'text',
      identifier: 'text',
      organization_id: 'text',
      user_id: 'text',
      idempotency_key: 'text',
    },
    required: ['tool_name'],
  },
  {
    method: 'POST',
    path: '/api/v1/execute_tool',
    body: {
      tool_name: 'websearch_search',
      tool_input: { query: MARK },
      connected_account_id: NO_ACCOUNT,
      dry_run: true,
      idempotency_key: MARK,
    },
    fields: { dry_run: 'word', idempotency_key: 'text', tool_input: 'object' },
    required: ['tool_name'],
  },
  {
    method: 'POST',
    path: '/api/v1/connections',
    body: {
      name: MARK,
      connector: 'websearch',
      scopes: [MARK],
      params: { a: MARK },
      overrides: { base_url: 'https://x.test' },
    },
    fields: {
      name: 'text',
      connector: 'text',
      authorization_type: 'word',
      client_id: 'text',
      client_secret: 'text',
      scopes: 'texts',
      params: 'object',
      overrides: 'object',
      'overrides.base_url': 'text',
      post_user_verify_redirect_url: 'text',
    },
    required: ['connector'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/connections/websearch',
    body: { scopes: [MARK] },
    fields: {
      name: 'text',
      authorization_type: 'word',
      scopes: 'texts',
      params: 'object',
      overrides: 'object',
    },
    required: [],
  },
  {
    method: 'POST',
    path: '/api/v1/credentials',
    body: { name: MARK, scopes: ['accounts:read'], organization_id: MARK },
    fields: { name: 'text', scopes: 'texts', organization_id: 'text' },
    required: ['name', 'scopes'],
  },
  {
    method: 'POST',
    path: '/api/v1/webhooks',
    body: { name: MARK, url: 'https://hooks.example.test/x', events: ['connected_account.created'] },
    fields: { name: 'text', url: 'text', events: 'texts' },
    required: ['name', 'url', 'events'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/webhooks/whk_1',
    body: { name: MARK, enabled: false },
    fields: { name: 'text', url: 'text', events: 'texts', enabled: 'word' },
    required: [],
  },
  ...PEOPLE_TEMPLATES,
];

/** Routes without a body, with the parameters of their query. */
export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/connected_accounts': [
    'organization_id',
    'user_id',
    'connector',
    'provider',
    'identifier',
    'status',
    'query',
    'page_size',
    'page_token',
  ],
  '/api/v1/connected_accounts:search': ['query', 'page_size'],
  '/api/v1/connected_accounts/auth': ['id', 'connector', 'identifier'],
  '/api/v1/connected_accounts/details': ['id', 'connector', 'identifier'],
  '/api/v1/tools': ['connector', 'toolset', 'query'],
  '/api/v1/tools/scoped': ['user_id', 'organization_id'],
  '/api/v1/executions': ['tool_name', 'source', 'status', 'page_size', 'page_token'],
  '/api/v1/webhooks/whk_1/deliveries': ['status', 'page_size', 'page_token'],
  ...PEOPLE_QUERIES,
};

/** 100 kB. */
export const BIG = MARK.repeat(10_000);
/** Written as `\u0000` and `\ud800`, so that they get through JSON. */
export const BAD_TEXTS = ['\u0000', `${MARK}\u0000`, '\ud800', `\udc00${MARK}`, `${MARK}\ud83d`];

/** Values that a member of each kind cannot have. */
export const BAD_VALUES: Readonly<Record<Kind, readonly unknown[]>> = {
  text: [null, 7, -1.5, true, [], {}, [MARK], { a: MARK }, '', BIG, ...BAD_TEXTS],
  name: [null, 7, -1.5, true, [], {}, [MARK], { a: MARK }, BIG, ...BAD_TEXTS],
  flag: [null, 7, 'true', '', [], {}, MARK],
  number: [null, true, '1000', 1.5, -1, 0, 1e21, [], {}, MARK],
  object: [null, 7, true, '', MARK, BIG, [], [{}], { a: BIG }],
  texts: [null, 7, MARK, {}, [7], [null], [[MARK]], [{}], [BIG], ...BAD_TEXTS.map((text) => [text])],
  word: [null, 7, true, [], {}, '', MARK, BIG, 'oauth', ...BAD_TEXTS],
  time: [
    null,
    7,
    true,
    [],
    {},
    '',
    MARK,
    BIG,
    '2026-13-01T00:00:00Z',
    '2026-11-20',
    '20 Nov 2026',
    ...BAD_TEXTS,
  ],
};
