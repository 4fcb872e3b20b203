import { describe, expect, it } from 'vitest';
import { testConnection } from '../support/accounts.ts';
import {
  connectionWarnings,
  type WarnedConnection,
  type WarningContext,
} from '../../src/connections/connection-warnings.ts';
import type { Catalog, Connector, OAuthRules, Tool } from '../../src/catalog/model/types.ts';
import type { AuthorizationType } from '../../src/authorization-types/index.ts';

const rules: OAuthRules = {
  authorization_url: 'https://desk.example/authorize',
  token_url: 'https://desk.example/token',
  pkce: true,
  authorize_parameters: {},
  scope_parameter: true,
  scope_separator: ' ',
  client_authentication: 'post',
  refresh_tokens: true,
  offline_scope: 'offline_access',
  revocation: 'none',
};

const tool = (name: string, scopes: readonly (readonly string[])[]): Tool =>
  ({ name, connector: 'desk', scopes }) as unknown as Tool;

const tools = [
  tool('desk_get_ticket', [['ticket:read', 'ticket:write']]),
  tool('desk_update_ticket', [['ticket:write'], ['person:read']]),
  tool('desk_list_people', [['person:read']]),
  tool('desk_ping', []),
];

/** A catalog with the connector `desk`, spoken to as `changes` say. */
function catalogWith(changes: Partial<OAuthRules> = {}): Catalog {
  const desk = {
    name: 'desk',
    title: 'Desk',
    hosts: [
      { url: 'https://api.desk.example', placeholders: {} },
      { url: 'http://{tenant}.desk.example', placeholders: { tenant: '[a-z]+' } },
    ],
    auth: [
      {
        type: 'OAUTH',
        fields: [],
        scopes: {
          offline_access: '',
          'ticket:read': '',
          'ticket:write': '',
          'person:read': '',
          'report:read': '',
          'audit:read': '',
          'act:as:*': '',
        },
        oauth: { ...rules, ...changes },
      },
      { type: 'API_KEY', fields: [] },
    ],
  } as unknown as Connector;
  return { connectors: new Map([['desk', desk]]), tools: new Map(tools.map((entry) => [entry.name, entry])) };
}

/** A connection and surroundings in which everything works. */
const connection: WarnedConnection = {
  ...testConnection(),
  scopes: ['offline_access', 'ticket:write', 'person:read'],
};
const context: WarningContext = {
  catalog: catalogWith(),
  baseUrl: 'https://gate.example',
  isReachable: () => true,
};

const warningsOf = (
  row: Partial<WarnedConnection>,
  oauth: Partial<OAuthRules> = {},
  surroundings: Partial<WarningContext> = {},
): string[] =>
  connectionWarnings({ ...connection, ...row }, { ...context, catalog: catalogWith(oauth), ...surroundings });

const overrides = (value: Record<string, string>) => ({ overrides: value });
const scopes = (...names: string[]) => ({ scopes: names });

