/** BOARD_OAUTH1: a token from the fragment of the callback, or OAuth 1.0a with signed requests (RFC 5849). */
import type * as z from 'zod';
import { defaultScopeFaults, ownParameterFaults } from './block-faults.ts';
import { parameters, placeholders, scopes, scopeSeparator, webUrl } from './block-shapes.ts';
import { noClientWarning, registerApp } from './consent-facts.ts';
import { isFilled, OAUTH_TOKEN } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

declare module './credentials.ts' {
  interface InternalDetails {
    /** Secret of an OAuth 1.0a access token (BOARD_OAUTH1). */
    token_secret?: string;
  }
}

const block = (z: Zod) =>
  z.strictObject({
    flow: z
      .enum(['token', 'oauth1'])
      .describe(
        'token: the token comes in the fragment of the callback. oauth1: OAuth 1.0a with signed requests.',
      ),
    authorization_url: webUrl(z, 'Where the browser goes for consent.'),
    request_token_url: webUrl(z, 'Where a request token is issued; for oauth1.').optional(),
    access_token_url: webUrl(z, 'Where it is exchanged for an access token; for oauth1.').optional(),
    placeholders: placeholders(z),
    scopes: scopes(z),
    scope_separator: scopeSeparator(z, ','),
    authorize_parameters: parameters(z, 'Sent with every authorization request, e.g. expiration: never.'),
    attach: z
      .enum(['query', 'header'])
      .default('query')
      .describe('Where key and token of the flow token go. oauth1 always signs in the header.'),
  });

type Rules = z.output<ReturnType<typeof block>>;

/** Parameters of the authorization page that only Gatehouse sets. */
const OWN_PARAMETERS = [
  'callback_method',
  'key',
  'name',
  'oauth_token',
  'response_type',
  'return_url',
  'scope',
];

/** Whether requests are signed with a secret that belongs to the token. */
function isSigned({ flow }: Rules): boolean {
  return flow === 'oauth1';
}

/** The facts of BOARD_OAUTH1. */
export const boardOauth1 = {
  block,
  provider: 'api',
  purpose: 'where and how a token is asked for',
  isBlockLast: true,
  addresses: ['authorization_url', 'request_token_url', 'access_token_url'],
  faults: (rules, described) => [
    ...ownParameterFaults('authorize_parameters', rules.authorize_parameters, OWN_PARAMETERS),
    ...defaultScopeFaults(rules.scopes, described),
    ...(['request_token_url', 'access_token_url'] as const).flatMap((key) => {
      if (isSigned(rules) && rules[key] === undefined)
        return [{ path: [], message: `the flow oauth1 needs ${key}` }];
      if (!isSigned(rules) && rules[key] !== undefined)
        return [{ path: [key], message: 'is for the flow oauth1 only: remove it' }];
      return [];
    }),
  ],
  fields: [],
  credentials: OAUTH_TOKEN,
  consentOnly: (rules) =>
    isSigned(rules)
      ? {
          access_token:
            'A token of OAuth 1.0a cannot be used without its secret, which only comes with consent. Connect the account with a link.',
        }
      : {},
  missing({ rules, details }) {
    const lacksSecret = isSigned(rules) && !isFilled(details.internal?.token_secret);
    return isFilled(details.oauth_token?.access_token) && !lacksSecret ? [] : ['oauth_token.access_token'];
  },
  setUp: registerApp,
  warnings({ rules, title, connection }) {
    if (!connection.hasClientId) return [noClientWarning(title)];
    return isSigned(rules) && !connection.hasSecret
      ? [
          `It has no client_secret, which signs requests to ${title}, so no account can be connected. Set client_secret.`,
        ]
      : [];
  },
  isByConsent: true,
} satisfies AuthorizationTypeFacts<Rules>;
