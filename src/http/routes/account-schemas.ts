/** Schemas of connected accounts in requests and replies (docs/contract.md#fields-of-an-account). */
import { z } from '@hono/zod-openapi';
import type { CredentialFacts, Variant, WritableMember } from '../../authorization-types/credentials.ts';
import { AUTHORIZATION_TYPE_NAMES, typeOf } from '../../authorization-types/index.ts';
import {
  anyObject,
  connectorName,
  identifier,
  listed,
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

/** Meanings of the members that several variants have. */
const MEANINGS: Readonly<Record<string, string>> = {
  access_token: 'Token for calls to the provider. In answers only of /auth.',
  refresh_token: 'Token that renews the access token. In answers only of /auth.',
  scopes: 'Scopes that were granted.',
  token_expires_at: 'When the access token ends.',
  access_key_id: 'Id of the temporary key. In answers only of /auth.',
  expiry: 'When the temporary key ends.',
};

/** The types whose accounts have credentials of this variant. */
function meaningOf(variant: Variant): string {
  const types = AUTHORIZATION_TYPE_NAMES.filter((type) => typeOf({ type }).credentials?.variant === variant);
  return `Of ${types.join(', ')}.`;
}

/** Accepted and ignored: callers may send back an account as received (docs/contract.md#credentials-of-an-account). */
const ignored = z.unknown().optional().openapi({ readOnly: true, description: 'Ignored in requests.' });

const ignoredMembers = (names: readonly string[]): Record<string, typeof ignored> =>
  Object.fromEntries(names.map((name) => [name, ignored]));

function memberSchema([name, member]: [string, WritableMember]): [string, z.ZodType] {
  const description = 'meaning' in member ? member.meaning : MEANINGS[name];
  if (member.kind === 'text') return [name, text(member.maxLength, member.meaning).optional()];
  const schema =
    member.kind === 'secret'
      ? z.string().max(MAX_SECRET_LENGTH)
      : member.kind === 'texts'
        ? z.array(z.string().max(500)).max(200)
        : storedObject;
  return [name, schema.optional().openapi({ ...(description !== undefined && { description }) })];
}

function variantSchema({ variant, writable, readOnly = [] }: CredentialFacts): z.ZodType {
  const members = Object.entries(writable).map(memberSchema);
  return z
    .strictObject({ ...Object.fromEntries(members), ...ignoredMembers(readOnly) })
    .optional()
    .openapi({ description: `${meaningOf(variant)} Ignored if it is empty.` });
}

/** A variant as answers have it. */
function answeredVariant({ variant, writable, readOnly = [] }: CredentialFacts): z.ZodType {
  const written = Object.entries(writable).map(([name, { kind, ...rest }]): [string, z.ZodType] => {
    const schema = kind === 'texts' ? z.array(z.string()) : kind === 'object' ? anyObject : z.string();
    const description = 'meaning' in rest ? rest.meaning : (MEANINGS[name] ?? '');
    return [name, schema.optional().openapi({ description })];
  });
  const obtained = readOnly
    .filter((name) => name in MEANINGS)
    .map((name): [string, z.ZodType] => {
      const schema = name === 'scopes' ? z.array(z.string()) : name in TIMES ? timestamp : z.string();
      return [name, schema.optional().openapi({ description: MEANINGS[name] ?? '' })];
    });
  return z
    .object(Object.fromEntries([...written, ...obtained]))
    .optional()
    .openapi({ description: meaningOf(variant) });
}

const TIMES = { token_expires_at: true, expiry: true };

/** The variants of all types, each with one kind of schema. */
const variants = (schemaOf: (facts: CredentialFacts) => z.ZodType): Record<string, z.ZodType> =>
  Object.fromEntries(
    AUTHORIZATION_TYPE_NAMES.flatMap((type) => {
      const { credentials } = typeOf({ type });
      return credentials === undefined ? [] : [[credentials.variant, schemaOf(credentials)] as const];
    }),
  );

/**
 * Credentials of a request (docs/contract.md#credentials-of-an-account). The connection's type decides which variant
 * fits.
 */
const authorizationDetails = z
  .strictObject(variants(variantSchema))
  .openapi('AuthorizationDetailsInput', { description: 'Credentials; one variant.' });

const connectedAccount = z
  .strictObject({
    authorization_type: z
      .enum(AUTHORIZATION_TYPE_NAMES)
      .optional()
      .openapi({ description: 'The type of the connection. It may be repeated, not changed.' }),
    authorization_details: authorizationDetails
      .optional()
      .openapi({ description: 'Credentials. Only the variant of the account’s type is taken.' }),
    api_config: storedObject.optional().openapi({
      description:
        'Any JSON. It is merged into what is stored (RFC 7396); null removes. Gatehouse uses the placeholders of the connector’s addresses, `timeout` of a call (milliseconds or text such as "20s", at most 55 s), `rate_limit` (calls a minute or {requests, per}, never above the connector’s) and `endpoint` (another base address at one of the connector’s hosts). The rest is named in `warnings`.',
    }),
    token_expires_at: z.iso
      .datetime({ offset: true, error: 'Must be an RFC 3339 time.' })
      .max(40)
      .optional()
      .openapi({ description: 'Together with oauth_token: the expiry of its access token.' }),
    ...ignoredMembers(['id', 'connection_id', 'connector', 'provider', 'identifier', 'status']),
    ...ignoredMembers(['organization_id', 'user_id', 'last_used_at', 'updated_at']),
  })
  .openapi('ConnectedAccountInput', { description: 'Credentials and configuration of an account.' });

const { id: _id, ...withoutId } = selectorShape;

const check = z.boolean().optional().openapi({
  description:
    'true: tries the credential at the provider before it is stored, if its connector has a request for that. A refused one is answered with 400; `warnings` says what could not be tried.',
});

/** Body of a creation. */
export const createAccountBody = z.strictObject({
  ...withoutId,
  connector: connectorName,
  identifier,
  connected_account: connectedAccount.optional(),
  check,
});

/** Body of an update: an account, by id or by combination, and the changes. */
export const updateAccountBody = z.strictObject({
  ...selectorShape,
  connected_account: connectedAccount.optional(),
  check,
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
  status: z.enum(ACCOUNT_STATUSES).optional().openapi({ description: 'Status of the account.' }),
  connection_names: z.array(connectorName).max(100).optional().openapi({ description: 'May be repeated.' }),
  query: text(200, 'Prefix of the identifier. The list is in order of identifiers.').optional(),
  view: z.enum(['full']).optional().openapi({
    description: 'full: each item also has organization_id, user_id, created_at and api_config.',
  }),
  ...pageShape,
});

/** The same filters for search, where the prefix is required. */
export const accountSearch = accountQuery.extend({
  query: text(200, 'Prefix of the identifier. The list is in order of identifiers.'),
});

const ownerText = (who: string) =>
  z.string().openapi({ description: `The ${who} that owns the account; empty for none.` });

const listItemShape = {
  id: z.string().openapi({ description: 'Id of the account.', example: 'ca_01kaghg4w0v8j3d9c2n5r7t1xz' }),
  connection_id: z.string().openapi({ description: 'Id of the connection.' }),
  connector: z.string().openapi({ description: 'Name of the connection.' }),
  provider: z.string().openapi({ description: "Name of the catalog's connector." }),
  identifier: z.string().openapi({ description: 'The account in the third-party service.' }),
  authorization_type: z
    .string()
    .openapi({ enum: [...AUTHORIZATION_TYPE_NAMES], description: 'How the provider is told who calls.' }),
  status: z
    .string()
    .openapi({ enum: [...ACCOUNT_STATUSES], description: 'Only an ACTIVE account can be used.' }),
  token_expires_at: timestamp.nullable().openapi({ description: 'null: never, or not known.' }),
  last_used_at: timestamp.nullable().openapi({ description: 'The last successful call; null: none yet.' }),
  updated_at: timestamp.openapi({ description: 'The last change.' }),
};

const displayName = z.string().max(120).nullable().openapi({
  description: 'What the provider calls the account; null: not known. In details and with `view=full`.',
});

const listItem = z
  .object({
    ...listItemShape,
    organization_id: ownerText('organization').optional(),
    user_id: ownerText('user').optional(),
    display_name: displayName.optional(),
    created_at: timestamp.optional().openapi({ description: 'When the account was made. With `view=full`.' }),
    api_config: anyObject.optional().openapi({ description: 'Its configuration. With `view=full`.' }),
  })
  .openapi('ConnectedAccountListItem', { description: 'An account in a list.' });

const account = z
  .object({
    ...listItemShape,
    organization_id: ownerText('organization'),
    user_id: ownerText('user'),
    display_name: displayName.optional(),
    api_config: anyObject.openapi({ description: 'Configuration, as it was given.' }),
    authorization_details: z.object(variants(answeredVariant)).openapi('AuthorizationDetails', {
      description: 'The variant of the account’s type. Secrets only in the answer of /auth.',
    }),
  })
  .openapi('ConnectedAccount', { description: 'An account of a user or organization.' });

/** `{connected_account}` */
export const accountAnswer = z.object({ connected_account: account });

/** The answer of create and update: what became of the request as well. */
export const storedAccountAnswer = accountAnswer.extend({
  warnings: z
    .array(z.string())
    .optional()
    .openapi({ description: 'What was not done as asked. Left out if there is nothing to say.' }),
});

/** One page of list items. */
export const accountListAnswer = z.object({
  connected_accounts: listed(listItem),
  ...pageAnswerShape,
});

/** History of one account. */
export const accountEventsAnswer = z.object({
  events: listed(
    z.object({
      id: z.string().openapi({ description: 'Id of the event.' }),
      at: timestamp.openapi({ description: 'When it happened.' }),
      from: z.string().nullable().openapi({ description: 'The status before; null for a new account.' }),
      to: z.string().openapi({ description: 'The status afterwards.' }),
      cause: z.string().openapi({ description: 'What changed it.' }),
      actor: z.string().openapi({
        description: 'Who changed it: `cred_…`, `usr_…`, or a word such as `local` or `provider`.',
      }),
    }),
  ),
  ...pageAnswerShape,
});
