/** Organizations and their members over REST (docs/contract.md#bodies). */
import { z } from '@hono/zod-openapi';
import { emailViolations } from '../../../core/email-address.ts';
import type { Members } from '../../../people/members.ts';
import type { Organizations } from '../../../people/organizations.ts';
import {
  MAX_ORGANIZATION_NAME_LENGTH,
  MAX_PERSON_NAME_LENGTH,
  organizationNameViolations,
  personViolations,
  ROLES,
} from '../../../people/people-rules.ts';
import type { Endpoints } from '../../api/endpoint.ts';
import { ResourceRoutes } from '../../api/resource-routes.ts';
import {
  createdAt,
  emptyAnswer,
  idParams,
  listed,
  pageAnswerShape,
  pageOf,
  pageShape,
  resourceId,
  ruled,
  shown,
  text,
  updatedAt,
} from '../../api/schemas.ts';

const path = '/api/v1/organizations';
const tag = 'Organizations';
const reading = { inOrganization: 'read' } as const;
const writing = { inOrganization: 'write' } as const;

const someName = text(MAX_ORGANIZATION_NAME_LENGTH, 'For people. Need not be unique.');
const name = ruled(someName, organizationNameViolations);

const personName = ruled(z.string().max(MAX_PERSON_NAME_LENGTH), (written) =>
  personViolations({ given_name: written }),
)
  .optional()
  .openapi({ description: 'One line. Default: empty.' });

/** An address to search for. Any text is valid; a text that is not an address finds nobody. */
export const someEmail = text(254, 'E-mail address. Stored in lower case.').openapi({
  example: 'ada@example.test',
});
const email = ruled(someEmail, (written) => emailViolations('', written));

/** Members of a person in requests. */
export const personShape = { email, given_name: personName, family_name: personName };

/** The role of a person in an organization. */
export const role = z.enum(ROLES).openapi({
  description:
    'member: own accounts. admin: also accounts, members and invitations of the organization. owner: also roles and deletion.',
});

/** Members of a person in every answer. */
export const personAnswerShape = {
  id: resourceId('usr_'),
  email: shown('E-mail address, in lower case.'),
  email_verified: z.boolean().openapi({ description: 'The person has proven that the address is theirs.' }),
  given_name: shown('May be empty.'),
  family_name: shown('May be empty.'),
  created_at: createdAt,
  updated_at: updatedAt,
};

const organization = z
  .object({
    id: resourceId('org_'),
    name: shown('Name for people.'),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .openapi('Organization', { description: 'A customer of the application.' });

const member = z
  .object({
    id: resourceId('mem_'),
    user_id: shown('The user, `usr_…`.'),
    email: shown('E-mail address, in lower case.'),
    given_name: shown('May be empty.'),
    family_name: shown('May be empty.'),
    role: z.enum(ROLES).openapi({ description: 'What the person may do in the organization.' }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .openapi('Member', { description: 'A person in an organization.' });

const memberParams = z.object({
  id: text(100, 'Id of the organization.'),
  user_id: text(100, 'Id of the user.'),
});

/** Services that the routes of organizations and their members use. */
export interface OrganizationServices {
  organizations: Pick<Organizations, 'list' | 'get' | 'create' | 'update' | 'remove'>;
  members: Pick<Members, 'list' | 'setRole' | 'remove'>;
}

/** Adds the routes of organizations and members. */
export function addOrganizationRoutes(endpoints: Endpoints, services: OrganizationServices): void {
  addOrganizations(endpoints, services);
  addMembers(endpoints, services);
}

function addOrganizations(endpoints: Endpoints, { organizations }: OrganizationServices): void {
  const routes = new ResourceRoutes(endpoints, {
    name: 'organization',
    item: organization,
    path,
    tag,
    access: reading,
  });
  routes.list(
    'List organizations, newest first. People see the one they are signed in to.',
    { query: z.strictObject({ name: someName.optional(), ...pageShape }) },
    async ({ caller, query }) => organizations.list(caller, { name: query.name }, pageOf(query)),
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary:
        'Create an organization with its first user, who owns it. The names of a user who exists stay.',
      access: { unbound: 'admin' },
      body: z.strictObject({
        name,
        user: z.strictObject(personShape).openapi({ description: 'Its first owner.' }),
      }),
      status: 201,
      answer: z.object({
        organization,
        user: z.object(personAnswerShape).openapi({ description: 'Its first owner.' }),
      }),
    },
    ({ caller, body, context }) => organizations.create(caller, body, context.visitor),
  );
  routes.get('Get an organization.', async (caller, id) => organizations.get(caller, id));
  routes.update(
    'Rename an organization. People need the role owner.',
    { access: writing, body: z.strictObject({ name: name.optional() }) },
    async (caller, id, body) => organizations.update(caller, id, body),
  );
  routes.remove(
    'Delete an organization with its memberships and invitations. Connected accounts stay. People need the role owner.',
    async (caller, id) => organizations.remove(caller, id),
    { access: writing },
  );
}

function addMembers(endpoints: Endpoints, { members }: OrganizationServices): void {
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}/members`,
      tag,
      summary: 'List members, newest first. People need the role admin.',
      access: reading,
      params: idParams,
      query: z.strictObject(pageShape),
      answer: z.object({ members: listed(member), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, params, query }) => members.list(caller, params.id, pageOf(query)),
  );
  endpoints.add(
    {
      method: 'patch',
      path: `${path}/{id}/members/{user_id}`,
      tag,
      summary: 'Change the role of a member. The last owner stays one. People need the role owner.',
      access: writing,
      params: memberParams,
      body: z.strictObject({ role }),
      answer: z.object({ member }),
      refusals: [404],
    },
    async ({ caller, params, body }) => ({
      member: await members.setRole(caller, { organizationId: params.id, userId: params.user_id }, body.role),
    }),
  );
  endpoints.add(
    {
      method: 'delete',
      path: `${path}/{id}/members/{user_id}`,
      tag,
      summary:
        'Remove a member, whose sessions in the organization end. People need the role admin, or leave themselves.',
      access: writing,
      params: memberParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await members.remove(caller, { organizationId: params.id, userId: params.user_id });
      return {};
    },
  );
}
