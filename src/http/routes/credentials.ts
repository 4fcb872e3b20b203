/** API credentials over REST (docs/contract.md#bodies). Only the reply that creates a secret shows it. */
import { z } from '@hono/zod-openapi';
import { boundOrganizationOf, SCOPES, type Caller } from '../../core/caller.ts';
import type { ApiCredentials } from '../../api-credentials/api-credentials.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Endpoints } from '../api/endpoint.ts';
import {
  createdAt,
  emptyAnswer,
  idParams,
  listed,
  organizationId,
  pageAnswerShape,
  resourceId,
  shown,
  text,
  timestamp,
  wholePageShape,
} from '../api/schemas.ts';
import { pageOfAll } from '../api/whole-list.ts';

const path = '/api/v1/credentials';
const tag = 'API credentials';

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
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List API credentials.',
      access: 'admin',
      query: z.strictObject(wholePageShape),
      answer: z.object({ credentials: listed(credential), ...pageAnswerShape }),
    },
    async ({ caller, query }) => {
      const reach = reachOf(caller);
      const { rows, links } = pageOfAll(pageTokens, query, {
        rows: await credentials.list(caller.environmentId, reach),
        bound: ['credentials', caller.environmentId, reach],
        keyOf: ({ id }) => id,
      });
      return { credentials: rows, ...links };
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
      summary: 'Give a credential a new secret. The previous one works for another 24 h.',
      access: 'admin',
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
