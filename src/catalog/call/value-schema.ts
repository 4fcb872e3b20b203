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
import { linearPattern } from '../model/linear-pattern.ts';
import type { PublishedSchema, Tool } from '../model/types.ts';

/** Most steps that the patterns of one call may take together, at 50 ns at worst. */
const MAX_CALL_STEPS = 1_000_000;

/** Steps that are left for patterns. A validation never waits, so calls cannot mix theirs. */
interface PatternSteps {
  left: number;
}

interface ToolValidator {
  schema: z.ZodMiniType;
  steps: PatternSteps;
}

const built = new WeakMap<Tool, ToolValidator>();

/** Validates a tool's parameters; unknown parameters are reported by zod as `unrecognized_keys`. */
export function validateParameters(
  tool: Tool,
  parameters: Readonly<Record<string, unknown>>,
): z.core.util.SafeParseResult<unknown> {
  const { schema, steps } = toolValidator(tool);
  steps.left = MAX_CALL_STEPS;
  return schema.safeParse(parameters, { reportInput: true });
}

/** The validator of a tool, built with its first call. */
export function toolValidator(tool: Tool): ToolValidator {
  const known = built.get(tool);
  if (known !== undefined) return known;
  const steps = { left: 0 };
  const schema = tool.upstream?.checkedSchema ?? tool.inputSchema;
  const validator = { schema: valueSchema(schema, steps), steps };
  built.set(tool, validator);
  return validator;
}

/**
 * zod schema of one published schema. `description`, `default` and limits that zod cannot express become
 * metadata.
 */
export function valueSchema(
  schema: PublishedSchema,
  steps: PatternSteps = { left: MAX_CALL_STEPS },
): z.ZodMiniType {
  const { description, default: fallback, nullable } = schema;
  const value = typed(schema, steps);
  return (nullable === true ? z.nullable(value) : value).check(
    z.meta({
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  );
}

function typed(schema: PublishedSchema, steps: PatternSteps): z.ZodMiniType {
  switch (schema.type) {
    case 'string':
      return schema.enum === undefined ? text(schema, steps) : z.enum(schema.enum);
    case 'integer':
      return bounded(z.number(), schema).check(z.int());
    case 'number':
      return bounded(z.number(), schema);
    case 'boolean':
      return z.boolean();
    case 'array':
      return list(schema, steps);
    case undefined:
      return z.unknown();
    default:
      return schema.properties === undefined ? freeObject(schema) : object(schema, steps);
  }
}

/** A pattern is not tried on text that is too long, so that no time is spent on a hostile megabyte. */
function text(
  { minLength, maxLength, pattern, format }: PublishedSchema,
  steps: PatternSteps,
): z.ZodMiniType {
  let result = z.string();
  if (minLength !== undefined) result = result.check(z.minLength(minLength));
  if (maxLength !== undefined) result = result.check(z.maxLength(maxLength, { abort: true }));
  if (pattern !== undefined) result = matching(result, pattern, steps);
  if (format === undefined) return result;
  const { expected, matches } = FORMATS[format];
  return result.check(
    z.refine(matches, { error: `must be ${expected}`, params: { constraint: 'format' } }),
    z.meta({ format }),
  );
}

/** The patterns of a call share its steps, or a list of many texts would take long. */
function matching(
  text: z.ZodMiniString<string>,
  source: string,
  steps: PatternSteps,
): z.ZodMiniString<string> {
  const pattern = linearPattern(source);
  return text.check(
    z.refine((value) => value.length <= pattern.maxLength, {
      error: `must have at most ${pattern.maxLength} characters`,
      params: { constraint: 'max_length' },
      abort: true,
    }),
    z.refine((value) => (steps.left -= value.length * pattern.stepsPerCharacter) >= 0, {
      error: 'must be shorter, or sent in several calls: the texts are too long together to be checked',
      params: { constraint: 'max_length' },
      abort: true,
    }),
    z.refine((value) => pattern.test(value), {
      error: `must match the pattern /${source}/u`,
      params: { constraint: 'pattern' },
    }),
    z.meta({ pattern: source }),
  );
}

function bounded(number: z.ZodMiniNumber, { minimum, maximum }: PublishedSchema): z.ZodMiniNumber {
  let result = number;
  if (minimum !== undefined) result = result.check(z.minimum(minimum));
  if (maximum !== undefined) result = result.check(z.maximum(maximum));
  return result;
}

/**
 * zod's own `maxLength` checks no items of a list that is too long; with the refinement both are reported at
 * once.
 */
function list({ items, minItems, maxItems }: PublishedSchema, steps: PatternSteps): z.ZodMiniType {
  let result = z.array(items === undefined ? z.unknown() : valueSchema(items, steps));
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

/** Closed, unless it says that further members may be given. */
function object(
  { properties = {}, required = [], additionalProperties }: PublishedSchema,
  steps: PatternSteps,
): z.ZodMiniType {
  const members = Object.entries(properties).map(([name, property]): [string, z.ZodMiniType] => {
    const member = valueSchema(property, steps);
    return [name, required.includes(name) ? member : z.optional(member)];
  });
  const shape = Object.fromEntries(members);
  return additionalProperties === true ? z.looseObject(shape) : z.strictObject(shape);
}

function freeObject({ minProperties }: PublishedSchema): z.ZodMiniType {
  if (minProperties === undefined) return z.looseObject({});
  return z.looseObject({}).check(
    z.refine((value) => Object.keys(value).length >= minProperties, {
      error: `must have at least ${minProperties} ${minProperties === 1 ? 'member' : 'members'}`,
      params: { constraint: 'min_properties' },
    }),
    z.meta({ minProperties }),
  );
}
