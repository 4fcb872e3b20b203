/**
 * Collects the parts of a schema that apply together, with references and `allOf` resolved, and reads their
 * type. Pure.
 */
import { isList, isObject } from '../../core/json.ts';
import type { JsonObject } from '../model/types.ts';
import type { References } from './references.ts';

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** Maximum number of schemas that apply together; no sensible description has more. */
export const MAX_PARTS = 200;

/** Schemas without `$ref` and `allOf`: their targets, in addition to the keywords next to them. */
export function expand(schemas: readonly unknown[], references: References, refs: Set<string>): JsonObject[] {
  const parts: JsonObject[] = [];
  const seen = new Set<string>();
  const visit = (schema: unknown): void => {
    if (!isObject(schema) || parts.length >= MAX_PARTS) return;
    const { $ref, allOf, ...rest } = schema;
    if (Object.keys(rest).length > 0) parts.push(rest);
    if (typeof $ref === 'string' && !seen.has($ref)) {
      seen.add($ref);
      refs.add($ref);
      visit(references.target($ref));
    }
    if (Array.isArray(allOf)) for (const inner of allOf) visit(inner);
  };
  for (const schema of schemas) visit(schema);
  return parts;
}

/** Whether they allow only null. */
export function isNull(parts: readonly JsonObject[]): boolean {
  return parts.some(({ type, const: only }) => type === 'null' || only === null);
}

/** The names, if a branch contains nothing but `required`. */
export function requiredOnly(parts: readonly JsonObject[]): string[] | undefined {
  const names = parts.flatMap(({ required }) => (Array.isArray(required) ? required.map(String) : []));
  const says = parts.flatMap((part) => Object.keys(part));
  return names.length > 0 && says.every((key) => key === 'required' || key === 'type') ? names : undefined;
}

/** The everyday word for a type. */
export function wordOf(type: JsonType | undefined): string {
  const words = {
    string: 'text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
  };
  return type === undefined ? 'any value' : words[type];
}

/** Values listed by all parts; `undefined` if no part lists any. */
export function valuesOf(parts: readonly JsonObject[]): unknown[] | undefined {
  let values: unknown[] | undefined;
  for (const part of parts) {
    const { enum: several, const: only } = part;
    const listed = isList(several) ? several : Object.hasOwn(part, 'const') ? [only] : undefined;
    if (listed === undefined) continue;
    values = values === undefined ? [...new Set(listed)] : values.filter((value) => listed.includes(value));
  }
  return values;
}

const TYPES: readonly JsonType[] = ['string', 'integer', 'number', 'boolean', 'object', 'array'];

/** Types that every part allows, without null. Empty if no part names a type. */
export function typesOf(parts: readonly JsonObject[]): JsonType[] {
  let types: JsonType[] = [];
  for (const { type } of parts) {
    if (type === undefined) continue;
    const named = TYPES.filter((name) => (Array.isArray(type) ? type.includes(name) : type === name));
    if (named.length === 0) continue;
    const both = types.filter((name) => named.includes(name));
    if (types.length === 0) types = named;
    else if (both.length > 0) types = both;
    else if ([...types, ...named].every((name) => name === 'integer' || name === 'number'))
      types = ['integer'];
  }
  return types;
}

/** The type, named or inferred from the keywords; text takes precedence. */
export function typeOf(parts: readonly JsonObject[]): JsonType | undefined {
  const types = typesOf(parts);
  if (types.length > 0) return types.includes('string') ? 'string' : types[0];
  const has = (...keys: string[]): boolean =>
    parts.some((part) => keys.some((key) => Object.hasOwn(part, key)));
  const values = valuesOf(parts)?.filter((value) => value !== null);
  if (values !== undefined && values.length > 0) {
    const kinds = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
    const [kind] = kinds;
    return kinds.size === 1 ? TYPES.find((name) => name === kind) : undefined;
  }
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'minItems', 'maxItems')) return 'array';
  if (has('pattern', 'minLength', 'maxLength', 'format')) return 'string';
  return has('minimum', 'maximum', 'multipleOf') ? 'number' : undefined;
}
