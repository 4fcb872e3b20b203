/**
 * The shape of toolset files: one tool per entry.
 *
 * The grammar is closed. It can place a value, rename it, look it up in a table, encode it, or leave it out;
 * it cannot compute. A tool that has to compute names a `handler` instead of a `request`. cross-check.ts
 * checks what zod cannot see: names that refer to other names, contradicting limits. catalogs/schema.json is
 * generated from this file.
 */
import * as z from 'zod';
import { parseDuration } from '../../core/clock.ts';
import { ACCOUNT_VALUES } from './account-values.ts';
import { CONNECTOR_NAME, line, word } from './file-words.ts';
import { pagingSchema, pendingSchema } from './paging-schema.ts';
import { resultSchema } from './result-schema.ts';

/** Not the names of the tools that find and call others (src/mcp/discovery.ts). */
const TOOL_NAME = /^(?!(search_tools|describe_tool|call_tool|call_read_tool)$)[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const ADDRESS =
  /^(none|(path|query)\.[A-Za-z0-9_$.[\]-]+|header\.[!#$%&'*+.^_`|~0-9A-Za-z-]+|body(\.[A-Za-z0-9_$-]+(\[\d{0,2}\])?)+)$/;
const BODY_ADDRESS = /^body(\.[A-Za-z0-9_$-]+)+$/;
const FIXED_ADDRESS =
  /^(query\.[A-Za-z0-9_$.[\]-]+|header\.[!#$%&'*+.^_`|~0-9A-Za-z-]+|body(\.[A-Za-z0-9_$-]+(\[\d{1,2}\])?)+)$/;

const parameterName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, {
  error: 'must be a parameter name: a letter, then letters, digits and _',
});
const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'must be text, a number, true or false',
});
const count = z.int().min(0);
const duration = (meaning: string) =>
  z
    .string()
    .refine((text) => parseDuration(text) !== undefined, { error: 'must be a duration such as 500ms or 50s' })
    .describe(meaning);

const condition = z
  .union([parameterName, z.record(parameterName, scalar)], {
    error: 'must be a parameter name ("it is given") or a table such as {type: video} ("type is video")',
  })
  .describe('`x`: parameter x is given. `{x: 1}`: parameter x equals 1; several entries: all of them.');
const group = z.union([parameterName, z.array(parameterName).min(2)], {
  error: 'must be a parameter name or a list of names that go together',
});

const RULE_KINDS = ['exactly_one_of', 'at_most_one_of', 'at_least_one_of', 'together', 'when'] as const;

/**
 * A rule across parameters. One object with optional keys, so that an editor and an error message can name
 * the wrong key.
 */
const constraint = z
  .strictObject({
    exactly_one_of: z.array(group).min(2).optional(),
    at_most_one_of: z.array(group).min(2).optional(),
    at_least_one_of: z.array(group).min(2).optional(),
    together: z.array(parameterName).min(2).optional(),
    when: z
      .union([condition, z.array(condition).min(1)], { error: 'must be a condition or a list of conditions' })
      .optional(),
    require: z.array(parameterName).min(1).optional(),
    forbid: z.array(parameterName).min(1).optional(),
    require_value: z.record(parameterName, scalar).optional(),
    told_by: parameterName
      .optional()
      .describe('The parameter whose description says the rule. Left out: the tool has its sentence.'),
  })
  .superRefine((rule, context) => {
    const kinds = RULE_KINDS.filter((kind) => rule[kind] !== undefined);
    const consequences = [rule.require, rule.forbid, rule.require_value].filter(
      (c) => c !== undefined,
    ).length;
    if (kinds.length !== 1) context.addIssue(`must have exactly one of ${RULE_KINDS.join(', ')}`);
    else if (kinds[0] === 'when' && consequences === 0)
      context.addIssue('needs require, forbid or require_value together with when');
    else if (kinds[0] !== 'when' && consequences > 0)
      context.addIssue('can have require, forbid and require_value only together with when');
    else if (kinds[0] !== 'when' && kinds[0] !== 'together' && rule.told_by !== undefined)
      context.addIssue('can have told_by only with when or together');
  });

const valueKeys = {
  type: z.enum(['string', 'integer', 'number', 'boolean', 'object', 'array']),
  enum: z.array(z.string()).min(1).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  min_length: count.optional(),
  max_length: count.optional(),
  min_items: count.optional(),
  max_items: count.optional(),
  min_properties: count.optional(),
  format: z.enum(['uuid', 'date', 'date-time', 'uri', 'email']).optional(),
  pattern: z.string().optional().describe('Regular expression (with the u flag) that the text has to match.'),
};

/** Shape of a list's items, or of a member of an object in a list. */
export interface ValueEntry {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  description?: string | undefined;
  required?: boolean | undefined;
  enum?: string[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  min_length?: number | undefined;
  max_length?: number | undefined;
  min_items?: number | undefined;
  max_items?: number | undefined;
  min_properties?: number | undefined;
  format?: 'uuid' | 'date' | 'date-time' | 'uri' | 'email' | undefined;
  pattern?: string | undefined;
  items?: ValueEntry | undefined;
  properties?: Record<string, ValueEntry> | undefined;
}

const value: z.ZodType<ValueEntry> = z
  .strictObject({
    ...valueKeys,
    description: z.string().min(3).max(300).optional(),
    required: z.boolean().optional().describe('For a member of an object.'),
    get items() {
      return value.optional();
    },
    get properties() {
      return z
        .record(parameterName, value)
        .optional()
        .describe('Members of an object. Without it any member is allowed; with it no other one.');
    },
  })
  .meta({ id: 'value' });

const scopeGroups = z.array(
  z.union([z.string(), z.array(z.string()).min(2)], {
    error: 'must be a scope or a list of alternatives',
  }),
);

const parameter = z.strictObject({
  ...valueKeys,
  description: line('What the value means, for a model that fills it in.', 300),
  required: z.boolean().default(false),
  aliases: z
    .array(parameterName)
    .min(1)
    .optional()
    .describe('Names it had before: values given by them are taken. Published nowhere.'),
  default: z.unknown().optional().describe('Sent when the parameter is not given and no rule forbids it.'),
  default_unless: parameterName
    .optional()
    .describe('A parameter with which the default is not sent; the caller may still give both.'),
  items: value.optional().describe('Shape of the items of a list.'),
  properties: z
    .record(parameterName, value)
    .optional()
    .describe('Members of an object. Without it any member is allowed; with it no other one.'),
  to: word(
    ADDRESS,
    'path.x, query.x, header.x, body.a.b or none',
    'Where the value goes: body.a[0].b is in the first entry of a list, and with body.a[].b each item of a list makes an entry. Left out: the path slot of the same name.',
  ).optional(),
  encode: z
    .enum(['csv', 'split_csv', 'json'])
    .optional()
    .describe(
      'csv: a list as text with commas. split_csv: text with commas as a list. json: text holding JSON as a value.',
    ),
  map: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('What is sent instead of a value. A value that is not in the table is sent as it is.'),
  warnings: z
    .record(z.string(), line('One sentence.', 300))
    .optional()
    .describe(
      'By value, what the provider does not do as asked. The caller gets the sentence with the result.',
    ),
  accepts_list: z
    .literal(true)
    .optional()
    .describe('A list of texts is taken too, and read as the text of its JSON.'),
  accepts_local_time: z
    .literal(true)
    .optional()
    .describe('With format date-time and a handler: a date and a time without offset are taken too.'),
  nullable: z
    .literal(true)
    .optional()
    .describe('For a tool that updates: null is taken too, and sent. Published is the type alone.'),
  comma_separated: z
    .literal(true)
    .optional()
    .describe('The text lists values separated by commas. Over MCP a list of texts is taken too.'),
  from: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(2)], {
      error: 'must be the name of a tool or a list of names',
    })
    .optional()
    .describe('For an id: the tools that give it, best first. Refusals over MCP name them.'),
  me: z
    .union([z.literal(true), parameterName], { error: 'must be true or the name of a member of the items' })
    .optional()
    .describe(
      'The id of a member, or the member of the items that has it. Over MCP `me` is taken: the person of the account.',
    ),
  send_when: condition.optional().describe('Send the value only then. Defaults count as given.'),
  scopes: scopeGroups
    .optional()
    .describe('Scopes the call needs beside those of the tool if the value is given.'),
});

const request = z.strictObject({
  when: condition
    .optional()
    .describe('For one of several variants: the first whose condition holds is used.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: word(
    /^\/[^\s?#]*$/,
    'a path that starts with / and has no blank, ? or #',
    'Path below the host; {slots} take parameters.',
  ),
  host: count.default(0).describe("Which of the connector's hosts, from 0."),
  fixed: z
    .record(z.string().regex(FIXED_ADDRESS, { error: 'must be query.x, header.x or body.a.b' }), z.unknown())
    .default({})
    .describe('Values sent with every call, by address.'),
  from_account: z
    .record(
      z.string().regex(BODY_ADDRESS, { error: 'must be body.a.b' }),
      z.enum(ACCOUNT_VALUES, { error: `must be one of ${ACCOUNT_VALUES.join(', ')}` }),
    )
    .optional()
    .describe(
      'For TRUSTED_IDP: values of the account and the connection, by address. Absent ones are left out.',
    ),
});

/** The keys of a tool, without the rule that connects them. */
export const toolKeysSchema = z.strictObject({
  name: word(TOOL_NAME, 'lower-case words joined by _', 'Starts with the name of the connector and _.'),
  aliases: z
    .array(word(TOOL_NAME, 'lower-case words joined by _', 'An old name.'))
    .min(1)
    .optional()
    .describe(
      'Names it had before: calls by them still work, and the answer names the new one. Published nowhere.',
    ),
  title: line('A few words for people.', 60),
  description: z
    .string()
    .min(20)
    .describe(
      'For a model choosing a tool: what it does, when to use it, what it costs, what cannot be undone. Rules are appended as sentences: do not repeat them.',
    ),
  effect: z
    .enum(['read', 'create', 'update', 'delete'])
    .describe(
      'What it does to the data. MCP hints and the retry rule follow from it: only reads are repeated.',
    ),
  everyday: z
    .enum(['default', 'core'])
    .optional()
    .describe(
      'Work of every day: `toolsets: default` publishes it. core: one of the few tools of `toolsets: core` too.',
    ),
  unlisted: z
    .literal(true)
    .optional()
    .describe(
      'Not published where no selection is set; by default, core, all, its toolset or its name where it belongs to them. For tools added later, so that existing lists stay the same.',
    ),
  idempotent: z
    .boolean()
    .optional()
    .describe('Whether calling it twice does what once does. Left out: all but creations do.'),
  scopes: scopeGroups
    .default([])
    .describe('Scopes the call needs; a list inside the list holds alternatives.'),
  source: z.strictObject({
    url: word(/^https?:\/\/\S+$/, 'a web address', "The provider's own page about the call."),
    checked: word(
      /^\d{4}-\d{2}-\d{2}$/,
      "a day in quotes, such as '2026-11-20'",
      'When that page was last read.',
    ),
  }),
  limit: z
    .string()
    .optional()
    .describe("A group of the connector's limits; the group's tools count together."),
  deadline: z
    .strictObject({
      headers: duration('Longest wait for the first byte.'),
      total: duration('Longest wait for the whole answer, at most 55s.'),
    })
    .optional(),
  parameters: z.record(parameterName, parameter).default({}),
  constraints: z.array(constraint).default([]),
  request: z
    .union([request, z.array(request).min(2)], {
      error: 'must be a request or a list of at least two variants',
    })
    .optional(),
  response: z
    .strictObject({
      pick: z.string().optional().describe('Dotted path of the part of the answer that is the result.'),
      empty: z.record(z.string(), z.unknown()).optional().describe('The result when the answer has no body.'),
      as: z
        .literal('text')
        .optional()
        .describe('The answer is text, such as CSV, and the result as it is; left out: JSON.'),
    })
    .default({}),
  paging: pagingSchema.optional().describe('Where the next page of the result starts.'),
  pending: pendingSchema.optional().describe('Which tool has a result that is not there yet.'),
  result: resultSchema.optional(),
  handler: word(
    /^[a-z][a-z0-9_]*\/[a-z0-9-]+$/,
    '<connector>/<name>',
    'Code that does the call instead of a request.',
  ).optional(),
});

/** The fault of a tool that has both or neither. */
export const REQUEST_OR_HANDLER = 'must have a request, or a handler instead of it';

/** One tool of a toolset file. */
export const toolSchema = toolKeysSchema.superRefine((tool, context) => {
  if ((tool.request === undefined) === (tool.handler === undefined)) context.addIssue(REQUEST_OR_HANDLER);
});

/** A file of tools. Each tool is checked separately, so that one mistake does not hide the others. */
export const toolsetSchema = z.strictObject({
  connector: word(CONNECTOR_NAME, 'the name of a connector', 'The connector these tools belong to.'),
  result: resultSchema.optional().describe('For all tools of this file.'),
  tools: z.array(z.unknown()).min(1),
});

export type ToolEntry = z.infer<typeof toolSchema>;
export type ParameterEntry = z.infer<typeof parameter>;
export type RequestEntry = z.infer<typeof request>;
