/**
 * Turns a schema of another server into one that may be published and checked here. Pure.
 *
 * Nothing is fetched, and no pattern of the server is run. Limits are checked before everything else, so that a
 * schema cannot cost memory or time. Rules that the cleaned form cannot express are left to the server.
 *
 * @see https://json-schema.org/draft/2020-12
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { publishedText } from './text-check.ts';

/** A cleaned schema of JSON Schema 2020-12, with the closed vocabulary of this file. */
export interface CleanSchema {
  /** Absent if any JSON is allowed. */
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  /** Whether `null` is allowed too. Never published as a keyword; the description says it. */
  nullable?: boolean;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: CleanSchema;
  properties?: Record<string, CleanSchema>;
  required?: string[];
  additionalProperties?: boolean;
  anyOf?: CleanSchema[];
}

/** The schema of an input or a result: always an object. */
export type CleanRoot = CleanSchema & { type: 'object'; properties: Record<string, CleanSchema> };

/** A cleaned schema, or why it cannot be published. */
export type CleanedSchema =
  | { root: CleanRoot; /** For the description of the tool. */ sentences: readonly string[]; refused?: never }
  | { refused: string; root?: never };

const MAX_BYTES = 65_536;
const MAX_DEPTH = 20;
const MAX_MEMBERS = 500;
const MAX_ENUM = 200;
/** Most values that inlining may make, because references can double at each step. */
const MAX_INLINED = 2_000;
/** Longest description of a member, in characters. */
const MAX_DESCRIPTION = 1_000;

/** Property names that every client and model provider accepts. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array']);
const FORMATS = new Set(['uuid', 'date', 'date-time', 'uri', 'email']);
const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** The schema cannot be published. */
class SchemaFailure extends Error {
  override readonly name = 'SchemaFailure';
}

/** @param schema `inputSchema` or `outputSchema` as listed */
export function cleanSchema(schema: JsonObject): CleanedSchema {
  try {
    requireLimits(schema);
    const cleaner = new Cleaner(schema);
    const { type, ...cleaned } = cleaner.value(schema, 'the schema', []);
    if (type !== undefined && type !== 'object') throw new SchemaFailure(`the schema is of type ${type}`);
    const { properties = {}, required, additionalProperties, anyOf: _, ...rest } = cleaned;
    return {
      root: {
        type: 'object',
        properties,
        ...(required !== undefined && { required }),
        ...(additionalProperties !== undefined && { additionalProperties }),
      },
      sentences:
        rest.description === undefined ? cleaner.sentences : [rest.description, ...cleaner.sentences],
    };
  } catch (error) {
    if (error instanceof SchemaFailure) return { refused: error.message };
    throw error;
  }
}

/** The same schema in its published form: `nullable` becomes words in the description. */
export function publishedSchema(schema: CleanSchema): CleanSchema {
  const { nullable, items, properties, anyOf, description, ...rest } = schema;
  const words = [
    description,
    nullable === true && !/\bnull\b/.test(description ?? '') ? 'Or null.' : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    ...rest,
    ...(words !== '' && { description: words }),
    ...(items !== undefined && { items: publishedSchema(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, publishedSchema(member)]),
      ),
    }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(publishedSchema) }),
  };
}

function requireLimits(schema: JsonObject): void {
  let members = 0;
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) throw new SchemaFailure(`the schema is nested deeper than ${MAX_DEPTH} levels`);
    const entries = Object.entries(value);
    if (!Array.isArray(value)) members += entries.length;
    if (members > 4 * MAX_MEMBERS) throw new SchemaFailure('the schema has too many members');
    for (const [, member] of entries) walk(member, depth + 1);
  };
  // Checked before the bytes are counted, because serializing a deep value fails.
  walk(schema, 1);
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES)
    throw new SchemaFailure(`the schema is larger than ${MAX_BYTES / 1_024} kB`);
}

