/**
 * Answers of `gatehouse serve`: the OpenAPI document, metrics, well-known documents, and the response of each
 * address.
 */
import { pretty, type Pages, type Served, type Workplace } from './program.ts';

/** Addresses that are not in the OpenAPI document, or are requested there in another way. */
const ADDRESSES = [
  '/',
  '/api',
  '/api/v1/nope',
  '/connect',
  '/connect/confirm',
  '/connect/done',
  '/connect/nope',
  '/dashboard',
  '/docs',
  '/healthz',
  '/invitations/nope',
  '/keys',
  '/mcp',
  '/mcp/nope',
  '/oauth/authorize',
  '/oauth/interaction/nope',
  '/oauth/introspect',
  '/oauth/register',
  '/oauth/revoke',
  '/oauth/token',
  '/proxy',
  '/readyz',
  '/sign-in',
  '/sign-in/code',
  '/sign-in/provider',
  '/sign-out',
  '/sign-up',
  '/sign-up/code',
  '/sso/v1/oauth/conn_nope/callback',
  '/verify',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/openid-configuration',
];

/**
 * Changes through REST, in order; `{x}` is the id from the answer to the first POST to the collection `x`.
 */
const CHANGES: readonly (readonly [method: string, path: string, body?: object])[] = [
  [
    'POST',
    'connections',
    { connector: 'websearch', name: 'other', overrides: { base_url: 'http://127.0.0.1:9' } },
  ],
  ['PATCH', 'connections/{connections}', { scopes: [] }],
  ['GET', 'connections/{connections}'],
  [
    'POST',
    'connected_accounts',
    {
      connector: 'other',
      identifier: 'ann',
      user_id: 'ann',
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'a-key-of-ann' } } } },
    },
  ],
  ['GET', 'connected_accounts?user_id=ann'],
  ['POST', 'connected_accounts/magic_link', { connector: 'other', identifier: 'ben', user_id: 'ben' }],
  ['POST', 'execute_tool', { tool_name: 'websearch_nope', connector: 'other', identifier: 'ann' }],
  [
    'POST',
    'execute_tool',
    { tool_name: 'websearch_search', connector: 'other', identifier: 'ann', user_id: 'ann', params: {} },
  ],
  [
    'POST',
    'execute_tool',
    { tool_name: 'websearch_search', connector: 'other', identifier: 'nobody', params: { query: 'x' } },
  ],
  // Refused before it is sent: a private address.
  [
    'POST',
    'execute_tool',
    {
      tool_name: 'websearch_search',
      connector: 'other',
      identifier: 'ann',
      user_id: 'ann',
      params: { query: 'x' },
    },
  ],
  ['GET', 'executions'],
  ['POST', 'credentials', { name: 'Other', scopes: ['accounts:read'] }],
  ['POST', 'credentials/{credentials}:rotate'],
  ['DELETE', 'credentials/{credentials}'],
  ['POST', 'mcp_servers', { name: 'reading', connections: ['other'] }],
  ['PATCH', 'mcp_servers/{mcp_servers}', { read_only: true }],
  ['POST', 'mcp_servers/{mcp_servers}/tokens', { user_id: 'ann' }],
  ['DELETE', 'mcp_servers/{mcp_servers}'],
  [
    'POST',
    'interceptors',
    {
      name: 'Stop',
      trigger_point: 'PRE_SIGNUP',
      endpoint: 'https://hooks.example.test/signup',
      fallback: 'block',
    },
  ],
  ['PATCH', 'interceptors/{interceptors}', { enabled: false }],
  ['DELETE', 'interceptors/{interceptors}'],
  [
    'POST',
    'webhooks',
    { name: 'ops', url: 'https://hooks.example.test/ops', events: ['connected_account.status_updated'] },
  ],
  ['PATCH', 'webhooks/{webhooks}', { enabled: false }],
  ['DELETE', 'webhooks/{webhooks}'],
  ['POST', 'signing_secret:rotate'],
  ['POST', 'organizations', { name: 'Acme', user: { email: 'ann@example.test' } }],
  ['PATCH', 'organizations/{organizations}', { name: 'Acme Corp' }],
  ['POST', 'users', { email: 'ben@example.test', organization_id: '{organizations}' }],
  ['PATCH', 'users/{users}', { given_name: 'Ben' }],
  ['POST', 'organizations/{organizations}/invitations', { email: 'eve@example.test' }],
  ['POST', 'sessions', { user_id: '{users}', organization_id: '{organizations}' }],
  ['DELETE', 'sessions/{sessions}'],
  ['DELETE', 'users/{users}'],
  ['DELETE', 'organizations/{organizations}'],
  ['DELETE', 'connections/{connections}'],
  ['POST', 'connections', {}],
  ['GET', 'audit?page_size=100'],
];

