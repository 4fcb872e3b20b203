/** A small catalog of invented connectors, one per way an account can be connected. */
import type { CatalogOfEnvironments } from '../../src/catalog/model/environment-catalog.ts';
import type { Catalog, Connector, ConnectorAuth, Tool } from '../../src/catalog/model/types.ts';

const errors = { message: ['error'], code: ['tag'], reconnect: [401], conflicts: [] };

const notes: Connector = {
  name: 'notes',
  title: 'Notes',
  description: 'A place for notes.',
  hosts: [{ url: 'https://api.notes.example', placeholders: {} }],
  auth: [
    {
      type: 'API_KEY',
      fields: [{ name: 'api_key', label: 'API key', input: 'password', required: true }],
      attach: { in: 'header', name: 'x-api-key', field: 'api_key', prefix: '' },
    },
  ],
  errors,
  needsNoOperator: true,
};

const desk: Connector = {
  ...notes,
  name: 'desk',
  title: 'Desk',
  hosts: [{ url: 'https://{domain}/api', placeholders: { domain: '[a-z]+\\.desk\\.example' } }],
  auth: [
    {
      type: 'BASIC_AUTH',
      fields: [
        { name: 'username', label: 'User name', input: 'text', required: true },
        { name: 'password', label: 'Password', input: 'password', required: true },
      ],
    },
  ],
};

const weather: Connector = {
  ...notes,
  name: 'weather',
  title: 'Weather',
  auth: [{ type: 'NO_AUTH', fields: [] }],
};

const mailbox: Connector = {
  ...notes,
  name: 'mailbox',
  title: 'Mailbox',
  auth: [
    {
      type: 'OAUTH',
      fields: [],
      oauth: {
        authorization_url: 'https://login.mailbox.example/authorize',
        token_url: 'https://login.mailbox.example/token',
        pkce: true,
        authorize_parameters: {},
        scope_parameter: true,
        scope_separator: ' ',
        client_authentication: 'post',
        refresh_tokens: true,
        revocation: 'none',
      },
    },
  ],
  needsNoOperator: false,
};

function tool(connector: string, name: string, change: Partial<Tool> = {}): Tool {
  return {
    name: `${connector}_${name}`,
    title: name,
    description: `Tool ${name} of ${connector}.`,
    effect: 'read',
    connector,
    toolset: 'all',
    scopes: [],
    source: { url: 'https://docs.example', checked: '2026-11-20' },
    parameters: {
      query: { type: 'string', description: 'What to look for.', required: true, to: 'query.q' },
    },
    constraints: [],
    requests: [{ method: 'GET', path: '/search', host: 0, fixed: {} }],
    response: {},
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for.' } },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    ...change,
  };
}

const connectors = [desk, mailbox, notes, weather];
const tools = [
  tool('desk', 'search'),
  tool('mailbox', 'search'),
  tool('notes', 'limited', { limit: { group: 'notes', perMinute: 2 } }),
  tool('notes', 'search'),
  tool('weather', 'search'),
];

/** desk (BASIC_AUTH, `{domain}`), mailbox (OAUTH), notes (API_KEY), weather (NO_AUTH). */
export const testCatalog: Catalog = {
  connectors: new Map(connectors.map((connector) => [connector.name, connector])),
  tools: new Map(tools.map((entry) => [entry.name, entry])),
};

/** The same catalog, in which keys and passwords are proved by a request. */
export const catalogWithChecks: Catalog = {
  ...testCatalog,
  connectors: new Map(
    [...testCatalog.connectors].map(([name, connector]) => [
      name,
      { ...connector, auth: connector.auth.map(withCheck) },
    ]),
  ),
};

function withCheck(auth: ConnectorAuth): ConnectorAuth {
  if (auth.type !== 'API_KEY' && auth.type !== 'BASIC_AUTH') return auth;
  const check = { path: '/me', host: 0, query: { part: 'id' }, headers: { 'x-version': '2' } };
  return { ...auth, check: { ...check, refused: [401, 403] } };
}

/** A catalog that is the same in every environment. */
export function inEveryEnvironment(catalog: Catalog): CatalogOfEnvironments {
  return { ...catalog, in: () => catalog, refresh: async () => {} };
}
