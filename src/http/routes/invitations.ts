/** Invitations to an organization over REST (docs/contract.md#bodies). */
import { z } from '@hono/zod-openapi';
import type { Invitations } from '../../people/invitations.ts';
import { ROLES } from '../../people/people-rules.ts';
import type { Endpoints } from '../api/endpoint.ts';
import {
  emptyAnswer,
  idParams,
  pageAnswerShape,
  pageOf,
  pageShape,
  text,
  timestamp,
} from '../api/schemas.ts';
import { personShape, role } from './organizations.ts';

const path = '/api/v1/organizations/{id}/invitations';
const tag = 'Organizations';

const invitationShape = {
  id: z.string().openapi({ example: 'inv_01kaghg4w0v8j3d9c2n5r7t1xz' }),
  organization_id: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
  invited_by: z.string(),
  created_at: timestamp,
  expiry: timestamp,
};

const invitation = z.object(invitationShape).openapi('Invitation');

const newInvitation = z
  .object({
    ...invitationShape,
    link: z
      .string()
      .optional()
      .openapi({ description: 'Only where no mail server is set: give it to the person. Shown once.' }),
  })
  .openapi('NewInvitation');

const invitationParams = z.object({
  id: text(100, 'Id of the organization.'),
  invitation_id: text(100, 'Id of the invitation.'),
});

/** Services that the routes of invitations use. */
export interface InvitationServices {
  invitations: Pick<Invitations, 'list' | 'create' | 'revoke'>;
}

/** Adds the routes of invitations. */
export function addInvitationRoutes(endpoints: Endpoints, { invitations }: InvitationServices): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List invitations, newest first. People need the role admin.',
      access: { inOrganization: 'accounts:read' },
      params: idParams,
      query: z.strictObject(pageShape),
      answer: z.object({ invitations: z.array(invitation), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, params, query }) => invitations.list(caller, params.id, pageOf(query)),
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary:
        'Invite somebody. An earlier invitation of the same address ends. People need the role admin, and owner for other roles than member.',
      access: { inOrganization: 'accounts:write' },
      params: idParams,
      body: z.strictObject({ email: personShape.email, role: role.optional() }),
      status: 201,
      answer: z.object({ invitation: newInvitation }),
      refusals: [404, 409, 429],
    },
    async ({ caller, params, body, context }) => ({
      invitation: await invitations.create(caller, params.id, body, context.visitor),
    }),
  );
  endpoints.add(
    {
      method: 'delete',
      path: `${path}/{invitation_id}`,
      tag,
      summary: 'Take an invitation back. People need the role admin.',
      access: { inOrganization: 'accounts:write' },
      params: invitationParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await invitations.revoke(caller, params.id, params.invitation_id);
      return {};
    },
  );
}
