/** Invitations to an organization over REST (docs/contract.md#bodies). */
import { z } from '@hono/zod-openapi';
import type { Invitations } from '../../../people/invitations.ts';
import { ROLES } from '../../../people/people-rules.ts';
import type { Endpoints } from '../../api/endpoint.ts';
import {
  createdAt,
  emptyAnswer,
  idParams,
  listed,
  pageAnswerShape,
  pageOf,
  pageShape,
  resourceId,
  shown,
  text,
  timestamp,
} from '../../api/schemas.ts';
import { personShape, role } from './organizations.ts';

const path = '/api/v1/organizations/{id}/invitations';
const tag = 'Organizations';

const invitationShape = {
  id: resourceId('inv_'),
  organization_id: shown('The organization, `org_…`.'),
  email: shown('Who is invited.'),
  role: z.enum(ROLES).openapi({ description: 'The role after accepting.' }),
  status: z
    .enum(['pending', 'accepted', 'revoked', 'expired'])
    .openapi({ description: 'Only a pending invitation can be accepted.' }),
  invited_by: shown('Who invited: `usr_…`, `cred_…` or `local`.'),
  created_at: createdAt,
  expiry: timestamp.openapi({ description: 'When it ends.' }),
};

const invitation = z
  .object(invitationShape)
  .openapi('Invitation', { description: 'An invitation to an organization.' });

const newInvitation = z
  .object({
    ...invitationShape,
    link: z
      .string()
      .optional()
      .openapi({ description: 'Only where no mail server is set: give it to the person. Shown once.' }),
  })
  .openapi('NewInvitation', { description: 'An invitation with its link.' });

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
      access: { inOrganization: 'read' },
      params: idParams,
      query: z.strictObject(pageShape),
      answer: z.object({ invitations: listed(invitation), ...pageAnswerShape }),
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
      access: { inOrganization: 'write' },
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
      summary: 'Revoke an invitation. People need the role admin.',
      access: { inOrganization: 'write' },
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