describe('connection warnings', () => {
  it('gives no warning for a complete connection', () => {
    expect(connectionWarnings(connection, context)).toEqual([]);
  });

  it.each<[string, Partial<WarnedConnection>, Partial<OAuthRules>, string]>([
    [
      'whose connector the catalog has not',
      { connector: 'gone' },
      {},
      'The catalog has no connector gone: no tool can use this connection. Put its file back, or delete the connection.',
    ],
    [
      'whose type the connector no longer accepts',
      { type: 'BASIC' },
      {},
      'The connector desk does not accept BASIC: no account can be used. Set authorization_type to one of OAUTH, API_KEY.',
    ],
    [
      'without client id and secret',
      { clientId: null, clientSecretSealed: null },
      {},
      'It has no client_id, so no account can be connected. Register an app with Desk, give it the redirect URI of this connection, and set client_id and client_secret.',
    ],
    [
      'without client secret',
      { clientSecretSealed: null },
      {},
      'It has no client_secret. Desk then accepts no consent unless the app is registered there as a public client. Set client_secret.',
    ],
    [
      'that overrides the API alone',
      overrides({ base_url: 'https://box.example' }),
      {},
      'overrides has no authorization_url and no token_url. With overrides, addresses of the connector are not used, so no account can be connected. Add what is missing.',
    ],
    [
      'that overrides the consent page alone',
      overrides({ authorization_url: 'https://box.example/authorize' }),
      {},
      'overrides has no token_url. With overrides, addresses of the connector are not used, so no account can be connected. Add what is missing.',
    ],
    [
      'without the scope that refresh tokens need',
      scopes('ticket:write', 'person:read'),
      {},
      'offline_access is not among its scopes. Desk gives no refresh token without it, so each account expires with its first access token.',
    ],
    [
      'with a scope that nobody knows',
      scopes('offline_access', 'ticket:write', 'person:read', 'tickets:write'),
      {},
      'The connector desk does not know tickets:write. Check the spelling.',
    ],
    [
      'with scopes that no tool uses',
      scopes('offline_access', 'ticket:write', 'person:read', 'report:read', 'audit:read'),
      {},
      'No tool uses report:read, audit:read. Leave out what is not needed: people are asked for it.',
    ],
    [
      'with scopes that no tool uses, ticked in the app',
      scopes('offline_access', 'ticket:write', 'person:read', 'report:read'),
      { scope_parameter: false },
      'No tool uses report:read. It need not be ticked in the app.',
    ],
    [
      'with too few scopes',
      scopes('offline_access', 'ticket:read'),
      {},
      '2 of 4 tools need scopes that are not chosen: desk_update_ticket (ticket:write, person:read), desk_list_people (person:read). Desk will refuse their calls; add the scopes, or leave the tools out.',
    ],
    [
      'with too few scopes ticked in the app',
      scopes('offline_access', 'ticket:write'),
      { scope_parameter: false },
      '2 of 4 tools need scopes that are not chosen: desk_update_ticket (person:read), desk_list_people (person:read). Desk will refuse their calls; add the scopes and tick them in the app, or leave the tools out.',
    ],
    [
      'with a scope that has no alternative in it',
      scopes('offline_access', 'person:read'),
      {},
      '2 of 4 tools need scopes that are not chosen: desk_get_ticket (ticket:read), desk_update_ticket (ticket:write). Desk will refuse their calls; add the scopes, or leave the tools out.',
    ],
  ])('gives one warning for a connection %s', (_what, row, oauth, warning) => {
    expect(warningsOf(row, oauth)).toEqual([warning]);
  });

  it('knows scopes of a family by their beginning, and no others', () => {
    const chosen = ['offline_access', 'ticket:write', 'person:read'];
    expect(warningsOf(scopes(...chosen, 'act:as:ANALYST'))).toEqual([]);
    expect(warningsOf(scopes(...chosen, 'act:as:', 'act:by:ANALYST'))).toEqual([
      'The connector desk does not know act:as:, act:by:ANALYST. Check the spelling.',
    ]);
  });

  it('gives no warning without scopes where a link asks for what the tools need', () => {
    expect(warningsOf(scopes())).toEqual([]);
  });

  it('tells what to tick without scopes where the provider grants what is ticked', () => {
    expect(warningsOf(scopes(), { scope_parameter: false })).toEqual([
      'It has no scopes. Desk grants what is ticked in the app there: tick what the tools need and name the same scopes here, so that a missing one is noticed. All together need ticket:read, ticket:write, person:read, offline_access.',
    ]);
  });

  it('expects no scope for refresh tokens where there are none', () => {
    expect(warningsOf(scopes('ticket:write', 'person:read'), { refresh_tokens: false })).toEqual([]);
  });

  it.each([
    [
      '',
      'Its redirect URI is not known here: with port 0 only the running server knows its port, and each start has another. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
    ],
    [
      'http://gate.example',
      'Its redirect URI begins with http:// and is not on loopback, which providers refuse. Set base_url (GATEHOUSE_BASE_URL) to an https address.',
    ],
    ['http://localhost:3000', undefined],
    ['http://127.0.0.1:3000', undefined],
    ['http://[::1]:3000', undefined],
  ])('checks the redirect URI at the base URL %j', (baseUrl, warning) => {
    expect(warningsOf({}, {}, { baseUrl })).toEqual(warning === undefined ? [] : [warning]);
  });

  it('names each address once that outbound calls may not reach, and none that only browsers open', () => {
    const isReachable = ({ protocol }: URL): boolean => protocol === 'https:';
    const row = overrides({
      base_url: 'http://127.0.0.1:4010',
      authorization_url: 'http://127.0.0.1:4011/authorize',
      token_url: 'http://127.0.0.1:4010/token',
      issuer: 'http://127.0.0.1:4012',
    });
    expect(warningsOf(row, {}, { isReachable })).toEqual([
      'Outbound calls may not reach 127.0.0.1:4010. Add it to outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS), or use a public https address.',
    ]);
  });

  it('names addresses of the connector that outbound calls may not reach, where it calls them', () => {
    const isReachable = ({ hostname }: URL): boolean => hostname === 'box.example';
    const hosts = (row: Partial<WarnedConnection>): string[] =>
      warningsOf(row, { revocation_url: 'https://old.desk.example/revoke' }, { isReachable }).map(
        (warning) => / reach (\S+)\./.exec(warning)?.[1] ?? warning,
      );
    expect(hosts({})).toEqual(['api.desk.example', 'desk.example', 'old.desk.example']);
    expect(hosts({ type: 'API_KEY', scopes: [] })).toEqual(['api.desk.example']);
    const consent = {
      authorization_url: 'https://box.example/authorize',
      token_url: 'https://box.example/token',
    };
    expect(hosts(overrides(consent))).toEqual(['api.desk.example']);
    expect(hosts(overrides({ ...consent, base_url: 'https://box.example' }))).toEqual([]);
  });

  it('gives a static type no warnings about clients, scopes and redirect URIs', () => {
    const row = {
      type: 'API_KEY',
      clientId: null,
      clientSecretSealed: null,
      scopes: [],
    } as const;
    expect(warningsOf(row, {}, { baseUrl: '' })).toEqual([]);
  });

  it('says that scopes have no effect where nobody is asked for any', () => {
    expect(warningsOf({ type: 'API_KEY', ...scopes('bogus') })).toEqual([
      'Its scopes have no effect: with API_KEY nobody is asked for any. Leave them out.',
    ]);
  });

  it('gives all warnings at once', () => {
    const row = { ...scopes('nothing'), clientId: null, ...overrides({ issuer: 'https://box.example' }) };
    expect(warningsOf(row, {}, { baseUrl: '' })).toHaveLength(6);
  });
});

