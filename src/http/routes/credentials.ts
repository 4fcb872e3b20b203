/** API credentials over REST (docs/contract.md#bodies). Only the reply that creates a secret shows it. */
import { z } from '@hono/zod-openapi';
import { boundOrganizationOf, SCOPES, type Caller } from '../../core/caller.ts';
import type { ApiCredentials } from '../../api-credentials/api-credentials.ts';
import type { Endpoints } from '../api/endpoint.ts';
import {
  emptyAnswer,
  idParams,
  onlyPage,
  organizationId,
  pageAnswerShape,
  text,
  timestamp,
} from '../api/schemas.ts';

const path = '/api/v1/credentials';
const tag = 'API credentials';

const credentialBody = z.strictObject({
  name: text(200, 'What it is for, for people.'),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  organization_id: organizationId
    .optional()
    .openapi({ description: 'Reaches accounts of this organization only.' }),
});

const credentialShape = {
  id: z.string().openapi({ example: 'cred_01kaghg4w0v8j3d9c2n5r7t1xz' }),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  organization_id: z.string().openapi({ description: 'Empty when it is not bound to an organization.' }),
  client_id: z.string(),
  created_at: timestamp,
};

const credential = z.object(credentialShape).openapi('Credential');

const newCredential = z
  .object({
    ...credentialShape,
    client_secret: z.string().openapi({ description: 'Shown here and never again.' }),
  })
  .openapi('NewCredential');

export interface CredentialServices {
  credentials: Pick<ApiCredentials, 'list' | 'get' | 'create' | 'rotate' | 'remove'>;
}

/** Adds the routes of API credentials. A caller bound to an organization only sees that organization's credentials. */
export function addCredentialRoutes(endpoints: Endpoints, { credentials }: CredentialServices): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List API credentials.',
      access: 'admin',
      answer: z.object({ credentials: z.array(credential), ...pageAnswerShape }),
    },
    async ({ caller }) => {
      const found = await credentials.list(caller.environmentId, reachOf(caller));
      return { credentials: found, ...onlyPage(found) };
    },
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary: 'Create an API credential.',
      access: 'admin',
      body: credentialBody,
      status: 201,
      answer: z.object({ credential: newCredential }),
    },
    ({ caller, body }) => credentials.create(caller, body),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}`,
      tag,
      summary: 'Get an API credential.',
      access: 'admin',
      params: idParams,
      answer: z.object({ credential }),
      refusals: [404],
    },
    async ({ caller, params }) => ({
      credential: await credentials.get(caller.environmentId, params.id, reachOf(caller)),
    }),
  );
  endpoints.add(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tag,
      summary: 'Delete an API credential. Its tokens are refused within 5 s.',
      access: 'admin',
      params: idParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await credentials.remove(caller, params.id);
      return {};
    },
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}:rotate`,
      tag,
      summary: 'Give a credential a new secret. The one before works for another 24 h.',
      access: 'admin',
      params: idParams,
      answer: z.object({ credential: newCredential, previous_until: timestamp }),
      refusals: [404],
    },
    ({ caller, params }) => credentials.rotate(caller, params.id),
  );
}

function reachOf(caller: Caller): { organizationId?: string } {
  const bound = boundOrganizationOf(caller);
  return bound === undefined ? {} : { organizationId: bound };
}
