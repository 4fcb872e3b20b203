/** OAUTH: a consent with an authorization code (RFC 6749 section 4.1), for the client of a connection. */
import type * as z from 'zod';
import { ownParameterFaults, scopeNameFaults } from './block-faults.ts';
import { parameters, placeholders, scopeNames, scopeSeparator, webUrl } from './block-shapes.ts';
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

/** The facts of OAUTH. */
export const oauth = {
  block,
  provider: 'api',
  purpose: 'where and how consent is asked for',
  addresses: ['authorization_url', 'token_url', 'revocation_url', 'issuer'],
  faults(rules, described) {
    const { offline_scope: offline } = rules;
    return [
      ...ownParameterFaults('authorize_parameters', rules.authorize_parameters, AUTHORIZATION_PARAMETERS),
      ...(rules.revocation !== 'none' && rules.revocation_url === undefined
        ? [{ path: ['revocation'], message: 'needs revocation_url' }]
        : []),
      ...scopeNameFaults(rules.scope_names, described),
      ...(offline !== undefined && !Object.hasOwn(described, offline)
        ? [{ path: ['offline_scope'], message: `names ${offline}, which is not in scopes` }]
        : []),
    ];
  },
  fields: [],
  credentials: OAUTH_TOKEN,
  missing: ({ details }) => (bringsToken(details) ? [] : ['oauth_token.access_token']),
  setUp: registerApp,
  warnings: ({ title, connection }) => clientWarnings(title, connection),
  isByConsent: true,
  grantsTickedScopes: ({ scope_parameter: isSent }) => !isSent,
} satisfies AuthorizationTypeFacts<z.output<ReturnType<typeof block>>>;
