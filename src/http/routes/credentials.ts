/** API credentials over REST (docs/contract.md#bodies). Only the reply that creates a secret shows it. */
import { z } from '@hono/zod-openapi';
import { boundOrganizationOf, SCOPES, type Caller } from '../../core/caller.ts';
import type { ApiCredentials } from '../../api-credentials/api-credentials.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { ResourceRoutes } from '../api/resource-routes.ts';
import { createdAt, idParams, organizationId, resourceId, shown, text, timestamp } from '../api/schemas.ts';

const path = '/api/v1/credentials';
const tag = 'API credentials';
const access = 'admin';

const credentialBody = z.strictObject({
  name: text(200, 'What it is for, for people.'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .max(SCOPES.length)
    .openapi({ description: 'What its tokens may do.' }),
  organization_id: organizationId
    .optional()
    .openapi({ description: 'Reaches accounts of this organization only.' }),
});

const credentialShape = {
  id: resourceId('cred_'),
  name: shown('What it is for, for people.'),
  scopes: z.array(z.enum(SCOPES)).openapi({ description: 'What its tokens may do.' }),
  organization_id: z.string().openapi({ description: 'Empty when it is not bound to an organization.' }),
  client_id: shown('For POST /oauth/token.'),
  created_at: createdAt,
  last_used_at: timestamp
    .nullable()
    .openapi({ description: 'The last request with one of its tokens, to the minute; null: none yet.' }),
};

const credential = z
  .object(credentialShape)
  .openapi('Credential', { description: 'An API credential, without its secret.' });

const newCredential = z
  .object({
    ...credentialShape,
    client_secret: z.string().openapi({ description: 'Shown here and never again.' }),
  })
  .openapi('NewCredential', { description: 'An API credential with its secret.' });

export interface CredentialServices {
  pageTokens: PageTokens;
  credentials: Pick<ApiCredentials, 'list' | 'get' | 'create' | 'rotate' | 'remove'>;
}

/** Adds the routes of API credentials. A caller bound to an organization only sees that organization's credentials. */
export function addCredentialRoutes(
  endpoints: Endpoints,
  { credentials, pageTokens }: CredentialServices,
): void {
  const routes = new ResourceRoutes(endpoints, { name: 'credential', item: credential, path, tag, access });
  routes.wholeList(
    'List API credentials.',
    pageTokens,
    async (caller) => credentials.list(caller.environmentId, reachOf(caller)),
    (caller) => [reachOf(caller)],
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary: 'Create an API credential.',
      access,
      body: credentialBody,
      status: 201,
      answer: z.object({ credential: newCredential }),
    },
    ({ caller, body }) => credentials.create(caller, body),
  );
  routes.get('Get an API credential.', async (caller, id) =>
    credentials.get(caller.environmentId, id, reachOf(caller)),
  );
  routes.remove('Delete an API credential. Its tokens are refused within 5 s.', async (caller, id) =>
    credentials.remove(caller, id),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}:rotate`,
      tag,
      summary: 'Give a credential a new secret. The previous one works for another 24 h.',
      access,
      params: idParams,
      answer: z.object({
        credential: newCredential,
        previous_until: timestamp.openapi({ description: 'Until then the old secret is taken too.' }),
      }),
      refusals: [404],
    },
    ({ caller, params }) => credentials.rotate(caller, params.id),
  );
}

function reachOf(caller: Caller): { organizationId?: string } {
  const bound = boundOrganizationOf(caller);
  return bound === undefined ? {} : { organizationId: bound };
}
