/** Good bodies of the routes of people and policy, and the parameters of their lists. `{organization}` stands for an id that exists. */
import { MARK } from './bad-request.ts';
import type { Template } from './templates.ts';

const interceptor = {
  name: MARK,
  trigger_point: 'PRE_SIGNUP',
  endpoint: 'https://policy.example.test/ask',
  fallback: 'allow',
  timeout_ms: 1_000,
  enabled: false,
};

const INTERCEPTOR_FIELDS: Template['fields'] = {
  name: 'text',
  trigger_point: 'word',
  endpoint: 'text',
  fallback: 'word',
  timeout_ms: 'number',
  enabled: 'flag',
};

export const PEOPLE_TEMPLATES: readonly Template[] = [
  {
    method: 'POST',
    path: '/api/v1/organizations',
    body: { name: MARK, user: { email: 'eve@example.test', given_name: MARK, family_name: MARK } },
    fields: {
      name: 'text',
      user: 'object',
      'user.email': 'text',
      'user.given_name': 'name',
      'user.family_name': 'name',
    },
    required: ['name', 'user', 'user.email'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/organizations/{organization}',
    body: { name: MARK },
    fields: { name: 'text' },
    required: [],
  },
  {
    method: 'PATCH',
    path: '/api/v1/organizations/{organization}/members/{user}',
    body: { role: 'member' },
    fields: { role: 'word' },
    required: ['role'],
  },
  {
    method: 'POST',
    path: '/api/v1/organizations/{organization}/invitations',
    body: { email: 'eve@example.test', role: 'member' },
    fields: { email: 'text', role: 'word' },
    required: ['email'],
  },
  {
    method: 'PUT',
    path: '/api/v1/organizations/{organization}/provider',
    body: { issuer: 'https://id.example.test', client_id: MARK, client_secret: MARK, domains: ['a.test'] },
    fields: {
      issuer: 'text',
      client_id: 'text',
      domains: 'texts',
      assume_email_verified: 'flag',
      allow_operator_rights: 'flag',
    },
    required: ['issuer', 'client_id'],
  },
  {
    method: 'POST',
    path: '/api/v1/users',
    body: { email: 'eve@example.test', organization_id: MARK, role: 'member' },
    fields: {
      email: 'text',
      given_name: 'name',
      family_name: 'name',
      organization_id: 'text',
      role: 'word',
      is_operator: 'flag',
    },
    required: ['email'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/users/{user}',
    body: { email: 'ann@example.test' },
    fields: { email: 'text', given_name: 'name', family_name: 'name' },
    required: [],
  },
  {
    method: 'POST',
    path: '/api/v1/sessions',
    body: { user_id: MARK, organization_id: MARK },
    fields: { user_id: 'text', organization_id: 'text', resource: 'text' },
    required: ['user_id'],
  },
  {
    method: 'POST',
    path: '/api/v1/interceptors',
    body: interceptor,
    fields: INTERCEPTOR_FIELDS,
    required: ['name', 'trigger_point', 'endpoint', 'fallback'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/interceptors/{interceptor}',
    body: { name: MARK },
    fields: INTERCEPTOR_FIELDS,
    required: [],
  },
  {
    method: 'POST',
    path: '/api/v1/mcp_servers',
    body: { name: 'desk-2', connections: ['websearch'], toolsets: [], tools: [], read_only: true },
    fields: {
      name: 'text',
      connections: 'texts',
      toolsets: 'texts',
      tools: 'texts',
      read_only: 'flag',
    },
    required: ['name', 'connections'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/mcp_servers/{server}',
    body: { read_only: false },
    fields: { connections: 'texts', toolsets: 'texts', tools: 'texts', read_only: 'flag' },
    required: [],
  },
  {
    method: 'POST',
    path: '/api/v1/mcp_servers/{server}/tokens',
    body: { user_id: MARK },
    fields: { user_id: 'text' },
    required: ['user_id'],
  },
];

export const PEOPLE_QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/organizations': ['name', 'page_size', 'page_token'],
  '/api/v1/organizations/{organization}/members': ['page_size', 'page_token'],
  '/api/v1/organizations/{organization}/invitations': ['page_size', 'page_token'],
  '/api/v1/users': ['email', 'page_size', 'page_token'],
  '/api/v1/sessions': ['user_id', 'organization_id', 'page_size', 'page_token'],
  '/api/v1/interceptors': ['page_size', 'page_token'],
  '/api/v1/interceptors/{interceptor}/logs': ['page_size', 'page_token'],
  '/api/v1/mcp_servers': ['page_size', 'page_token'],
  '/api/v1/audit': ['actor', 'action', 'target', 'from', 'until', 'page_size', 'page_token'],
  '/api/v1/audit:export': ['actor', 'action', 'target', 'from', 'until'],
};
