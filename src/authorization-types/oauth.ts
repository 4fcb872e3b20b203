/** OAUTH: a consent with an authorization code (RFC 6749 section 4.1), for the client of a connection. */
import type * as z from 'zod';
import { ownParameterFaults, scopeNameFaults, type BlockFault } from './block-faults.ts';
import { metadata, parameters, placeholders, scopeNames, scopeSeparator, webUrl } from './block-shapes.ts';
import { AUTHORIZATION_PARAMETERS, clientWarnings, registerApp } from './consent-facts.ts';
import { bringsToken, OAUTH_TOKEN } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

const block = (z: Zod) =>
  z.strictObject({
    authorization_url: webUrl(
      z,
      'Where the browser goes for consent; {placeholders} are filled like those of hosts.',
    ),
    token_url: webUrl(z, 'Where codes and refresh tokens are exchanged.'),
    revocation_url: webUrl(z, 'Where tokens are revoked (RFC 7009).').optional(),
    issuer: webUrl(
      z,
      'The iss that callbacks carry (RFC 9207). Left out: the origin of authorization_url.',
    ).optional(),
    placeholders: placeholders(z),
    pkce: z.boolean().default(true).describe('Whether a code challenge (S256) is sent.'),
    authorize_parameters: parameters(z, 'Sent with every authorization request, e.g. access_type: offline.'),
    scope_parameter: z
      .boolean()
      .default(true)
      .describe('false: the provider grants what is ticked in the registered app; no scope is sent.'),
    scope_separator: scopeSeparator(z, ' '),
    scope_names: scopeNames(z),
    client_authentication: z
      .enum(['post', 'basic'])
      .default('post')
      .describe('Client secret in the form (post) or in the Authorization header (basic).'),
    token_body: z
      .literal('json')
      .optional()
      .describe('Requests to token_url and revocation_url are JSON. Left out: a form (RFC 6749).'),
    metadata: metadata(z),
    refresh_tokens: z
      .boolean()
      .default(true)
      .describe('false: tokens come without a refresh token and cannot be renewed.'),
    offline_scope: z.string().min(1).optional().describe('Scope without which no refresh token comes.'),
    revocation: z
      .enum(['none', 'token', 'grant'])
      .default('none')
      .describe('What revoking a token ends: this token alone, or the whole grant of the person to the app.'),
  });

type Rules = z.output<ReturnType<typeof block>>;

/** Members of a token reply that are secret, or that Gatehouse reads itself. */
const OWN_MEMBERS = ['access_token', 'refresh_token', 'id_token', 'token_type', 'expires_in', 'scope'];

/** Parameters of a callback that are secret, or that Gatehouse reads itself. */
const CALLBACK_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description'];

/** Names of api_config that mean something else in every account. */
const CALL_SETTINGS = ['rate_limit', 'timeout', 'endpoint'];

/** The values that the provider says of an account while it is connected, each with its place below the block. */
function metadataNames({ metadata: { token, callback, request } = {} }: Rules): [string[], string][] {
  const places = [
    [['token'], token],
    [['callback'], callback],
    [['request', 'values'], request?.values],
  ] as const;
  return places.flatMap(([place, values = {}]) =>
    Object.keys(values).map((name): [string[], string] => [['metadata', ...place], name]),
  );
}

function ownPlaceFaults(
  key: string,
  values: Readonly<Record<string, string>>,
  own: readonly string[],
): BlockFault[] {
  return Object.entries(values)
    .filter(([, at]) => own.includes(at.split('.')[0] ?? ''))
    .map(([name, at]) => ({
      path: ['metadata', key, name],
      message: `${at} is a secret, or read by Gatehouse itself`,
    }));
}

function metadataFaults(rules: Rules): BlockFault[] {
  const { metadata: { token = {}, callback = {}, request } = {}, placeholders: own = {} } = rules;
  const names = metadataNames(rules);
  return [
    ...names.flatMap(([place, name], i) => {
      const path = [...place, name];
      if (CALL_SETTINGS.includes(name))
        return [{ path, message: `${name} is a setting of every account: take another name` }];
      if (names.findIndex(([, other]) => other === name) !== i)
        return [{ path, message: `${name} is declared twice` }];
      // The host of the consent page is decided before the provider says anything.
      return Object.hasOwn(own, name)
        ? [{ path, message: 'comes too late for an address of this block: take another name' }]
        : [];
    }),
    ...ownPlaceFaults('token', token, OWN_MEMBERS),
    ...ownPlaceFaults('callback', callback, CALLBACK_PARAMETERS),
    ...(request?.where !== undefined && request.list === undefined
      ? [{ path: ['metadata', 'request', 'where'], message: 'needs list' }]
      : []),
  ];
}

/** The facts of OAUTH. */
export const oauth = {
  block,
  provider: 'api',
  purpose: 'where and how consent is asked for',
  addresses: ['authorization_url', 'token_url', 'revocation_url', 'issuer', 'metadata.request.url'],
  faults(rules, described) {
    const { offline_scope: offline } = rules;
    return [
      ...ownParameterFaults('authorize_parameters', rules.authorize_parameters, AUTHORIZATION_PARAMETERS),
      ...(rules.revocation !== 'none' && rules.revocation_url === undefined
        ? [{ path: ['revocation'], message: 'needs revocation_url' }]
        : []),
      ...scopeNameFaults(rules.scope_names, described),
      ...metadataFaults(rules),
      ...(offline !== undefined && !Object.hasOwn(described, offline)
        ? [{ path: ['offline_scope'], message: `names ${offline}, which is not in scopes` }]
        : []),
    ];
  },
  metadata: (rules) => metadataNames(rules).map(([, name]) => name),
  fields: [],
  attach: 'token',
  credentials: OAUTH_TOKEN,
  missing: ({ details }) => (bringsToken(details) ? [] : ['oauth_token.access_token']),
  setUp: registerApp,
  warnings: ({ title, connection }) => clientWarnings(title, connection),
  isByConsent: true,
  grantsTickedScopes: ({ scope_parameter: isSent }) => !isSent,
} satisfies AuthorizationTypeFacts<Rules>;
