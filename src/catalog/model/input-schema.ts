/**
 * The JSON Schema that a tool publishes, built from its parameters.
 *
 * Root members are exactly type, properties, required, additionalProperties. There is no `$schema`, `$ref`,
 * combinator or list of types anywhere: several model providers reject the whole tool list because of one of
 * them. Rules across parameters are therefore sentences of the description (constraints.ts). value-schema.ts
 * validates with a zod schema made from exactly this; a test compares the two. Lengths that no sensible call
 * comes near (`min_length: 1`, `max_length` of 255 and more) are checked by input.ts and not published. Each
 * keyword costs tokens in every conversation.
 */
import type { ValueEntry } from '../grammar/toolset-schema.ts';
import type { JsonObject, Parameter } from './types.ts';

/** The keywords that a published schema may have, at its root too. */
export interface PublishedSchema {
  type: Parameter['type'];
  description?: string;
  default?: unknown;
  enum?: string[];
  format?: NonNullable<Parameter['format']>;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  items?: PublishedSchema;
  properties?: Record<string, PublishedSchema>;
  required?: string[];
  additionalProperties?: boolean;
}

const KEYWORDS = [
  ['enum', 'enum'],
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['minimum', 'minimum'],
  ['maximum', 'maximum'],
  ['min_length', 'minLength'],
  ['max_length', 'maxLength'],
  ['min_items', 'minItems'],
  ['max_items', 'maxItems'],
  ['min_properties', 'minProperties'],
] as const;

/** From this value on a limit comes from storage, like that of a name, and tells a model nothing. */
const UNPUBLISHED_MAX_LENGTH = 255;

/** @returns the published schema; JSON Schema 2020-12 */
export function inputSchema(parameters: Readonly<Record<string, Parameter>>): JsonObject {
  const entries = Object.entries(parameters);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameterSchema(parameter)])),
    required: entries.filter(([, parameter]) => parameter.required).map(([name]) => name),
    additionalProperties: false,
  };
}

/** Schema of one parameter, with its description and default. */
export function parameterSchema(parameter: Parameter): JsonObject {
  const schema = { ...scalarPart(parameter) };
  if (parameter.min_length === 1) delete schema['minLength'];
  if ((parameter.max_length ?? 0) >= UNPUBLISHED_MAX_LENGTH) delete schema['maxLength'];
  if (parameter.default !== undefined) schema['default'] = parameter.default;
  if (parameter.items !== undefined) schema['items'] = parameter.items;
  if (parameter.type === 'object') Object.assign(schema, parameter.members ?? { additionalProperties: true });
  return schema;
}

/**
 * Schema of list items as the file describes them: an object with declared members is closed, otherwise open.
 */
export function itemSchema(entry: ValueEntry): JsonObject {
  const schema = { ...scalarPart(entry) };
  if (entry.items !== undefined) schema['items'] = itemSchema(entry.items);
  if (entry.type !== 'object') return schema;
  return {
    ...schema,
    ...(entry.properties === undefined ? { additionalProperties: true } : memberSchemas(entry.properties)),
  };
}

/** The keywords of a closed object with these members. */
export function memberSchemas(properties: Readonly<Record<string, ValueEntry>>): JsonObject {
  const members = Object.entries(properties);
  const required = members.filter(([, member]) => member.required === true).map(([name]) => name);
  return {
    properties: Object.fromEntries(members.map(([name, member]) => [name, itemSchema(member)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function scalarPart(entry: Parameter | ValueEntry): JsonObject {
  const schema: JsonObject = { type: entry.type };
  if (entry.description !== undefined) schema['description'] = entry.description;
  for (const [from, to] of KEYWORDS) if (entry[from] !== undefined) schema[to] = entry[from];
  return schema;
}
