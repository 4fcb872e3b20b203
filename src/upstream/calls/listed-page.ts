/**
 * One page of a server's list: the members that identify a tool. Nested values are not checked, because the SDK's
 * own schema follows them to any depth and then fails the whole list.
 */
import * as z from 'zod';
import type { JsonObject } from '../../core/json.ts';

/**
 * Deepest level of a schema that is kept. A deeper schema is never published, and one of thousands of levels cannot
 * be serialized.
 */
const MAX_LEVELS = 100;

const schema = z.looseObject({}).transform((given) => upTo(MAX_LEVELS, given) as JsonObject);

/** MCP 2025-11-25 and 2026-07-28, "ListToolsResult". */
export const LISTED_PAGE = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string().optional(),
      inputSchema: schema,
      outputSchema: schema.optional(),
      annotations: z
        .object({
          title: z.string().optional(),
          readOnlyHint: z.boolean().optional(),
          destructiveHint: z.boolean().optional(),
          idempotentHint: z.boolean().optional(),
          openWorldHint: z.boolean().optional(),
        })
        .optional(),
      execution: z
        .object({ taskSupport: z.enum(['required', 'optional', 'forbidden']).optional() })
        .optional(),
    }),
  ),
  nextCursor: z.string().optional(),
});

/** The value with `null` instead of objects and lists that are nested more deeply. */
function upTo(levels: number, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  return Array.isArray(value)
    ? value.map((item) => upTo(levels - 1, item))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, upTo(levels - 1, member)]));
}
