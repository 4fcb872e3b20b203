/** Schemas of connected accounts in requests and replies (docs/contract.md#fields-of-an-account). */
import { z } from '@hono/zod-openapi';
import type { CredentialFacts, WritableMember } from '../../authorization-types/credentials.ts';
import { AUTHORIZATION_TYPE_NAMES, typeOf } from '../../authorization-types/index.ts';
import {
  anyObject,
  connectorName,
  identifier,
  organizationId,
  pageAnswerShape,
  pageShape,
  selectorShape,
  storedObject,
  text,
  timestamp,
  userId,
} from '../api/schemas.ts';
import { ACCOUNT_STATUSES } from '../../core/stored-words.ts';

/** Longest credential: enough for a key file, but not for a flood. */
const MAX_SECRET_LENGTH = 65_536;

const secret = z.string().max(MAX_SECRET_LENGTH);

/** Accepted and ignored: callers may send back an account as received (docs/contract.md#credentials-of-an-account). */
const ignored = z.unknown().optional().openapi({ readOnly: true, description: 'Ignored in requests.' });

const ignoredMembers = (names: readonly string[]): Record<string, typeof ignored> =>
  Object.fromEntries(names.map((name) => [name, ignored]));

function memberSchema(member: WritableMember): z.ZodType {
  if (member.kind === 'secret') return secret.optional();
  if (member.kind === 'text') return text(member.maxLength, member.meaning).optional();
  if (member.kind === 'texts') return z.array(z.string().max(500)).max(200).optional();
  return storedObject.openapi({ description: member.meaning });
}

function variantSchema({ writable, readOnly = [] }: CredentialFacts): z.ZodType {
  const members = Object.entries(writable).map(([name, member]) => [name, memberSchema(member)] as const);
  return z.strictObject({ ...Object.fromEntries(members), ...ignoredMembers(readOnly) }).optional();
}

/**
 * Credentials of a request (docs/contract.md#credentials-of-an-account). The connection's type decides which variant
 * fits.
 */
const authorizationDetails = z
  .strictObject(
    Object.fromEntries(
      AUTHORIZATION_TYPE_NAMES.flatMap((type) => {
        const { credentials } = typeOf({ type });
        return credentials === undefined ? [] : [[credentials.variant, variantSchema(credentials)] as const];
      }),
    ),
  )
  .openapi('AuthorizationDetailsInput');

const connectedAccount = z
  .strictObject({
    authorization_type: z.enum(AUTHORIZATION_TYPE_NAMES).optional(),
    authorization_details: authorizationDetails.optional(),
    api_config: storedObject.optional().openapi({
      description:
        'Merged into what is stored (RFC 7396); null removes. Beside what the connector needs: `rate_limit` (calls a minute, at most the highest limit of the connector), `timeout` (of a call: seconds or text such as "20s", at most 55 s), `endpoint` (another base address at one of the connector’s hosts).',
    }),
    token_expires_at: z.iso
      .datetime({ offset: true, error: 'Must be an RFC 3339 time.' })
      .max(40)
      .optional()
      .openapi({ description: 'Together with oauth_token: the expiry of its access token.' }),
    ...ignoredMembers(['id', 'connection_id', 'connector', 'provider', 'identifier', 'status']),
    ...ignoredMembers(['organization_id', 'user_id', 'last_used_at', 'updated_at']),
  })
  .openapi('ConnectedAccountInput');

const { id: _id, ...withoutId } = selectorShape;

/** Body of a creation. */
export const createAccountBody = z.strictObject({
  ...withoutId,
  connector: connectorName,
  identifier,
  connected_account: connectedAccount.optional(),
});

/** Body of an update: an account, by id or by combination, and the changes. */
export const updateAccountBody = z.strictObject({
  ...selectorShape,
  connected_account: connectedAccount.optional(),
});

/** Members that name one account, in a query or a body. */
export const accountSelector = z.strictObject(selectorShape);

/** Filters of the list. */
export const accountQuery = z.strictObject({
  organization_id: organizationId.optional(),
  user_id: userId.optional(),
  connector: connectorName.optional(),
  provider: text(100, "Name of the catalog's connector.").optional(),
  identifier: identifier.optional(),
  status: z.enum(ACCOUNT_STATUSES).optional(),
  connection_names: z.array(connectorName).max(100).optional().openapi({ description: 'May be repeated.' }),
  query: text(200, 'Prefix of the identifier.').optional(),
  ...pageShape,
});

/** The same filters for search, where the prefix is required. */
export const accountSearch = accountQuery.extend({ query: text(200, 'Prefix of the identifier.') });

const listItemShape = {
  id: z.string().openapi({ example: 'ca_01kaghg4w0v8j3d9c2n5r7t1xz' }),
  connection_id: z.string(),
  connector: z.string().openapi({ description: 'Name of the connection.' }),
  provider: z.string().openapi({ description: "Name of the catalog's connector." }),
  identifier: z.string(),
  authorization_type: z.string(),
  status: z.string().openapi({ enum: [...ACCOUNT_STATUSES] }),
  token_expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  updated_at: timestamp,
};

const account = z
  .object({
    ...listItemShape,
    organization_id: z.string().openapi({ description: 'Empty when the account has no organization.' }),
    user_id: z.string().openapi({ description: 'Empty when the account has no user.' }),
    api_config: anyObject,
    authorization_details: storedObject.openapi({ description: 'Credentials only in the reply of /auth.' }),
  })
  .openapi('ConnectedAccount');

/** `{connected_account}` */
export const accountAnswer = z.object({ connected_account: account });

/** One page of list items. */
export const accountListAnswer = z.object({
  connected_accounts: z.array(z.object(listItemShape).openapi('ConnectedAccountListItem')),
  ...pageAnswerShape,
});

/** History of one account. */
export const accountEventsAnswer = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      at: timestamp,
      from: z.string().nullable(),
      to: z.string(),
      cause: z.string(),
      actor: z.string(),
    }),
  ),
});
