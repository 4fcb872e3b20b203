/** Shapes of keys that the blocks of several authorization types share. They get zod as an argument; see facts.ts. */
import type { Zod } from './facts.ts';

/** Text with a certain spelling. @param expected completes "must be …" */
export const word = (z: Zod, pattern: RegExp, expected: string, meaning: string) =>
  z
    .string()
    .regex(pattern, { error: `must be ${expected}` })
    .describe(meaning);

/** Name of a placeholder of addresses. */
export const placeholderName = (z: Zod) =>
  z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case letters, digits and _' });

/** An address that may have placeholders. */
export const webUrl = (z: Zod, meaning: string) =>
  word(z, /^https?:\/\/[^/?#@\\\s]+(\/[^#\\\s]*)?$/, 'a web address without user name and fragment', meaning);

/** For each placeholder of addresses that no host has, its pattern. */
export const placeholders = (z: Zod) =>
  z
    .record(placeholderName(z), z.string())
    .optional()
    .describe(
      'For each placeholder that no host has the regular expression that the whole value has to match.',
    );

/** The provider's names of our scopes. */
export const scopeNames = (z: Zod) =>
  z
    .record(z.string().min(1), z.string().regex(/^[!-~]+$/, { error: 'must be text without blanks' }))
    .optional()
    .describe('What the provider calls a scope that the catalog names otherwise, by our name.');

/** Scopes of connections that choose none. */
export const scopes = (z: Zod) =>
  z
    .array(z.string().min(1))
    .default([])
    .describe('Scopes asked for where a connection chooses none; each has to be in the scopes of the entry.');

/** Parameters that are sent with every request of a kind. */
export const parameters = (z: Zod, meaning: string) =>
  z.record(z.string().min(1), z.string()).default({}).describe(meaning);

/** A dotted path in an answer. */
const answerPath = (z: Zod) =>
  z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/, { error: 'must be a dotted path such as team.id' });

/** Values of an account that the provider says while it is connected, by the names under which they are kept. */
export const metadata = (z: Zod) =>
  z
    .strictObject({
      token: z
        .record(placeholderName(z), answerPath(z))
        .optional()
        .describe('Values of the token reply: by name, the dotted path.'),
      callback: z
        .record(placeholderName(z), z.string().min(1))
        .optional()
        .describe('Values of the callback: by name, the parameter of its query.'),
      request: z
        .strictObject({
          url: webUrl(z, 'A cheap GET that is sent once, with the new token.'),
          headers: z
            .record(
              z.string().regex(/^(?!authorization$)[!#$%&'*+.^_`|~0-9a-z-]+$/i, {
                error: 'must be a header name, and not Authorization',
              }),
              z.string(),
            )
            .default({})
            .describe('Headers of this request.'),
          list: answerPath(z)
            .or(z.literal('.'))
            .optional()
            .describe(
              'Where the list stands whose only fitting entry has the values; `.` if the answer is a list. Left out: the answer has them.',
            ),
          where: z
            .record(answerPath(z), z.union([z.string(), z.number(), z.boolean()]))
            .optional()
            .describe('What an entry of the list must have to fit: by dotted path, the value.'),
          values: z.record(placeholderName(z), answerPath(z)).describe('By name, the dotted path.'),
        })
        .optional()
        .describe('Values of the answer to a first request.'),
    })
    .optional()
    .describe(
      'Values that fill {placeholders} of hosts and headers, or are only kept, in api_config of the account. An https address counts as its host.',
    );

/**
 * Authentication of a client at a token endpoint: RFC 6749 section 2.3.1, or a signed assertion (RFC 7523
 * section 2.2).
 */
export const clientAuthentication = (z: Zod) =>
  z
    .enum(['post', 'basic', 'private_key_jwt'])
    .default('post')
    .describe(
      'Client secret in the form (post) or in the Authorization header (basic), or a JWT signed with the private key of the connection (private_key_jwt).',
    );

/** Separator of the scopes in a request. */
export const scopeSeparator = (z: Zod, usual: ' ' | ',') => z.enum([' ', ',']).default(usual);
