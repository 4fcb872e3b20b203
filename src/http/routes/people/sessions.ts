/** Sessions of people over REST (docs/contract.md#bodies). Only the reply that begins a session shows its tokens. */
import { z } from '@hono/zod-openapi';
import type { ApiSessions } from '../../../authorization-server/api-sessions.ts';
import type { Endpoints } from '../../api/endpoint.ts';
import { ResourceRoutes } from '../../api/resource-routes.ts';
import {
  anyObject,
  createdAt,
  pageOf,
  pageShape,
  resourceId,
  shown,
  text,
  timestamp,
} from '../../api/schemas.ts';
import { SESSION_KINDS } from '../../../core/stored-words.ts';

const path = '/api/v1/sessions';
const tag = 'Sessions';

const userId = text(100, 'Id of the user, `usr_…`.');
const organizationId = text(100, 'Id of an organization of the user, `org_…`.');

const session = z
  .object({
    id: resourceId('ses_'),
    kind: z.enum(SESSION_KINDS).openapi({ description: 'How it was made.' }),
    user_id: shown('The user.'),
    organization_id: z.string().openapi({ description: 'Empty without one.' }),
    client_id: z.string().openapi({ description: 'Who holds the tokens; empty for a browser.' }),
    resource: z.string().openapi({ description: 'The audience of the tokens; empty for a browser.' }),
    custom_claims: anyObject.openapi({ description: 'What interceptors added.' }),
    device: z
      .object({
        browser: shown('Such as Chrome.').optional(),
        system: shown('Such as Linux.').optional(),
        city: shown('As the proxy says.').optional(),
        region: shown('ISO 3166-1 alpha-2, as the proxy says.').optional(),
      })
      .openapi({ description: 'Where it began; what the visitor says, and no proof.' }),
    status: z
      .enum(['active', 'expired', 'ended'])
      .openapi({ description: 'Tokens of an active session only are accepted.' }),
    created_at: createdAt,
    expires_at: timestamp.openapi({ description: 'When it ends by itself.' }),
    ended_at: timestamp.nullable().openapi({ description: 'When it was ended; null: it was not.' }),
  })
  .openapi('Session', { description: 'A signed-in person.' });

const newSession = z.object({
  session,
  access_token: shown('A token that stands for the user.'),
  refresh_token: z
    .string()
    .openapi({ description: 'For the token endpoint, with the credential that made the session.' }),
  token_type: z.literal('Bearer').openapi({ description: 'Always Bearer.' }),
  expires_in: z.number().int().openapi({ description: 'Seconds.' }),
});

/** Services that the routes of sessions use. */
export interface SessionServices {
  apiSessions: Pick<ApiSessions, 'list' | 'get' | 'create' | 'end'>;
}

/** Adds the routes of sessions. A credential bound to an organization only sees the sessions in it. */
export function addSessionRoutes(endpoints: Endpoints, { apiSessions }: SessionServices): void {
  const routes = new ResourceRoutes(endpoints, {
    name: 'session',
    item: session,
    path,
    tag,
    access: 'admin',
  });
  routes.list(
    'List sessions, newest first, ended ones too.',
    {
      query: z.strictObject({
        user_id: userId.optional(),
        organization_id: organizationId.optional(),
        ...pageShape,
      }),
      refusals: [404],
    },
    async ({ caller, query: { page_size, page_token, ...filter } }) =>
      apiSessions.list(caller, filter, pageOf({ page_size, page_token })),
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary:
        'Begin a session of a user and get tokens that stand for them. They never have the scope admin.',
      access: { machine: 'admin' },
      body: z.strictObject({
        user_id: userId,
        organization_id: organizationId.optional(),
        resource: text(2_048, '`{base_url}/mcp` (default) or `{base_url}/api`.').optional(),
      }),
      status: 201,
      answer: newSession,
      refusals: [404],
    },
    ({ caller, body, context }) => apiSessions.create(caller, body, context.visitor),
  );
  routes.get('Get a session.', async (caller, id) => apiSessions.get(caller, id));
  routes.remove('End a session. Its tokens are refused within 5 s.', async (caller, id) =>
    apiSessions.end(caller, id),
  );
}
