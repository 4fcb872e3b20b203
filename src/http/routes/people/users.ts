/** People of an environment over REST. Only `gatehouse users` can mark operators. */
import { z } from '@hono/zod-openapi';
import { ROLES } from '../../../people/people-rules.ts';
import type { Users } from '../../../people/users.ts';
import type { Endpoints } from '../../api/endpoint.ts';
import { ResourceRoutes } from '../../api/resource-routes.ts';
import { emptyAnswer, idParams, pageOf, pageShape, shown, text } from '../../api/schemas.ts';
import { personAnswerShape, personShape, role, someEmail } from './organizations.ts';

const path = '/api/v1/users';
const tag = 'Users';
const access = { unbound: 'admin' } as const;

const user = z
  .object({
    ...personAnswerShape,
    is_operator: z.boolean().openapi({ description: 'May administer the environment.' }),
    memberships: z
      .array(
        z.object({
          organization_id: shown('The organization, `org_…`.'),
          role: z.enum(ROLES).openapi({ description: 'What the person may do in it.' }),
        }),
      )
      .openapi({ description: 'The organizations that the person belongs to.' }),
  })
  .openapi('User', { description: 'A person who can sign in.' });

/** Services that the routes of users use. */
export interface UserServices {
  users: Pick<Users, 'list' | 'get' | 'create' | 'update' | 'remove' | 'unbind'>;
}

/** Adds the routes of users. */
export function addUserRoutes(endpoints: Endpoints, { users }: UserServices): void {
  const routes = new ResourceRoutes(endpoints, { name: 'user', item: user, path, tag, access });
  routes.list(
    'List users, newest first.',
    { query: z.strictObject({ email: someEmail.optional(), ...pageShape }) },
    async ({ caller, query }) => users.list(caller, { email: query.email }, pageOf(query)),
  );
  routes.create(
    'Create a user, as a member of an organization where one is named.',
    {
      body: z.strictObject({
        ...personShape,
        organization_id: text(100, 'Makes the user a member of it.').optional(),
        role: role.optional(),
      }),
      refusals: [404, 409],
    },
    async ({ caller, body }) => users.create(caller, body),
  );
  routes.get('Get a user.', async (caller, id) => users.get(caller, id));
  routes.update(
    'Change what is given of a user. A new address counts as not verified and ends the sessions.',
    {
      body: z.strictObject({ ...personShape, email: personShape.email.optional() }),
      refusals: [404, 409],
    },
    async (caller, id, body) => users.update(caller, id, body),
  );
  routes.remove(
    'Delete a user, whose sessions end. The only owner of an organization stays. Connected accounts stay.',
    async (caller, id) => users.remove(caller, id),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}:unbind`,
      tag,
      summary:
        'Forget who a user is at identity providers. Their sessions end, and the next sign-in with their address is bound.',
      access,
      params: idParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await users.unbind(caller, params.id);
      return {};
    },
  );
}
