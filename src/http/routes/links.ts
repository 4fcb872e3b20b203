/** Magic links and their verification over REST (docs/contract.md#6-links-and-verification). */
import { z } from '@hono/zod-openapi';
import { MAX_LENGTH } from '../../core/text-rules.ts';
import type { Links } from '../../links/links.ts';
import type { LinkVerifier } from '../../links/link-verifier.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { identifier, linkOptionsShape, selectorShape, text, timestamp } from '../api/schemas.ts';

const path = '/api/v1/connected_accounts';
const tag = 'Links';

const linkBody = z.strictObject({
  ...selectorShape,
  ...linkOptionsShape,
  requested_by: text(
    MAX_LENGTH.requested_by,
    'What the caller calls itself on the page. Default: the name of its API credential or app.',
  ).optional(),
});

const linkAnswer = z.object({
  link: z
    .string()
    .openapi({ format: 'uri', description: 'For the owner of the account to open in a browser.' }),
  expiry: timestamp.openapi({ description: 'When the link ends.' }),
});

const verifyBody = z.strictObject({
  auth_request_id: z
    .string()
    .openapi({ description: 'From the query of user_verify_url, unchanged. An unknown one is 404.' }),
  identifier,
});

const verifyAnswer = z.object({
  post_user_verify_redirect_url: z
    .string()
    .openapi({ format: 'uri', description: 'Where the app sends the browser next.' }),
});

export interface LinkServices {
  links: Pick<Links, 'create'>;
  verification: Pick<LinkVerifier, 'verify'>;
}

/** Adds the routes of links. */
export function addLinkRoutes(endpoints: Endpoints, { links, verification }: LinkServices): void {
  endpoints.add(
    {
      method: 'post',
      path: `${path}/magic_link`,
      operationId: 'createMagicLink',
      tag,
      summary: 'Create a link with which the owner connects an account.',
      access: 'accounts:write',
      body: linkBody,
      answer: linkAnswer,
      refusals: [404, 429],
    },
    ({ caller, body }) => links.create(caller, body),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/user/verify`,
      operationId: 'verifyConnectedAccountUser',
      tag,
      summary: 'Confirm who came back from the consent and activate the account.',
      access: { machine: 'accounts:write' },
      body: verifyBody,
      // A text of any form is looked up, so that each unknown one gets the same answer.
      more: { ownTexts: ['auth_request_id'], violations: () => [] },
      answer: verifyAnswer,
      refusals: [404],
    },
    ({ caller, body }) => verification.verify(caller, body),
  );
}
