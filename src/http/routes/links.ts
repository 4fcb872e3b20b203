/** Magic links and their verification over REST (docs/contract.md#6-links-and-verification). */
import { z } from '@hono/zod-openapi';
import { MAX_LENGTH } from '../../core/text-rules.ts';
import type { Links } from '../../links/links.ts';
import type { LinkVerifier } from '../../links/link-verifier.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { identifier, selectorShape, text, timestamp } from '../api/schemas.ts';

const path = '/api/v1/connected_accounts';
const tag = 'Links';

const linkBody = z.strictObject({
  ...selectorShape,
  state: text(MAX_LENGTH.state, 'Opaque; comes back in the query of user_verify_url.').optional(),
  user_verify_url: text(MAX_LENGTH.user_verify_url, 'Where the browser goes after the consent.').optional(),
});

const linkAnswer = z.object({
  link: z
    .string()
    .openapi({ format: 'uri', description: 'For the owner of the account to open in a browser.' }),
  expiry: timestamp,
});

const verifyBody = z.strictObject({
  auth_request_id: z
    .string()
    .regex(
      /^[A-Za-z0-9_-]{20,128}$/,
      'Must be the auth_request_id from the query of user_verify_url, unchanged.',
    ),
  identifier,
});

const verifyAnswer = z.object({ post_user_verify_redirect_url: z.string().openapi({ format: 'uri' }) });

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
      tag,
      summary: 'Make a link with which the owner connects an account.',
      access: 'accounts:write',
      body: linkBody,
      answer: linkAnswer,
      refusals: [404],
    },
    ({ caller, body }) => links.create(caller, body),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/user/verify`,
      tag,
      summary: 'Confirm who came back from the consent and activate the account.',
      access: { machine: 'accounts:write' },
      body: verifyBody,
      answer: verifyAnswer,
      refusals: [404],
    },
    ({ caller, body }) => verification.verify(caller, body),
  );
}
