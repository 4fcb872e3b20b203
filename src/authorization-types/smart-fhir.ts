/** SMART_FHIR: SMART App Launch. Its endpoints are discovered from the connector's first host, the FHIR base. */
import type * as z from 'zod';
import { defaultScopeFaults, ownParameterFaults } from './block-faults.ts';
import { clientAuthentication, parameters, scopes, word } from './block-shapes.ts';
import { AUTHORIZATION_PARAMETERS, noClientWarning, registerApp } from './consent-facts.ts';
import { bringsToken, OAUTH_TOKEN } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

declare module './credentials.ts' {
  interface InternalDetails {
    /** Launch context of SMART_FHIR, e.g. `patient`. */
    launch?: Record<string, string>;
  }
}

const block = (z: Zod) =>
  z.strictObject({
    scopes: scopes(z),
    endpoint_origins: z
      .array(
        word(
          z,
          /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/,
          'an origin such as https://login.example.com',
          'An origin.',
        ),
      )
      .min(1)
      .max(10)
      .optional()
      .describe(
        'Origins that the discovered endpoints must be at; people are shown the first. Left out: the origin of the FHIR base.',
      ),
    client_authentication: clientAuthentication(z),
    authorize_parameters: parameters(z, 'Sent with every authorization request.'),
  });

/** The facts of SMART_FHIR. */
export const smartFhir = {
  block,
  provider: 'api',
  purpose: 'what the discovered endpoints are asked for',
  faults: (rules, described) => [
    ...ownParameterFaults('authorize_parameters', rules.authorize_parameters, [
      ...AUTHORIZATION_PARAMETERS,
      'aud',
    ]),
    ...defaultScopeFaults(rules.scopes, described),
  ],
  fields: [],
  credentials: OAUTH_TOKEN,
  missing: ({ details }) => (bringsToken(details) ? [] : ['oauth_token.access_token']),
  readOnlyConfig: ['launch'],
  obtainedConfig: ({ launch }) => (launch === undefined ? {} : { launch }),
  secretParam: ({ client_authentication: method }) =>
    method === 'private_key_jwt' ? 'private_key' : undefined,
  setUp: ({ rules, title, create }) =>
    rules.client_authentication === 'private_key_jwt'
      ? `The operator runs ${create}, which shows the redirect URI, registers it and a public key with ${title}, and then adds the client id, and private_key in --params; or declares the connection in gatehouse.yaml.`
      : registerApp({ title, create }),
  warnings({ rules, title, connection }) {
    if (!connection.hasClientId) return [noClientWarning(title)];
    return rules.client_authentication === 'private_key_jwt' && !connection.hasSecret
      ? [
          `It has no params.private_key, so no account can be connected. Register the public key with ${title}, and set params.private_key.`,
        ]
      : [];
  },
  isByConsent: true,
} satisfies AuthorizationTypeFacts<z.output<ReturnType<typeof block>>>;
