/**
 * Converts a value of another JSON type into the declared one if nothing is lost. Language models often send `"10"`
 * for 10. Pure.
 *
 * It follows a published schema, so nothing inside an open object is touched. Free text stays as it is. The result
 * is not checked here: the caller validates the whole input again.
 */
import { FORMATS } from '../model/formats.ts';
import type { PublishedSchema } from '../model/types.ts';

/** A decimal number of at most 15 digits, which a double holds exactly. */
const NUMBER = /^-?(?=(?:\D?\d){1,15}$)(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** A domain or an email address: contains no comma, so text with commas between several of them is a list. */
const NAMES = /^[\w+-]+(?:[.@][\w+-]+)+(?:\s*,\s*[\w+-]+(?:[.@][\w+-]+)+)+$/;

/** Longest text that may be a misspelt value, in characters. A pattern must not spend time on longer ones. */
const MAX_SCALAR = 1_000;

/** @returns the value in its declared type, or the same value if there is no lossless way */
export function coerced(schema: PublishedSchema, value: unknown): unknown {
  switch (schema.type) {
    case 'string':
      return text(schema, value);
    case 'integer':
    case 'number':
      return isScalar(value) && NUMBER.test(value.trim()) ? Number(value) : value;
    case 'boolean':
      return isScalar(value) ? (BOOLEANS[value.trim().toLowerCase()] ?? value) : value;
    case 'array':
      return list(schema, value);
    default:
      return object(schema, value);
  }
}

const BOOLEANS: Readonly<Partial<Record<string, boolean>>> = { true: true, false: false };

function isScalar(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_SCALAR;
}

/** Text in its declared spelling. Only a set of words, a format or a pattern declares one. */
function text({ enum: words, format, pattern }: PublishedSchema, value: unknown): unknown {
  if (!isScalar(value)) return value;
  const trimmed = value.trim();
  if (words !== undefined) {
    const same = words.filter((word) => word.toLowerCase() === trimmed.toLowerCase());
    return words.includes(trimmed) ? trimmed : same.length === 1 ? same[0] : value;
  }
  if (format === 'date-time' && FORMATS.date.matches(trimmed)) return `${trimmed}T00:00:00Z`;
  return format === undefined && pattern === undefined ? value : trimmed;
}

function list({ items }: PublishedSchema, value: unknown): unknown {
  const given = typeof value === 'string' ? (json(value, '[') ?? entries(value)) : value;
  if (given === null || given === undefined) return value;
  const found = Array.isArray(given) ? given : [given];
  return items === undefined ? found : mapped(found, (item) => coerced(items, item));
}

/**
 * The texts between commas, if that is the only possible meaning; otherwise the text itself. Empty text does not
 * become a list, because it may mean "empty it".
 */
function entries(value: string): unknown {
  if (value.trim() === '') return undefined;
  if (!value.includes(',')) return [value];
  return isScalar(value) && NAMES.test(value.trim())
    ? value.split(',').map((entry) => entry.trim())
    : undefined;
}

function object(schema: PublishedSchema, value: unknown): unknown {
  const { properties } = schema;
  const given = typeof value === 'string' ? (json(value, '{') ?? onlyMember(schema, value)) : value;
  if (properties === undefined || typeof given !== 'object' || given === null || Array.isArray(given))
    return given;
  const members = Object.entries(given);
  const changed = members.map(([name, member]: [string, unknown]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, schema === undefined ? member : coerced(schema, member)] as const;
  });
  return changed.every(([, member], i) => member === members[i]?.[1]) ? given : Object.fromEntries(changed);
}

/**
 * The object whose only free member has this text as its value: every other required member has a single possible
 * value.
 */
function onlyMember({ properties = {}, required = [] }: PublishedSchema, value: string): unknown {
  const fixed = required.filter((name) => properties[name]?.enum?.length === 1);
  const [open, ...more] = required.filter((name) => !fixed.includes(name));
  const isOnly = open !== undefined && more.length === 0 && properties[open]?.type === 'string';
  if (!isOnly || value.trim() === '') return value;
  return { ...Object.fromEntries(fixed.map((name) => [name, properties[name]?.enum?.[0]])), [open]: value };
}

/** The changed list; the same list if no item changes. */
function mapped(values: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const changed = values.map(change);
  return changed.every((value, i) => value === values[i]) ? values : changed;
}

/** @returns `undefined` for text that is not JSON of this kind */
function json(value: string, start: '[' | '{'): unknown {
  if (!value.trimStart().startsWith(start)) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
