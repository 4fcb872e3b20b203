/** Schemas that several routes share: names of accounts, pages, the error body. */
import { z } from '@hono/zod-openapi';
import { CONNECTION_NAME, MAX_LENGTH } from '../../core/text-rules.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { PageQuery } from '../../core/newest-first.ts';

/** Characters not allowed in names: C0 controls and DEL. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const NO_CONTROL = /^[^\u0000-\u001f\u007f]*$/;

/** A text of 1 to `max` UTF-16 units without control characters. */
export function text(max: number, description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(max)
    .regex(NO_CONTROL, 'Must not contain control characters.')
    .openapi({ description });
}

/**
 * A text that also has to pass a rule of the services, reported in the rule's own words. The answer can then name this
 * violation with all others. The rule runs only if the text has passed so far.
 */
export function ruled(schema: z.ZodString, rule: (value: string) => readonly FieldViolation[]): z.ZodString {
  return schema.check((ctx) => {
    if (ctx.issues.length > 0) return;
    for (const { description, constraint } of rule(ctx.value))
      ctx.issues.push({ code: 'custom', message: description, params: { constraint }, input: ctx.value });
  });
}

export const connectorName = z
  .string()
  .min(1)
  .max(MAX_LENGTH.connector)
  .regex(CONNECTION_NAME, 'Must have letters, digits, spaces, hyphens, underscores and colons only.')
  .openapi({
    description: 'Name of the connection; by default the name of its connector.',
    example: 'websearch',
  });

export const identifier = text(
  MAX_LENGTH.identifier,
  'The account in the third-party service: an email address, a user id.',
);
export const organizationId = text(
  MAX_LENGTH.organization_id,
  'Owner of the account. Not together with user_id.',
);
export const userId = text(MAX_LENGTH.user_id, 'Owner of the account. Not together with organization_id.');
export const accountId = text(100, 'Id of the account, `ca_…`.');

/** Members that identify an account: `id`, or connector and identifier, with the owner if it has one. */
export const selectorShape = {
  id: accountId.optional(),
  connector: connectorName.optional(),
  identifier: identifier.optional(),
  organization_id: organizationId.optional(),
  user_id: userId.optional(),
};

/** Options of a request for the link in its answer. */
export const linkOptionsShape = {
  state: text(MAX_LENGTH.state, 'Opaque; comes back in the query of user_verify_url.').optional(),
  user_verify_url: text(MAX_LENGTH.user_verify_url, 'Where the browser goes after the consent.').optional(),
};

/** The meaning of a link's `force`, in body and header. */
export const FORCE_MEANING = 'true: gives a link although its owner declined within the last 24 hours.';

/** Path of one resource by id. */
export const idParams = z.object({ id: text(100, 'Id of the resource.') });

/** Query parameters of a paged list. */
export const pageShape = {
  page_size: z
    .string()
    .regex(/^\d+$/, 'Must be a whole number.')
    .transform((digits) => Math.min(Number(digits), Number.MAX_VALUE))
    .pipe(z.number().min(1).max(100))
    .optional()
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 30,
      description: 'Most items of a page.',
    }),
  page_token: z
    .string()
    .max(2_000)
    .optional()
    .openapi({ description: 'next_page_token or prev_page_token of a reply, with the same filters.' }),
};

/** The requested page, in the form that services take. */
export function pageOf(query: {
  page_size?: number | undefined;
  page_token?: string | undefined;
}): PageQuery {
  return { pageSize: query.page_size, pageToken: query.page_token };
}

/** The items of a list. */
export function listed<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).openapi({ description: 'The items of this page.' });
}

/** Members of every list. */
export const pageAnswerShape = {
  next_page_token: z.string().openapi({ description: 'Empty on the last page.' }),
  prev_page_token: z.string().openapi({ description: 'Empty on the first page.' }),
  total_size: z.number().int().openapi({ description: 'Matches over all pages, counted up to 10,000.' }),
  total_size_is_at_least: z
    .literal(true)
    .optional()
    .openapi({ description: 'There are more matches than total_size says.' }),
};

/** An object with any members. */
export const anyObject = z.record(z.string(), z.unknown());

const MAX_OBJECT_LENGTH = 65_536;

/** An object with any members that is stored, so its total size is bounded. */
export const storedObject = anyObject.refine((value) => JSON.stringify(value).length <= MAX_OBJECT_LENGTH, {
  message: `Must have at most ${MAX_OBJECT_LENGTH} characters as JSON.`,
  params: { constraint: 'max_size' },
});

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.string().openapi({ format: 'date-time' });

/** A query parameter with an RFC 3339 time, read as Unix milliseconds. */
export const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'Must be a date and time such as 2026-01-31T12:00:00Z.' })
    .transform(Date.parse)
    .openapi({ type: 'string', format: 'date-time', description });

/** The same, if it may be left out. */
export const timeFilter = (description: string) =>
  time(description).optional().openapi({ type: 'string', format: 'date-time', description });

/** Query parameters of a list that is complete without them. */
export const wholePageShape = {
  ...pageShape,
  page_size: pageShape.page_size.openapi({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: 'Most items of a page. Without it and without page_token the one page has everything.',
  }),
};

/** Members that many resources have. */
export const createdAt = timestamp.openapi({ description: 'When it was made.' });
export const updatedAt = timestamp.openapi({ description: 'The last change.' });
export const managedByFile = z
  .boolean()
  .openapi({ description: 'Whether gatehouse.yaml declares it. It is changed there then.' });

/** The id of a resource. @param prefix such as `usr_` */
export const resourceId = (prefix: string) =>
  z.string().openapi({ description: `Id, \`${prefix}…\`.`, example: `${prefix}01kaghg4w0v8j3d9c2n5r7t1xz` });

/** A text of an answer. */
export const shown = (description: string) => z.string().openapi({ description });

/** The body of every refusal (docs/contract.md#8-errors). */
export const errorSchema = z
  .object({
    code: z.number().int().openapi({ description: 'google.rpc code.' }),
    message: z.string().openapi({ description: 'What happened and what to do next.' }),
    details: z
      .array(
        z.looseObject({
          error_code: z
            .string()
            .openapi({ description: 'Stable name of the error.', example: 'INVALID_ARGUMENT' }),
          field_violations: z
            .array(
              z.object({
                field: shown('Path of the member, query parameter or header.'),
                description: shown('What is wrong with it.'),
                constraint: shown('Stable word for the rule, such as `required`.'),
              }),
            )
            .optional()
            .openapi({ description: 'Everything that is wrong with the request.' }),
        }),
      )
      .optional()
      .openapi({ description: 'The error for programs; more than one for several of a kind.' }),
  })
  .openapi('Error', { description: 'A refusal.' });

/** The reply of a deletion. */
export const emptyAnswer = z.strictObject({});
