/** The blocks of an `auth` entry, one for each authorization type that needs more than a form: closed shapes of connector.yaml. */
import * as z from 'zod';
import { word } from './file-words.ts';

/** Name of a placeholder of addresses. */
export const placeholderName = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case letters, digits and _' });

/** An address that may have placeholders. */
export const webUrl = (meaning: string) =>
  word(/^https?:\/\/[^/?#@\\\s]+(\/[^#\\\s]*)?$/, 'a web address without user name and fragment', meaning);

/** For each placeholder of addresses that no host has, its pattern. */
export const placeholders = z
  .record(placeholderName, z.string())
  .optional()
  .describe(
    'For each placeholder that no host has the regular expression that the whole value has to match.',
  );

/** What the provider calls our scopes. */
export const scopeNames = z
  .record(z.string().min(1), z.string().regex(/^[!-~]+$/, { error: 'must be text without blanks' }))
  .optional()
  .describe('What the provider calls a scope that the catalog names otherwise, by our name.');

const scopes = z
  .array(z.string().min(1))
  .default([])
  .describe('Scopes asked for where a connection chooses none; each has to be in the scopes of the entry.');

const parameters = (meaning: string) => z.record(z.string().min(1), z.string()).default({}).describe(meaning);

const clientAuthentication = z
  .enum(['post', 'basic', 'private_key_jwt'])
  .default('post')
  .describe(
    'Client secret in the form (post) or in the Authorization header (basic), or a JWT signed with the private key of the connection (private_key_jwt).',
  );

const scopeSeparator = z.enum([' ', ',']).default(' ');

/** OAUTH_M2M. */
export const machineBlock = z.strictObject({
  token_url: webUrl('Where access tokens are issued for client credentials.'),
  placeholders,
  scopes,
  scope_separator: scopeSeparator,
  scope_names: scopeNames,
  audience: z
    .string()
    .min(1)
    .optional()
    .describe('Parameter audience of the token request; params.audience of a connection goes before it.'),
  token_parameters: parameters('Sent with every token request.'),
  client_authentication: clientAuthentication,
});

/** WORKSPACE_DWD. */
export const delegationBlock = z.strictObject({
  token_url: webUrl('Where the assertion is exchanged; also its audience.'),
  placeholders,
  scopes,
  scope_names: scopeNames,
});

/** TRUSTED_IDP. */
export const federationBlock = z.strictObject({
  sts_url: webUrl('Endpoint of the security token service, e.g. https://sts.{region}.amazonaws.com/.'),
  placeholders,
  region: z
    .string()
    .regex(/^[a-z0-9-]+$/, { error: 'must be a region such as eu-west-1' })
    .optional()
    .describe('Region requests are signed for. Left out: the value of the placeholder region.'),
  service: word(/^[a-z0-9-]+$/, 'a service name such as redshift-data', 'Service requests are signed for.'),
  audience: z
    .string()
    .min(1)
    .default('sts.amazonaws.com')
    .describe('Audience of the token that is exchanged.'),
  duration_seconds: z
    .int()
    .min(900)
    .max(43_200)
    .default(3_600)
    .describe('Lifetime of the temporary credentials.'),
});

/** SMART_FHIR. */
export const smartBlock = z.strictObject({
  scopes,
  endpoint_origins: z
    .array(
      word(/^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/, 'an origin such as https://login.example.com', 'An origin.'),
    )
    .min(1)
    .max(10)
    .optional()
    .describe(
      'Origins at which the discovered endpoints have to be; people are told the first. Left out: the origin of the FHIR base.',
    ),
  client_authentication: clientAuthentication,
  authorize_parameters: parameters('Sent with every authorization request.'),
});

/** BOARD_OAUTH1. */
export const boardBlock = z.strictObject({
  flow: z
    .enum(['token', 'oauth1'])
    .describe(
      'token: the token comes in the fragment of the callback. oauth1: OAuth 1.0a with signed requests.',
    ),
  authorization_url: webUrl('Where the browser goes for consent.'),
  request_token_url: webUrl('Where a request token is issued; for oauth1.').optional(),
  access_token_url: webUrl('Where it is exchanged for an access token; for oauth1.').optional(),
  placeholders,
  scopes,
  scope_separator: z.enum([' ', ',']).default(','),
  authorize_parameters: parameters('Sent with every authorization request, e.g. expiration: never.'),
  attach: z
    .enum(['query', 'header'])
    .default('query')
    .describe('Where key and token of the flow token go. oauth1 always signs in the header.'),
});
