/**
 * zod schemas that validate what a published JSON Schema promises.
 *
 * Built from the published schema itself, so the two cannot drift apart, and only when a tool is first called:
 * starting does not pay for it. Knows the closed vocabulary of input-schema.ts, not JSON Schema at large.
 */
import * as z from 'zod';
import { FORMATS } from './formats.ts';
import type { PublishedSchema } from './input-schema.ts';
import { MAX_TEXT } from './safe-json.ts';
import type { Tool } from './types.ts';

const built = new WeakMap<Tool, z.ZodType>();

/** The validator of a tool's parameters; unknown parameters are reported by zod as `unrecognized_keys`. */
export function toolValidator(tool: Tool): z.ZodType {
  const known = built.get(tool);
  if (known !== undefined) return known;
  const schema = valueSchema(tool.inputSchema as unknown as PublishedSchema);
  built.set(tool, schema);
  return schema;
}

/** zod schema of one published schema. `description`, `default` and limits zod has no word for become metadata. */
export function valueSchema(schema: PublishedSchema): z.ZodType {
  const { description, default: fallback } = schema;
  return typed(schema).meta({
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  });
}

function typed(schema: PublishedSchema): z.ZodType {
  switch (schema.type) {
    case 'string':
      return schema.enum === undefined ? text(schema) : z.enum(schema.enum);
    case 'integer':
      return bounded(z.int(), schema);
    case 'number':
      return bounded(z.number(), schema);
    case 'boolean':
      return z.boolean();
    case 'array':
      return list(schema);
    default:
      return schema.properties === undefined
        ? freeObject(schema)
        : closedObject(schema.properties, schema.required);
  }
}

/** A pattern is not tried on text that is too long already: no time is spent on a hostile megabyte. */
function text({ minLength, maxLength, pattern, format }: PublishedSchema): z.ZodType {
  let result = z.string();
  if (minLength !== undefined) result = result.min(minLength);
  if (maxLength !== undefined) result = result.max(maxLength, { abort: true });
  if (pattern !== undefined) result = withinMaxText(result).regex(new RegExp(pattern, 'u'));
  if (format === undefined) return result;
  const { expected, matches } = FORMATS[format];
  return result
    .refine(matches, { error: `must be ${expected}`, params: { constraint: 'format' } })
    .meta({ format });
}

function withinMaxText(text: z.ZodString): z.ZodString {
  return text.refine((value) => value.length <= MAX_TEXT, {
    error: `must have at most ${MAX_TEXT} characters`,
    params: { constraint: 'max_length' },
    abort: true,
  });
}

function bounded(number: z.ZodNumber, { minimum, maximum }: PublishedSchema): z.ZodType {
  let result = number;
  if (minimum !== undefined) result = result.min(minimum);
  if (maximum !== undefined) result = result.max(maximum);
  return result;
}

/** `.max()` of zod looks at no item of a list that is too long; the refinement lets both be reported at once. */
function list({ items, minItems, maxItems }: PublishedSchema): z.ZodType {
  let result = z.array(items === undefined ? z.unknown() : valueSchema(items));
  if (minItems !== undefined) result = result.min(minItems);
  if (maxItems === undefined) return result;
  return result
    .refine((entries) => entries.length <= maxItems, {
      error: `must have at most ${maxItems} entries`,
      params: { constraint: 'max_items' },
      when: ({ value }) => Array.isArray(value),
    })
    .meta({ maxItems });
}

function closedObject(
  properties: Record<string, PublishedSchema>,
  required: readonly string[] = [],
): z.ZodType {
  const members = Object.entries(properties).map(([name, property]) => {
    const member = valueSchema(property);
    return [name, required.includes(name) ? member : member.optional()];
  });
  return z.strictObject(Object.fromEntries(members) as Record<string, z.ZodType>);
}

function freeObject({ minProperties }: PublishedSchema): z.ZodType {
  if (minProperties === undefined) return z.looseObject({});
  return z
    .looseObject({})
    .refine((value) => Object.keys(value).length >= minProperties, {
      error: `must have at least ${minProperties} members`,
      params: { constraint: 'min_properties' },
    })
    .meta({ minProperties });
}