/** Reads, then changes: others read the same server, and have to do so before the changes. */
export async function http(served: Served, place: Workplace): Promise<Pages> {
  const openapi = await (await fetch(`${served.baseUrl}/openapi.json`)).json();
  const addresses = await allAddresses(served, place);
  const changes = await allChanges(served, place);
  const metrics = await (await fetch(`${served.baseUrl}/metrics`)).text();
  return {
    'http/openapi.json': place.plain(pretty(openapi)),
    'http/addresses.txt': addresses,
    'http/rest.txt': changes,
    'http/metrics.txt': metricNames(metrics),
  };
}

/** GET of each: status, descriptive headers, and the body if it is JSON. */
async function allAddresses(served: Served, place: Workplace): Promise<string> {
  const parts: string[] = [];
  for (const path of ADDRESSES) {
    const response = await fetch(served.baseUrl + path, { redirect: 'manual' });
    const body = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const lines = [`# GET ${path}`, `${response.status} ${type}`];
    for (const name of [
      'allow',
      'cache-control',
      'content-security-policy',
      'location',
      'www-authenticate',
    ]) {
      const value = response.headers.get(name);
      if (value !== null) lines.push(`${name}: ${withoutSecrets(value)}`);
    }
    if (type.includes('json')) lines.push(withoutSecrets(pretty(JSON.parse(body)).trimEnd()));
    const title = /<title>([^<]*)<\/title>/.exec(body)?.[1];
    if (title !== undefined) lines.push(`title: ${title}`);
    parts.push(lines.join('\n'));
  }
  return place.plain(`${parts.join('\n\n')}\n`);
}

async function allChanges(served: Served, place: Workplace): Promise<string> {
  const ids = new Map<string, string>();
  const filled = (text: string): string =>
    text.replace(/\{([a-z_]+)\}/g, (whole, name: string) => ids.get(name) ?? whole);
  const parts: string[] = [];
  for (const [method, path, body] of CHANGES) {
    const response = await fetch(`${served.baseUrl}/api/v1/${filled(path)}`, {
      method,
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: filled(JSON.stringify(body)) }),
    });
    const text = await response.text();
    if (method === 'POST' && !ids.has(path)) {
      const id = /"id":"([^"]+)"/.exec(text)?.[1];
      if (id !== undefined) ids.set(path, id);
    }
    const shown = text === '' ? '' : withoutSecrets(pretty(JSON.parse(text)));
    parts.push(`# ${method} ${path}\n${response.status}\n${shown}`);
  }
  return place.plain(parts.join('\n'));
}

/** Replaces random values and times. */
function withoutSecrets(text: string): string {
  return text
    .replace(
      /("(?:client_secret|client_id|access_token|refresh_token|secret|token|next_page_token|kid|n|trace_id)": )"[^"]+"/g,
      '$1"<secret>"',
    )
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replace(/("[a-z_]*(?:_ms|duration|latency)": )\d+(?:\.\d+)?/g, '$1"<number>"')
    .replace(/("pid": )\d+/g, '$1"<number>"')
    .replace(/'nonce-[^']+'/g, "'nonce-<nonce>'")
    .replace(/\blnk_[\w-]{20,}/g, '<link>')
    .replace(/(\/(?:connect|invitations)\/)[\w-]{20,}/g, '$1<token>');
}

/** HELP and TYPE of each metric, and the label names of this program's own metrics. */
function metricNames(text: string): string {
  const lines = text.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) return [line];
    const [, name, labels = ''] = /^(gatehouse_\w+)\{(.*)\}/.exec(line) ?? [];
    return name === undefined
      ? []
      : [`${name} ${[...labels.matchAll(/(\w+)="/g)].map((label) => label[1]).join(',')}`];
  });
  return `${[...new Set(lines)].join('\n')}\n`;
}
