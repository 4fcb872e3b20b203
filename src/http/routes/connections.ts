/** Connections over REST (contract section 13). The client secret is written and never shown. */
import { z } from '@hono/zod-openapi';
import type { Connections } from '../../accounts/connections.ts';
import { AUTHORIZATION_TYPES } from '../../catalog/types.ts';
import type { Endpoints } from '../endpoint.ts';
import { anyObject, connectorName, emptyAnswer, pageAnswerShape, storedObject, text } from '../schemas.ts';

const path = '/api/v1/connections';
const tag = 'Connections';

const connectionShape = {
  name: connectorName.optional(),
  connector: text(100, "Name of the catalog's connector."),
  authorization_type: z.enum(AUTHORIZATION_TYPES).optional(),
  client_id: text(2_000, 'Of the app registered with the provider.').optional(),
  client_secret: z.string().min(1).max(65_536).optional().openapi({ writeOnly: true }),
  scopes: z.array(text(500, 'A scope of the provider.')).max(500).optional(),
  params: storedObject
    .optional()
    .openapi({ description: 'What the connector or type needs: tenant, domain, region.' }),
  overrides: z.record(z.string(), z.string().max(2_048)).optional().openapi({
    description: 'Other endpoints: base_url, authorization_url, token_url, issuer, revocation_url.',
  }),
  post_user_verify_redirect_url: text(2_048, 'Where users go after verification.').optional(),
};

const { connector: _connector, ...changeable } = connectionShape;

const connection = z
  .object({
    id: z.string().openapi({ example: 'conn_01kaghg4w0v8j3d9c2n5r7t1xz' }),
    name: z.string(),
    connector: z.string(),
    authorization_type: z.string(),
    client_id: z.string().nullable(),
    scopes: z.array(z.string()),
    params: anyObject,
    overrides: z.record(z.string(), z.string()),
    post_user_verify_redirect_url: z.string().nullable(),
    redirect_uri: z.string().openapi({ description: 'To be registered with the provider.' }),
    warnings: z.array(z.string()),
    managed_by_file: z.boolean(),
  })
  .openapi('Connection');

const connectionAnswer = z.object({ connection });
const connectionParams = z.object({ id: text(400, 'Id or name of the connection.') });

export interface ConnectionServices {
  connections: Pick<Connections, 'list' | 'get' | 'create' | 'update' | 'remove'>;
}

/** Adds the routes of connections. */
export function addConnectionRoutes(endpoints: Endpoints, { connections }: ConnectionServices): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List connections.',
      access: { unbound: 'admin' },
      answer: z.object({ connections: z.array(connection), ...pageAnswerShape }),
    },
    async ({ caller }) => {
      const found = await connections.list(caller.environmentId);
      return { connections: found, next_page_token: '', prev_page_token: '', total_size: found.length };
    },
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary: 'Create a connection.',
      access: { unbound: 'admin' },
      body: z.strictObject(connectionShape),
      status: 201,
      answer: connectionAnswer,
      refusals: [409],
    },
    async ({ caller, body }) => ({ connection: await connections.create(caller, body) }),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}`,
      tag,
      summary: 'Get a connection.',
      access: { unbound: 'admin' },
      params: connectionParams,
      answer: connectionAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => ({ connection: await connections.get(caller.environmentId, params.id) }),
  );
  endpoints.add(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tag,
      summary: 'Change what is given of a connection.',
      access: { unbound: 'admin' },
      params: connectionParams,
      body: z.strictObject(changeable),
      answer: connectionAnswer,
      refusals: [404, 409],
    },
    async ({ caller, params, body }) => ({ connection: await connections.update(caller, params.id, body) }),
  );
  endpoints.add(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tag,
      summary: 'Delete a connection that no account uses.',
      access: { unbound: 'admin' },
      params: connectionParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await connections.remove(caller, params.id);
      return {};
    },
  );
}
