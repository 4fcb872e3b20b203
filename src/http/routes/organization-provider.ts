/** An organization's own OpenID provider over REST, where people of its e-mail domains sign in. */
import { z } from '@hono/zod-openapi';
import type { IdentityProviders } from '../../people/sign-in/identity-providers.ts';
import {
  MAX_CLIENT_ID_LENGTH,
  MAX_CLIENT_SECRET_LENGTH,
  MAX_DOMAINS,
} from '../../people/sign-in/identity-provider-rules.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { emptyAnswer, idParams, text, timestamp } from '../api/schemas.ts';

const path = '/api/v1/organizations/{id}/provider';
const tag = 'Organizations';

const provider = z
  .object({
    id: z.string().openapi({ example: 'idp_01kaghg4w0v8j3d9c2n5r7t1xz' }),
    organization_id: z.string(),
    issuer: z.string(),
    client_id: z.string(),
    has_client_secret: z.boolean(),
    domains: z.array(z.string()),
    redirect_uri: z.string().openapi({ description: 'To be registered with the provider.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('OrganizationProvider');

const answer = z.object({ provider });

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
      access: { inOrganization: 'accounts:read' },
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
        'Set the OpenID provider of an organization. People need the role owner; domains are added by API credentials of the whole environment.',
      access: { inOrganization: 'accounts:write' },
      params: idParams,
      body: z.strictObject({
        issuer: text(2_048, 'Issuer identifier of the provider; its metadata is found below it.'),
        client_id: text(MAX_CLIENT_ID_LENGTH, 'Client id that the provider has given to this Gatehouse.'),
        client_secret: text(MAX_CLIENT_SECRET_LENGTH, 'Its secret.').nullable().optional().openapi({
          description:
            'Write only. null: a client without one. Absent: the stored one, as long as issuer and client id stay.',
        }),
        domains: z
          .array(text(253, 'A domain of e-mail addresses.'))
          .max(MAX_DOMAINS)
          .optional()
          .openapi({ description: 'People with addresses in these sign in here and no other way.' }),
      }),
      answer,
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
      access: { inOrganization: 'accounts:write' },
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