describe('connection warnings: types without an app to consent to', () => {
  const machine = { token_url: 'http://login.desk.example/token', scopes: [], client_authentication: 'post' };
  const warned = (auth: object, row: Partial<WarnedConnection> = {}, isReachable = true): string[] => {
    const desk = {
      name: 'desk',
      title: 'Desk',
      hosts: [{ url: 'https://api.desk.example', placeholders: {} }],
      auth: [auth],
    } as unknown as Connector;
    const { type } = auth as { type: AuthorizationType };
    return connectionWarnings(
      { ...connection, scopes: [], type, ...row },
      {
        ...context,
        catalog: { connectors: new Map([['desk', desk]]), tools: new Map() },
        isReachable: (url) => isReachable || url.protocol === 'https:',
      },
    );
  };
  const bare = { clientId: null, clientSecretSealed: null };

  it.each([
    ['OAUTH_M2M', { type: 'OAUTH_M2M', oauth_m2m: machine }, bare, []],
    [
      'OAUTH_M2M with a private key',
      { type: 'OAUTH_M2M', oauth_m2m: { ...machine, client_authentication: 'private_key_jwt' } },
      { clientSecretSealed: null },
      [
        'It has no params.private_key, so no account can be used. Register a client with Desk and the public key, and set client_id and params.private_key.',
      ],
    ],
    [
      'SMART_FHIR of a public client',
      { type: 'SMART_FHIR', smart_fhir: { scopes: [], client_authentication: 'post' } },
      { clientSecretSealed: null },
      [],
    ],
    [
      'SMART_FHIR with a private key',
      { type: 'SMART_FHIR', smart_fhir: { scopes: [], client_authentication: 'private_key_jwt' } },
      { clientSecretSealed: null },
      [
        'It has no params.private_key, so no account can be connected. Register the public key with Desk, and set params.private_key.',
      ],
    ],
    [
      'BOARD_OAUTH1 with a token',
      { type: 'BOARD_OAUTH1', board_oauth1: { flow: 'token', authorization_url: 'https://desk.example/a' } },
      { clientSecretSealed: null },
      [],
    ],
    [
      'BOARD_OAUTH1 with signatures',
      { type: 'BOARD_OAUTH1', board_oauth1: { flow: 'oauth1', authorization_url: 'https://desk.example/a' } },
      { clientSecretSealed: null },
      [
        'It has no client_secret, which signs requests to Desk, so no account can be connected. Set client_secret.',
      ],
    ],
    [
      'WORKSPACE_DWD',
      { type: 'WORKSPACE_DWD', workspace_dwd: { token_url: 'https://login.desk.example/t', scopes: [] } },
      bare,
      [
        'It has no params.service_account_json, so no account can be used. Make a service account with Desk, let an administrator of the workspace authorize it for the scopes, and set its key file.',
      ],
    ],
    [
      'TRUSTED_IDP',
      { type: 'TRUSTED_IDP', trusted_idp: { sts_url: 'https://sts.{region}.example/' } },
      bare,
      [
        'It has no params.role_arn, so no account can be used. Make a role that trusts the issuer of this Gatehouse, and set its ARN.',
        'It has neither params.workgroup nor params.cluster, so no account can be connected. Set the one that Desk runs in.',
        'It has no params.database, so no account can be connected. Set the database of Desk.',
      ],
    ],
  ] as const)('warns of what is missing: %s', (_, auth, row, expected) => {
    expect(warned(auth, row)).toEqual(expected);
  });

  it('warns when the source of its token is out of reach', () => {
    const auth = { type: 'OAUTH_M2M', oauth_m2m: machine };
    expect(warned(auth, {}, false)).toEqual([
      'Outbound calls may not reach login.desk.example. Add it to outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS), or use a public https address.',
    ]);
    const overridden = overrides({ token_url: 'https://box.example/token' });
    expect(warned(auth, overridden, false)).toEqual([]);
  });
});
