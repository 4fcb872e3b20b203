/** Connections over REST (docs/contract.md#bodies). The client secret is written and never shown. */
import { z } from '@hono/zod-openapi';
import type { Connections } from '../../connections/connections.ts';
import { AUTHORIZATION_TYPE_NAMES } from '../../authorization-types/index.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { ResourceRoutes } from '../api/resource-routes.ts';
import {
  anyObject,
  connectorName,
  managedByFile,
  resourceId,
  shown,
  storedObject,
  text,
  timestamp,
} from '../api/schemas.ts';

const clientId = text(4_096, 'Of the app registered with the provider.');
const clientSecret = z
  .string()
  .min(1)
  .max(4_096)
  .openapi({ writeOnly: true, description: 'Its secret. Stored sealed and never shown.' });
const redirectUrl = text(2_048, 'Where users go after verification.');

const address = (description: string) => text(2_048, description).optional();

/** Members of a connection that requests may set, when it is created and later. */
const commonShape = {
  name: connectorName.optional(),
  authorization_type: z
    .enum(AUTHORIZATION_TYPE_NAMES)
    .optional()
    .openapi({ description: 'Default: the first type of the connector.' }),
  scopes: z.array(text(256, 'A scope of the provider.')).max(500).optional().openapi({
    description: 'Scopes a link asks for; without any, those that the tools of the connector need.',
  }),
  params: storedObject.optional().openapi({
    description:
      'What the connector or type needs: tenant, domain, region. `private_key` and `service_account_json` are stored sealed in place of `client_secret` and never shown; null removes them. `rate_limit` (calls a minute of all its accounts together) and `timeout` (of a call, where the account has none) hold for every connector.',
  }),
  overrides: z
    .strictObject({
      base_url: address(
        'Origin in place of scheme, host and port of each host of the connector; paths stay.',
      ),
      authorization_url: address('Where the browser is sent for consent.'),
      request_token_url: address('Where a request token of OAuth 1.0a is issued.'),
      token_url: address('Where codes and refresh tokens are exchanged.'),
      issuer: address('What `iss` of a callback has to be.'),
      revocation_url: address('Where tokens are revoked.'),
    })
    .optional()
    .openapi({
      description:
        'Other endpoints: a sandbox, a proxy, a test double. With any of them, those of the connector that are not overridden are not called.',
    }),
};

const createBody = z.strictObject({
  ...commonShape,
  connector: text(100, "Name of the catalog's connector."),
  client_id: clientId.optional(),
  client_secret: clientSecret.optional(),
  post_user_verify_redirect_url: redirectUrl.optional(),
});

const patchBody = z.strictObject({
  ...commonShape,
  client_id: clientId.nullable().optional().openapi({ description: 'null removes it.' }),
  client_secret: clientSecret
    .nullable()
    .optional()
    .openapi({ writeOnly: true, description: 'null removes it.' }),
  post_user_verify_redirect_url: redirectUrl
    .nullable()
    .optional()
    .openapi({ description: 'null removes it.' }),
});

const connection = z
  .object({
    id: resourceId('conn_'),
    name: shown('Name of the connection; `connector` of accounts.'),
    connector: shown("Name of the catalog's connector."),
    authorization_type: z
      .string()
      .openapi({ enum: [...AUTHORIZATION_TYPE_NAMES], description: 'The way its accounts are connected.' }),
    client_id: z
      .string()
      .nullable()
      .openapi({ description: 'Of the app registered with the provider; null: none.' }),
    secret_set_at: timestamp
      .nullable()
      .openapi({ description: 'When the secret was given; null: no secret, or not known.' }),
    scopes: z
      .array(z.string())
      .openapi({ description: 'Scopes that a link asks for; empty: those that the tools need.' }),
    params: anyObject.openapi({ description: 'What the connector or type needs, without secrets.' }),
    overrides: z
      .record(z.string(), z.string())
      .openapi({ description: 'Endpoints in place of those of the connector.' }),
    post_user_verify_redirect_url: z
      .string()
      .nullable()
      .openapi({ description: 'Where users go after verification; null: a page of Gatehouse.' }),
    redirect_uri: z.string().openapi({ description: 'To be registered with the provider.' }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'What does not work as it is, and what to do about it.' }),
    managed_by_file: managedByFile,
  })
  .openapi('Connection', { description: 'A connector, set up for use.' });

export interface ConnectionServices {
  pageTokens: PageTokens;
  connections: Pick<Connections, 'list' | 'get' | 'create' | 'update' | 'remove'>;
}

/** Adds the routes of connections. */
export function addConnectionRoutes(
  endpoints: Endpoints,
  { connections, pageTokens }: ConnectionServices,
): void {
  const routes = new ResourceRoutes(endpoints, {
    name: 'connection',
    item: connection,
    path: '/api/v1/connections',
    tag: 'Connections',
    access: { unbound: 'admin' },
    params: z.object({ id: text(400, 'Id or name of the connection.') }),
  });
  routes.wholeList('List connections.', pageTokens, async ({ environmentId }) =>
    connections.list(environmentId),
  );
  routes.create('Create a connection.', { body: createBody, refusals: [409] }, async ({ caller, body }) =>
    connections.create(caller, body),
  );
  routes.get('Get a connection.', async ({ environmentId }, id) => connections.get(environmentId, id));
  routes.update(
    'Change what is given of a connection; null removes a value.',
    { body: patchBody, refusals: [404, 409] },
    async (caller, id, body) => connections.update(caller, id, body),
  );
  routes.remove('Delete a connection that no account uses.', async (caller, id) =>
    connections.remove(caller, id),
  );
}
