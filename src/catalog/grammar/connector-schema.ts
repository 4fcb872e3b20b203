/** The shape of connector.yaml: a provider's addresses, its ways to authenticate, the form of its errors. */
import * as z from 'zod';
import { placeholderName as placeholderNameWith } from '../../authorization-types/block-shapes.ts';
import { AUTHORIZATION_TYPE_NAMES } from '../../authorization-types/index.ts';
import { authBlocks } from './auth-blocks.ts';
import { resultSchema } from './result-schema.ts';
import { CONNECTOR_NAME, HEADER_NAME, line, word } from './file-words.ts';
import { mcpSchema, mcpToolsSchema } from './mcp-schema.ts';

const placeholderName = placeholderNameWith(z);

const fieldValue = z
  .string()
  .regex(/^[\x20-\x7e]{1,100}$/, { error: 'must have 1 to 100 printable ASCII characters' });

const field = z.strictObject({
  name: word(
    /^[a-z][a-z0-9_]{0,63}$/,
    'lower-case letters, digits and _',
    'Key of the value in the stored credential.',
  ),
  label: line('What the form calls it.', 60),
  input: z
    .enum(['text', 'password', 'multiline'])
    .default('text')
    .describe('multiline: a secret of several lines, such as a PEM key; its line breaks are kept.'),
  choices: z.array(fieldValue).min(2).max(50).optional().describe('The only values, to choose from.'),
  pattern: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A regular expression that the whole value must match.'),
  example: fieldValue.optional().describe('A value that matches it; shown to people.'),
  hint: z.string().max(200).optional().describe('Where to find it.'),
  required: z.boolean().default(true),
});

const check = z.strictObject({
  path: word(
    /^\/[^\s?#{}]*$/,
    'a path that starts with / and has no blank, ?, #, { and }',
    'Path below the host.',
  ),
  host: z.int().min(0).default(0).describe('Which of the hosts, from 0.'),
  query: z.record(z.string().min(1), z.string()).default({}).describe('Parameters of the query.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Headers that the provider asks for.'),
  refused: z
    .array(z.int().min(400).max(499))
    .min(1)
    .default([401])
    .describe('Statuses that mean: the credential is refused.'),
});

const who = z.strictObject({
  ...check.omit({ refused: true }).shape,
  name: z
    .array(z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/, { error: 'must be a dotted path such as user.email' }))
    .min(1)
    .max(5)
    .describe('Dotted paths of the name in the answer, tried in order.'),
  me: z
    .array(z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/, { error: 'must be a dotted path such as user.id' }))
    .min(1)
    .max(5)
    .optional()
    .describe('Dotted paths of the id that tools take for this person: what `me` means in their input.'),
});

const place = z.strictObject({
  in: z.enum(['header', 'query']),
  name: z
    .string()
    .min(1)
    .max(200)
    .describe('Name of the header or query parameter, as the provider spells it.'),
  field: z
    .string()
    .optional()
    .describe('Which field it carries. Left out for OAUTH: it carries the access token.'),
  prefix: z.string().max(40).default('').describe('Text before the value, e.g. "Token ".'),
  secret: z
    .literal(false)
    .optional()
    .describe('The value is no secret, such as an e-mail address: it is not hidden in answers.'),
});

const fixedHalf = z.string().regex(/^[\x20-\x7e]{0,100}$/, {
  error: 'must have at most 100 printable ASCII characters',
});

