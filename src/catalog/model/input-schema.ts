/**
 * The JSON Schema that a tool publishes, built from its parameters.
 *
 * Root members are exactly type, properties, required, additionalProperties. There is no `$schema`, `$ref`,
 * combinator or list of types anywhere: several model providers reject the whole tool list because of one of
 * them. Rules across parameters are therefore sentences of the description (constraints.ts). value-schema.ts
 * validates with a zod schema made from exactly this; a test compares the two. Two lengths that tell
 * a model nothing (`min_length: 1`, `max_length: 255`) are checked by input.ts and not published. Each keyword costs
 * tokens in every conversation.
 */
import type { ValueEntry } from '../grammar/toolset-schema.ts';
import type { Parameter, PublishedMembers, PublishedSchema, Tool } from './types.ts';

/** The limit of a stored name, which no sensible call comes near. */
const STORED_NAME = 255;

/** @returns the published schema; JSON Schema 2020-12 */
export function inputSchema(parameters: Readonly<Record<string, Parameter>>): Tool['inputSchema'] {
  const entries = Object.entries(parameters);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameterSchema(parameter)])),
    required: entries.filter(([, parameter]) => parameter.required).map(([name]) => name),
    additionalProperties: false,
  };
}

/** Schema of one parameter, with its description and default. */
export function parameterSchema(parameter: Parameter): PublishedSchema {
  const schema = scalarPart(parameter);
  if (parameter.min_length === 1) delete schema.minLength;
  if (parameter.max_length === STORED_NAME) delete schema.maxLength;
  if (parameter.default !== undefined) schema.default = parameter.default;
  if (parameter.items !== undefined) schema.items = parameter.items;
  if (parameter.type === 'object') Object.assign(schema, parameter.members ?? { additionalProperties: true });
  return schema;
}

/** Schema of list items as the file describes them: an object with declared members is closed, otherwise open. */
export function itemSchema(entry: ValueEntry): PublishedSchema {
  const schema = scalarPart(entry);
  if (entry.items !== undefined) schema.items = itemSchema(entry.items);
  if (entry.type !== 'object') return schema;
  return {
    ...schema,
    ...(entry.properties === undefined ? { additionalProperties: true } : memberSchemas(entry.properties)),
  };
}

/** The keywords of a closed object with these members. */
export function memberSchemas(properties: Readonly<Record<string, ValueEntry>>): PublishedMembers {
  const members = Object.entries(properties);
  const required = members.filter(([, member]) => member.required === true).map(([name]) => name);
  return {
    properties: Object.fromEntries(members.map(([name, member]) => [name, itemSchema(member)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function scalarPart(entry: Parameter | ValueEntry): PublishedSchema {
  const { type, description, format, pattern, minimum, maximum } = entry;
  return {
    type,
    ...(description !== undefined && { description }),
    ...(entry.enum !== undefined && { enum: [...entry.enum] }),
    ...(format !== undefined && { format }),
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(entry.min_length !== undefined && { minLength: entry.min_length }),
    ...(entry.max_length !== undefined && { maxLength: entry.max_length }),
    ...(entry.min_items !== undefined && { minItems: entry.min_items }),
    ...(entry.max_items !== undefined && { maxItems: entry.max_items }),
    ...(entry.min_properties !== undefined && { minProperties: entry.min_properties }),
  };
}
