/** An organization's own OpenID provider over REST, where people of its e-mail domains sign in. */
import { z } from '@hono/zod-openapi';
import type { IdentityProviders } from '../../../people/sign-in/identity-providers.ts';
import {
  MAX_CLIENT_ID_LENGTH,
  MAX_CLIENT_SECRET_LENGTH,
  MAX_DOMAINS,
} from '../../../people/sign-in/identity-provider-rules.ts';
import type { Endpoints } from '../../api/endpoint.ts';
import { createdAt, emptyAnswer, idParams, resourceId, shown, text, updatedAt } from '../../api/schemas.ts';

const path = '/api/v1/organizations/{id}/provider';
const tag = 'Organizations';

const provider = z
  .object({
    id: resourceId('idp_'),
    organization_id: shown('The organization, `org_…`.'),
    issuer: shown('Issuer of its ID tokens.'),
    client_id: shown('Of the client registered with the provider.'),
    has_client_secret: z.boolean().openapi({ description: 'Whether a secret is stored. It is never shown.' }),
    domains: z.array(z.string()).openapi({ description: 'E-mail domains whose people sign in with it.' }),
    assume_email_verified: z
      .boolean()
      .openapi({ description: 'Whether its people count as verified if it does not say.' }),
    allow_operator_rights: z
      .boolean()
      .openapi({ description: 'Whether operators keep their rights in its sessions.' }),
    redirect_uri: z.string().openapi({ description: 'To be registered with the provider.' }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .openapi('OrganizationProvider', { description: 'The OpenID provider of an organization.' });

const answer = z.object({ provider });

const changed = z.object({
  provider: provider.extend({
    warnings: z
      .array(z.string())
      .optional()
      .openapi({ description: 'What the change dropped; absent for nothing.' }),
  }),
});

/** Services that the routes of organizations' OpenID providers use. */
export interface OrganizationProviderServices {
  organizationProviders: Pick<IdentityProviders, 'get' | 'put' | 'remove'>;
}

/** Adds the routes of organizations' OpenID providers. */
export function addOrganizationProviderRoutes(
  endpoints: Endpoints,
  { organizationProviders }: OrganizationProviderServices,
): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'Get the OpenID provider of an organization. People need the role owner.',
      access: { inOrganization: 'read' },
      params: idParams,
      answer,
      refusals: [404],
    },
    async ({ caller, params }) => ({ provider: await organizationProviders.get(caller, params.id) }),
  );
  endpoints.add(
    {
      method: 'put',
      path,
      tag,
      summary:
        'Set the OpenID provider of an organization. People need the role owner; domains and the two switches are for API credentials of the whole environment. If anybody else changes issuer or client id, the domains are dropped.',
      access: { inOrganization: 'write' },
      params: idParams,
      body: z.strictObject({
        issuer: text(2_048, 'Issuer identifier of the provider; its metadata is found below it.'),
        client_id: text(MAX_CLIENT_ID_LENGTH, 'Client id that the provider has given to this Gatehouse.'),
        client_secret: text(MAX_CLIENT_SECRET_LENGTH, 'Its secret.').nullable().optional().openapi({
          description:
            'Write only. null: a client without one. Absent: the stored one, as long as issuer and client id stay.',
        }),
        domains: z.array(text(253, 'A domain of e-mail addresses.')).max(MAX_DOMAINS).optional().openapi({
          description:
            'People with addresses in these domains sign in with this provider and in no other way. Absent: the stored ones, as long as issuer and client id stay.',
        }),
        assume_email_verified: z.boolean().optional().openapi({
          description:
            'Only the operator sets it. true: an answer without email_verified is believed; one with false never is. Absent: as for domains, default false.',
        }),
        allow_operator_rights: z.boolean().optional().openapi({
          description:
            'Only the operator sets it. true: operators who sign in here have the rights of operators. Absent: as for domains, default false.',
        }),
      }),
      answer: changed,
      refusals: [404, 409],
    },
    async ({ caller, params, body }) => ({
      provider: await organizationProviders.put(caller, params.id, body),
    }),
  );
  endpoints.add(
    {
      method: 'delete',
      path,
      tag,
      summary: 'Delete the OpenID provider of an organization. People need the role owner.',
      access: { inOrganization: 'write' },
      params: idParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await organizationProviders.remove(caller, params.id);
      return {};
    },
  );
}
