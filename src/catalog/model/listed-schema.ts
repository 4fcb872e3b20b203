/**
 * The input schema in lists for models: the schema of the tool without the parts that no model needs. Every
 * conversation pays for each keyword. Calls are checked by the whole schema. Pure.
 */
import type { PublishedSchema, Tool } from './types.ts';

/** The largest number of 32 bits: a technical limit that no sensible call reaches. */
const LARGEST_NUMBER = 2 ** 31 - 1;

/** The part of a tool that its listed schema is made of. */
type Described = Pick<Tool, 'inputSchema' | 'parameters' | 'paging'>;

/**
 * The schema without four things that say nothing to a model:
 *
 * - `additionalProperties`: an object with members takes no others, one without takes any, and a call is refused with
 *   the names that exist. It stays for a tool without parameters, as MCP recommends.
 * - an empty list of required members
 * - the lowest number of what is counted, one without an upper limit and from the start of pages; the largest number of
 *   32 bits
 * - the pattern of texts with commas, because their description says it
 */
export function listedSchema({ inputSchema, parameters, paging }: Described): Tool['inputSchema'] {
  const { properties = {} } = inputSchema;
  if (Object.keys(properties).length === 0) return inputSchema;
  const own = Object.entries(properties).map(([name, { ...schema }]) => {
    if (parameters[name]?.comma_separated === true) delete schema.pattern;
    const lowest = name === paging?.offset?.parameter ? 0 : 1;
    if (schema.maximum === undefined && schema.minimum === lowest) delete schema.minimum;
    return [name, schema] as const;
  });
  return { ...withoutNoise({ ...inputSchema, properties: Object.fromEntries(own) }), type: 'object' };
}

function withoutNoise(whole: PublishedSchema): PublishedSchema {
  const { additionalProperties: _, ...schema } = whole;
  const { maximum, items, properties, required } = schema;
  if (maximum === LARGEST_NUMBER) delete schema.maximum;
  if (required?.length === 0) delete schema.required;
  if (items !== undefined) schema.items = withoutNoise(items);
  if (properties !== undefined)
    schema.properties = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, withoutNoise(member)]),
    );
  return schema;
}
