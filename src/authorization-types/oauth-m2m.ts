/** OAUTH_M2M: an access token for client credentials (RFC 6749 section 4.4), of the account's own client or the connection's. */
import type * as z from 'zod';
import { defaultScopeFaults, ownParameterFaults, scopeNameFaults } from './block-faults.ts';
import {
  clientAuthentication,
  parameters,
  placeholders,
  scopeNames,
  scopes,
  scopeSeparator,
  webUrl,
} from './block-shapes.ts';
import { missingFields, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

const block = (z: Zod) =>
  z.strictObject({
    token_url: webUrl(z, 'Where access tokens are issued for client credentials.'),
    placeholders: placeholders(z),
    scopes: scopes(z),
    scope_separator: scopeSeparator(z, ' '),
    scope_names: scopeNames(z),
    audience: z
      .string()
      .min(1)
      .optional()
      .describe('Parameter audience of the token request; params.audience of a connection goes before it.'),
    token_parameters: parameters(z, 'Sent with every token request.'),
    client_authentication: clientAuthentication(z),
  });

type Rules = z.output<ReturnType<typeof block>>;

/** Parameters of a token request that only Gatehouse sets. */
const OWN_PARAMETERS = [
  'audience',
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'grant_type',
  'scope',
];

function isSigning({ client_authentication: method }: Rules): boolean {
  return method === 'private_key_jwt';
}

/** The facts of OAUTH_M2M. */
export const oauthM2m = {
  block,
  purpose: 'where a token for client credentials comes from',
  addresses: ['token_url'],
  faults: (rules, described) => [
    ...ownParameterFaults('token_parameters', rules.token_parameters, OWN_PARAMETERS),
    ...scopeNameFaults(rules.scope_names, described),
    ...defaultScopeFaults(rules.scopes, described),
  ],
  fields: ['client_id', 'client_secret'],
  needsNoOperator: (rules) => !isSigning(rules),
  credentials: STATIC_AUTH,
  missing: ({ rules, details, connection }) =>
    connection.hasClientId && connection.hasSecret
      ? []
      : missingFields(details, ['client_id', isSigning(rules) ? 'private_key' : 'client_secret']),
  secretParam: (rules) => (isSigning(rules) ? 'private_key' : undefined),
  setUp: ({ title, create }) =>
    `The operator registers a client and its public key with ${title} and runs ${create} with --client-id, and private_key in --params, or declares the connection in gatehouse.yaml.`,
  warnings({ rules, title, connection: { hasClientId, hasSecret } }) {
    if (!isSigning(rules) || (hasClientId && hasSecret)) return [];
    return [
      `It has no ${hasClientId ? 'params.private_key' : 'client_id'}, so no account can be used. Register a client with ${title} and the public key, and set client_id and params.private_key.`,
    ];
  },
} satisfies AuthorizationTypeFacts<Rules>;
