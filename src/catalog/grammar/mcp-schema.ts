/** The shape of the two keys of connector.yaml that make a connector of a remote MCP server: `mcp` and `tools`. */
import * as z from 'zod';
import {
  placeholderName as placeholderNameWith,
  word as wordWith,
} from '../../authorization-types/block-shapes.ts';
import { parseDuration } from '../../core/clock.ts';
import { line } from './file-words.ts';
import { toolKeysSchema } from './toolset-schema.ts';

const placeholderName = placeholderNameWith(z);

/** Names as a server writes them; `*` stands for any characters. */
const namePatterns = (meaning: string) =>
  z.array(z.string().min(1).max(128)).min(1).max(200).describe(meaning);

/** A time of at least a second. @param most longest one, as text */
const time = (usual: string, most: string, meaning: string) =>
  z
    .string()
    .refine(
      (text) => {
        const ms = parseDuration(text) ?? 0;
        return ms >= 1_000 && ms <= (parseDuration(most) ?? 0);
      },
      { error: `must be a duration from 1s to ${most}` },
    )
    .default(usual)
    .describe(meaning);

/** `mcp`: the address of the server, its protocol, and the conditions under which its tools are published. */
export const mcpSchema = z.strictObject({
  url: z
    .string()
    .describe('The address of the server, as its operator gives it; {placeholders} are filled per account.'),
  placeholders: z
    .record(placeholderName, z.string())
    .default({})
    .describe('For each placeholder the regular expression that the whole value has to match.'),
  approval: z
    .enum(['manual', 'first', 'trusted'])
    .optional()
    .describe(
      'manual: an operator approves each tool. first: the first list is approved if nothing in its texts is striking. trusted: changes too; for servers of your own. Left out: first where Gatehouse and its base URL are on loopback, else manual.',
    ),
  pin: z
    .enum(['full', 'shape'])
    .default('full')
    .describe(
      'shape: values of enum, default and examples may differ from account to account and are no part of what is approved.',
    ),
  transport: z
    .enum(['http', 'sse'])
    .default('http')
    .describe('sse: the transport of 2024-11-05, which servers give up.'),
  era: z
    .enum(['auto', 'legacy', 'modern'])
    .default('auto')
    .describe('legacy: servers that begin with initialize. modern: those without sessions. auto: found out.'),
  timeout: time('120s', '600s', 'Longest call where the caller asked for progress and waits.'),
  idle_timeout: time('30s', '600s', 'Longest silence on the stream of a call.'),
  output_schemas: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether the schemas of results are published with the tools.'),
  elicitation_hosts: z
    .array(wordWith(z, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'a host such as pay.example.com', 'A host.'))
    .max(20)
    .default([])
    .describe('Hosts of pages that the server may ask a person to open; such a question is shown as text.'),
  max_tools: z
    .int()
    .min(1)
    .max(1_000)
    .default(1_000)
    .describe('Longest list of tools that is taken; of a longer one nothing is.'),
});

const override = z.strictObject({
  name: toolKeysSchema.shape.name.optional(),
  title: toolKeysSchema.shape.title.optional(),
  description: line('What a model reads instead of the text of the server.', 2_000).optional(),
  effect: toolKeysSchema.shape.effect.optional(),
  toolset: wordWith(
    z,
    /^[a-z][a-z0-9-]{0,63}$/,
    'lower-case letters, digits and -',
    'The toolset that it belongs to.',
  ).optional(),
  output_schemas: z.enum(['on', 'off']).optional().describe('Instead of what mcp says.'),
});

/** `tools`: the tools that are taken from the server, and texts that replace the server's. */
export const mcpToolsSchema = z.strictObject({
  include: namePatterns('Tools that are taken, as the server writes them; left out: all.').optional(),
  exclude: namePatterns('Tools that are not taken, even if include has them.').optional(),
  override: z
    .record(z.string().min(1).max(128), override)
    .default({})
    .describe("By the server's name of a tool, what replaces its own words."),
});
