/**
 * zod schemas that validate what a published JSON Schema promises.
 *
 * They are built from the published schema itself, so the two cannot drift apart. They are built only when a
 * tool is first called, so the start does not pay for them. They use zod's small form, like the settings,
 * because a start loads no other. They know the closed vocabulary of input-schema.ts, not JSON Schema at
 * large.
 */
import * as z from 'zod/mini';
import { FORMATS } from '../model/formats.ts';
import { MAX_TEXT } from '../../core/safe-json.ts';
import type { PublishedSchema, Tool } from '../model/types.ts';

const built = new WeakMap<Tool, z.ZodMiniType>();

/** The validator of a tool's parameters; unknown parameters are reported by zod as `unrecognized_keys`. */
export function toolValidator(tool: Tool): z.ZodMiniType {
  const known = built.get(tool);
  if (known !== undefined) return known;
  const schema = valueSchema(tool.inputSchema);
  built.set(tool, schema);
  return schema;
}

/**
 * zod schema of one published schema. `description`, `default` and limits that zod cannot express become
 * metadata.
 */
export function valueSchema(schema: PublishedSchema): z.ZodMiniType {
  const { description, default: fallback } = schema;
  return typed(schema).check(
    z.meta({
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  );
}

function typed(schema: PublishedSchema): z.ZodMiniType {
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

/** A pattern is not tried on text that is too long: no time is spent on a hostile megabyte. */
function text({ minLength, maxLength, pattern, format }: PublishedSchema): z.ZodMiniType {
  let result = z.string();
  if (minLength !== undefined) result = result.check(z.minLength(minLength));
  if (maxLength !== undefined) result = result.check(z.maxLength(maxLength, { abort: true }));
  if (pattern !== undefined) result = withinMaxText(result).check(z.regex(new RegExp(pattern, 'u')));
  if (format === undefined) return result;
  const { expected, matches } = FORMATS[format];
  return result.check(
    z.refine(matches, { error: `must be ${expected}`, params: { constraint: 'format' } }),
    z.meta({ format }),
  );
}

function withinMaxText(text: z.ZodMiniString<string>): z.ZodMiniString<string> {
  return text.check(
    z.refine((value) => value.length <= MAX_TEXT, {
      error: `must have at most ${MAX_TEXT} characters`,
      params: { constraint: 'max_length' },
      abort: true,
    }),
  );
}

function bounded(number: z.ZodMiniNumber, { minimum, maximum }: PublishedSchema): z.ZodMiniType {
  let result = number;
  if (minimum !== undefined) result = result.check(z.minimum(minimum));
  if (maximum !== undefined) result = result.check(z.maximum(maximum));
  return result;
}

/**
 * zod's own `maxLength` checks no items of a list that is too long; with the refinement both are reported at
 * once.
 */
function list({ items, minItems, maxItems }: PublishedSchema): z.ZodMiniType {
  let result = z.array(items === undefined ? z.unknown() : valueSchema(items));
  if (minItems !== undefined) result = result.check(z.minLength(minItems));
  if (maxItems === undefined) return result;
  return result.check(
    z.refine((entries) => entries.length <= maxItems, {
      error: `must have at most ${maxItems} entries`,
      params: { constraint: 'max_items' },
      when: ({ value }) => Array.isArray(value),
    }),
    z.meta({ maxItems }),
  );
}

function closedObject(
  properties: Record<string, PublishedSchema>,
  required: readonly string[] = [],
): z.ZodMiniType {
  const members = Object.entries(properties).map(([name, property]) => {
    const member = valueSchema(property);
    return [name, required.includes(name) ? member : z.optional(member)];
  });
  return z.strictObject(Object.fromEntries(members) as Record<string, z.ZodMiniType>);
}

function freeObject({ minProperties }: PublishedSchema): z.ZodMiniType {
  if (minProperties === undefined) return z.looseObject({});
  return z.looseObject({}).check(
    z.refine((value) => Object.keys(value).length >= minProperties, {
      error: `must have at least ${minProperties} members`,
      params: { constraint: 'min_properties' },
    }),
    z.meta({ minProperties }),
  );
}
