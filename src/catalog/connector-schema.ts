/** The shape of connector.yaml: where a provider is, how it is authorized, what its errors look like. */
import * as z from 'zod';
import { CONNECTOR_NAME, line, word } from './file-words.ts';

const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;

/** Authorization types a connector file may accept: all whose credential a person can type in, and none at all. */
export const FILE_AUTHORIZATION_TYPES = [
  'API_KEY',
  'BEARER_TOKEN',
  'BASIC_AUTH',
  'BASIC',
  'CUSTOM',
  'NO_AUTH',
] as const;

const field = z.strictObject({
  name: word(
    /^[a-z][a-z0-9_]{0,63}$/,
    'lower-case letters, digits and _',
    'Key of the value in the stored credential.',
  ),
  label: line('What the form calls it.', 60),
  input: z.enum(['text', 'password']).default('text'),
  hint: z.string().max(200).optional().describe('Where to find it.'),
  required: z.boolean().default(true),
});

const auth = z.strictObject({
  type: z.enum(FILE_AUTHORIZATION_TYPES),
  fields: z.array(field).default([]).describe('What the connect page asks for.'),
  attach: z
    .strictObject({
      in: z.enum(['header', 'query']),
      name: word(HEADER_NAME, 'a header or query name', 'Name of the header or query parameter.'),
      field: z.string().describe('Which field it carries.'),
      prefix: z.string().max(40).default('').describe('Text before the value, e.g. "Token ".'),
    })
    .optional()
    .describe('Where the credential goes. Bearer and Basic have a fixed place and leave it out.'),
  scopes: z
    .record(z.string(), z.string())
    .optional()
    .describe('Permissions the credential may have, with what each allows.'),
});

/** connector.yaml. */
export const connectorSchema = z.strictObject({
  name: word(
    CONNECTOR_NAME,
    'at most 30 lower-case letters, digits and _',
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
          .record(
            z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case letters, digits and _' }),
            z.string(),
          )
          .default({})
          .describe('For each placeholder the regular expression that the whole value has to match.'),
      }),
    )
    .min(1),
  auth: z.array(auth).min(1),
  limits: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,29}$/, { error: 'must be lower-case letters, digits, _ and -' }),
      z.strictObject({ per_minute: z.int().min(1).max(100_000) }),
    )
    .default({})
    .describe('Calls a minute and account, by group.'),
  errors: z
    .strictObject({
      message: z
        .array(z.string())
        .default([])
        .describe('Dotted paths of the message in an error body, tried in order.'),
      code: z.array(z.string()).default([]).describe('Dotted paths of the error code.'),
      reconnect: z
        .array(z.int().min(400).max(499))
        .default([401])
        .describe('Statuses that mean: the credential is refused.'),
      conflicts: z.array(z.string()).default([]).describe('Error codes answered as 409.'),
    })
    .default({ message: [], code: [], reconnect: [401], conflicts: [] }),
});

export type ConnectorEntry = z.infer<typeof connectorSchema>;