const auth = z.strictObject({
  type: z.enum(AUTHORIZATION_TYPE_NAMES),
  fields: z.array(field).default([]).describe('What the connect page asks for.'),
  attach: z
    .union([place, z.array(place).min(1).max(5)], { error: 'must be a place or a list of places' })
    .optional()
    .describe(
      'Where the credential goes: one place, or a list. Bearer and Basic have a fixed place and leave it out.',
    ),
  fixed: z
    .strictObject({ username: fixedHalf.optional(), password: fixedHalf.optional() })
    .optional()
    .describe('For BASIC_AUTH and BASIC: the half that is the same for every account, and is not asked for.'),
  check: check
    .optional()
    .describe(
      'One cheap GET that proves a credential before it is stored. For API_KEY, CUSTOM, BASIC_AUTH, BASIC and BEARER_TOKEN.',
    ),
  who: who
    .optional()
    .describe(
      'One cheap GET that says what the provider calls the account, such as an e-mail address. For the same types and OAUTH.',
    ),
  scopes: z
    .record(z.string(), z.string())
    .optional()
    .describe('Permissions the credential may have, with what each allows.'),
  ...authBlocks,
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

const advice = z
  .strictObject({
    statuses: z.array(z.int().min(400).max(599)).min(1).optional().describe('One of these statuses.'),
    codes: z.array(z.string().min(1)).min(1).optional().describe('And one of these error codes.'),
    says: z
      .string()
      .min(10)
      .max(400)
      .describe('Whole sentences for a model: what the answer means and what to do.'),
    retry: z
      .boolean()
      .default(false)
      .describe('true: the same call may succeed a little later; the sentence about when is appended.'),
    resets_daily_in: z
      .string()
      .refine(isTimeZone, { error: 'must be a time zone such as America/Los_Angeles' })
      .optional()
      .describe('Time zone, such as America/Los_Angeles, at whose midnight the call may succeed again.'),
  })
  .superRefine((row, context) => {
    if (row.statuses === undefined && row.codes === undefined) context.addIssue('needs statuses or codes');
    if (row.retry && row.resets_daily_in !== undefined)
      context.addIssue('can have only one of retry and resets_daily_in');
  });

const answerPath = z
  .string()
  .regex(/^[^.\s]+(\.[^.\s]+)*$/, { error: 'must be a dotted path such as error.code' });
const answerValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const answerCondition = z
  .union(
    [
      answerPath,
      z
        .record(answerPath, z.union([answerValue, z.array(answerValue).min(1)]))
        .refine((table) => Object.keys(table).length > 0),
    ],
    { error: 'must be a dotted path ("it is there and not empty") or a table such as {ok: false}' },
  )
  .describe(
    '`x`: x is there and not empty. `{x: 1}`: x is 1, or one of a list; several entries: all of them.',
  );
const answerConditions = z.union([answerCondition, z.array(answerCondition).min(1)], {
  error:
    'must be a dotted path ("it is there and not empty"), a table such as {ok: false}, or a list of these',
});

const words = z
  .string()
  .max(2_000)
  .regex(/^[a-z0-9]+( [a-z0-9]+)*$/, { error: 'must be words in lower case with a blank between them' });

/** connector.yaml. */
export const connectorSchema = z.strictObject({
  name: word(
    CONNECTOR_NAME,
    'at most 30 lower-case letters, digits and _, and none of gatehouse, default, core and all',
    'Prefix of the names of its tools.',
  ),
  title: line('What people call the provider.', 60),
  description: line('One sentence about what an agent can do with it.', 300),
  hosts: z
    .array(
      z.strictObject({
        url: z
          .string()
          .describe('Base address: scheme, host and perhaps a path; {placeholders} are filled per account.'),
        placeholders: z
          .record(placeholderName, z.string())
          .default({})
          .describe('For each placeholder the regular expression that the whole value has to match.'),
        path_prefixes: z
          .array(
            z.string().regex(/^(\/[A-Za-z0-9_.~-]+)+$/, {
              error: 'must be the beginning of a path in whole segments, such as /v1 or /youtube/v3',
            }),
          )
          .min(1)
          .optional()
          .describe(
            'With several hosts: how the paths begin that belong to this one. A proxied request names a path and no host.',
          ),
      }),
    )
    .default([])
    .describe('Base addresses of the API. A connector with mcp has none.'),
  mcp: mcpSchema.optional().describe('A remote MCP server, which lists its tools itself.'),
  tools: mcpToolsSchema.optional().describe('With mcp: which of its tools are taken, and under which words.'),
  headers: z
    .record(
      word(HEADER_NAME, 'a header name', 'Such as Api-Version.'),
      z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, {
        error: 'must be printable ASCII characters without blanks at the ends',
      }),
    )
    .optional()
    .describe(
      'Sent with every request to the hosts, such as the version of the API; {placeholders} are filled per account.',
    ),
  proxy_headers: z
    .array(word(HEADER_NAME, 'a header name', 'Such as ConsistencyLevel.'))
    .optional()
    .describe("Request headers of the provider's own that a proxied request may carry."),
  settings: z
    .record(
      placeholderName,
      z.strictObject({
        label: line('What the connect page calls the placeholder.', 60),
        hint: z.string().max(200).optional().describe('Where to find the value.'),
        suffix: word(
          /^\.[a-z0-9-]+(\.[a-z0-9-]+)*$/,
          'the end of a host name, such as .example.com',
          'Appended to a value that matches its pattern only with it.',
        ).optional(),
      }),
    )
    .optional()
    .describe('What people are shown about placeholders.'),
  prompts: z
    .array(line('A question or task in the words of people.', 120))
    .min(1)
    .max(2)
    .optional()
    .describe('What people may ask an agent first; shown once an account is connected.'),
  search_words: z
    .strictObject({
      app: words.optional().describe('Words that people use for the app and what it is about.'),
      means: z
        .record(z.string().regex(/^[a-z0-9]+$/, { error: 'must be one word in lower case' }), words)
        .default({})
        .describe('For a word in names and descriptions of its tools the everyday words for the same thing.'),
      tools: z
        .record(z.string(), words)
        .default({})
        .describe('For single tools the words in which people ask for what they do.'),
    })
    .optional()
    .describe('Everyday words by which the search of `--discovery` finds tools.'),
  auth: z.array(auth).min(1),
  limits: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,29}$/, { error: 'must be lower-case letters, digits, _ and -' }),
      z.strictObject({ per_minute: z.int().min(1).max(100_000) }),
    )
    .default({})
    .describe('Calls a minute and account, by group.'),
  result: resultSchema.optional().describe('For all tools of this connector.'),
  errors: z
    .strictObject({
      message: z
        .array(z.string())
        .default([])
        .describe(
          'Dotted paths of the message in an error body, tried in order. The step * stands for all entries of a list or an object.',
        ),
      code: z.array(z.string()).default([]).describe('Dotted paths of the error code.'),
      reconnect: z
        .array(z.int().min(400).max(499))
        .default([401])
        .describe('Statuses that mean: the credential is refused.'),
      reconnect_codes: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('Error codes that mean the same although the status, 4xx, is not among reconnect.'),
      reconnect_except: z
        .array(z.string())
        .optional()
        .describe('Error codes that mean something else although the status is among reconnect.'),
      conflicts: z.array(z.string()).default([]).describe('Error codes answered as 409.'),
      retry_after: z
        .strictObject({
          of: z
            .enum(['account', 'connection'])
            .describe('connection: the limit is that of the app, for all accounts of a connection together.'),
        })
        .optional()
        .describe('Whose calls wait after a 429 with Retry-After; default: those of the account.'),
      missing_scope: z
        .strictObject({
          statuses: z.array(z.int().min(400).max(499)).min(1),
          codes: z.array(z.string()).min(1).optional().describe('Only these error codes; default: any.'),
          except: z.array(z.string()).default([]).describe('Error codes that mean something else.'),
          named: z
            .array(z.string())
            .min(1)
            .optional()
            .describe(
              'Dotted paths of the scopes that are missing, with commas or blanks between them, or the members of a list (`….*`); default: those of the tool.',
            ),
        })
        .optional()
        .describe('Answers that mean: the credential lacks a scope.'),
      refused_answer: answerConditions
        .optional()
        .describe('What a 2xx answer has that means: the credential is refused.'),
      failed_answer: answerConditions
        .optional()
        .describe(
          'What a 2xx answer has that means: the call failed. Then message and code are read as of a 4xx.',
        ),
      advice: z
        .array(advice)
        .min(1)
        .optional()
        .describe('What answers mean and what to do; the first row that fits counts.'),
    })
    .default({ message: [], code: [], reconnect: [401], conflicts: [] }),
});

export type ConnectorEntry = z.infer<typeof connectorSchema>;

/** The hosts that requests of a connector may reach: its hosts, or the one address of an MCP server. */
export function hostsOf({ hosts, mcp }: Pick<ConnectorEntry, 'hosts' | 'mcp'>): ConnectorEntry['hosts'] {
  return mcp === undefined ? hosts : [{ url: mcp.url, placeholders: mcp.placeholders }];
}