class Cleaner {
  readonly sentences: string[] = [];
  readonly #document: JsonObject;
  #members = 0;
  #values = 0;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** @param within references that are being inlined */
  value(schema: unknown, place: string, within: readonly string[]): CleanSchema {
    this.#values += 1;
    if (this.#values > MAX_INLINED) throw new SchemaFailure('the schema refers to itself too often');
    if (!isObject(schema)) return {};
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    if (reference !== undefined) return this.#referred(schema, reference, place, within);
    const isRoot = schema === this.#document;
    const { type, isNullable } = typeOf(schema);
    const merged = this.#combined(schema, place, within, isRoot);
    const found = { ...scalarPart(schema, type), ...merged };
    const own = this.#ownMembers(schema, place, within);
    const result: CleanSchema = {
      ...found,
      ...own,
      ...(merged.properties !== undefined && {
        type: 'object',
        properties: { ...own.properties, ...merged.properties },
        required: [...new Set([...(own.required ?? []), ...(merged.required ?? [])])],
      }),
    };
    if (result.required?.length === 0) delete result.required;
    if (isNullable || merged.nullable === true) result.nullable = true;
    return result;
  }

  #referred(schema: JsonObject, reference: unknown, place: string, within: readonly string[]): CleanSchema {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw new SchemaFailure(`${place} refers to another document, which is never fetched`);
    const { description } = schema;
    const words =
      typeof description === 'string' ? { description: publishedText(description, MAX_DESCRIPTION) } : {};
    if (within.includes(reference)) return { type: 'object', ...words };
    return {
      ...this.value(target(this.#document, reference, place), place, [...within, reference]),
      ...words,
    };
  }

  #ownMembers(schema: JsonObject, place: string, within: readonly string[]): CleanSchema {
    const { properties, items, required, additionalProperties: others } = schema;
    const cleaned: CleanSchema = {};
    if (isObject(properties)) {
      cleaned.properties = {};
      for (const [name, member] of Object.entries(properties)) {
        if (!PROPERTY_NAME.test(name) || name === '__proto__')
          throw new SchemaFailure(`${place} has a member whose name is not of A-Z, a-z, 0-9, _, . and -`);
        this.#members += 1;
        if (this.#members > MAX_MEMBERS)
          throw new SchemaFailure(`the schema has more than ${MAX_MEMBERS} members`);
        cleaned.properties[name] = this.value(member, name, within);
      }
      const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
      const known = names.filter((name) => Object.hasOwn(properties, name));
      if (known.length > 0) cleaned.required = [...new Set(known)];
      if (others === false) cleaned.additionalProperties = false;
      else if (others === true || isObject(others)) cleaned.additionalProperties = true;
    }
    if (isObject(items)) cleaned.items = this.value(items, place, within);
    return cleaned;
  }

  /**
   * Combines the keywords of combinators: `allOf` is merged, a single alternative replaces the schema, several
   * alternatives stay. At the root they become a sentence.
   */
  #combined(schema: JsonObject, place: string, within: readonly string[], isRoot: boolean): CleanSchema {
    const all = listOf(schema['allOf']).map((each) => this.value(each, place, within));
    const alternatives = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
    const others = alternatives.filter((each) => !isNull(each));
    const isNullable = others.length < alternatives.length;
    const cleaned = others.map((each) => this.value(each, place, within));
    const [only] = cleaned;
    const merged = mergedSchemas([...all, ...(cleaned.length === 1 && only !== undefined ? [only] : [])]);
    if (isNullable) merged.nullable = true;
    if (cleaned.length < 2) return merged;
    if (!isRoot) return { ...merged, anyOf: cleaned };
    // Members of all alternatives are allowed; the server decides which of them go together.
    const properties = Object.assign(
      {},
      ...cleaned.map((each) => each.properties ?? {}),
    ) as CleanRoot['properties'];
    const groups = cleaned.map(({ required = [] }) => required.join(' and ')).filter((names) => names !== '');
    if (groups.length > 1) this.sentences.push(`Give ${groups.join(', or ')}.`);
    return Object.keys(properties).length === 0
      ? merged
      : { ...merged, properties: { ...merged.properties, ...properties } };
  }
}

function target(document: JsonObject, reference: string, place: string): unknown {
  const path = decodedPointer(reference, place).split('/').slice(1);
  return path.reduce<unknown>((value, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      throw new SchemaFailure(`${place} refers to a place of the schema that does not exist`);
    return (value as JsonObject)[name];
  }, document);
}

/** @throws SchemaFailure for a percent sign that encodes nothing, as in `#/%` */
function decodedPointer(reference: string, place: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    throw new SchemaFailure(`${place} has a reference that is no JSON Pointer`);
  }
}

function typeOf({ type, properties, items, ...schema }: JsonObject): {
  type: CleanSchema['type'];
  isNullable: boolean;
} {
  const given = [type].flat();
  const first = given.find((each) => typeof each === 'string' && TYPES.has(each)) as CleanSchema['type'];
  const implied = isObject(properties) ? 'object' : isObject(items) ? 'array' : typeOfValues(schema);
  return { type: first ?? implied, isNullable: given.includes('null') || schema['nullable'] === true };
}

function typeOfValues({ enum: values, const: only }: JsonObject): CleanSchema['type'] {
  const given = Array.isArray(values) ? values : [only];
  return given.length > 0 && given.every((value) => typeof value === 'string') ? 'string' : undefined;
}

function scalarPart(schema: JsonObject, type: CleanSchema['type']): CleanSchema {
  const { description, format, enum: values, const: only, pattern } = schema;
  const cleaned: CleanSchema = type === undefined ? {} : { type };
  const words = [
    typeof description === 'string' ? description : '',
    typeof pattern === 'string' && pattern.length <= 200 ? `Pattern: ${pattern}` : '',
  ];
  const text = publishedText(words.filter((part) => part !== '').join(' '), MAX_DESCRIPTION);
  if (text !== '') cleaned.description = text;
  const list = Array.isArray(values) ? values : only === undefined ? [] : [only];
  if (list.length > MAX_ENUM)
    throw new SchemaFailure(`the schema has a list of more than ${MAX_ENUM} values`);
  const fitting = list.filter((value) => fits(value, type));
  if (fitting.length > 0) cleaned.enum = fitting;
  if (typeof format === 'string' && type === 'string' && FORMATS.has(format)) cleaned.format = format;
  for (const name of NUMBERS) {
    const value = schema[name];
    if (typeof value === 'number' && Number.isFinite(value)) cleaned[name] = value;
  }
  if (fits(schema['default'], type)) cleaned.default = schema['default'];
  return cleaned;
}

/** Whether a scalar is of a type. */
function fits(value: unknown, type: CleanSchema['type']): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && type !== 'object';
}

function mergedSchemas(schemas: readonly CleanSchema[]): CleanSchema {
  const merged: CleanSchema = {};
  for (const schema of schemas) {
    const properties = { ...merged.properties, ...schema.properties };
    const required = [...new Set([...(merged.required ?? []), ...(schema.required ?? [])])];
    Object.assign(merged, schema);
    if (Object.keys(properties).length > 0) merged.properties = properties;
    if (required.length > 0) merged.required = required;
  }
  return merged;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && (schema['type'] === 'null' || schema['const'] === null);
}
