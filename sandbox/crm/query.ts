/** Filters and sorts of record and entry queries, compiled once and then applied to each row. */
import type { Attribute, AttributeType, Values } from './model.ts';
import { CrmRefusal } from './refusal.ts';
import { plainValue, PROPERTIES, type Plain } from './value-text.ts';

/** A row of a query. */
export interface Row {
  /** Current values. */
  values: Values;
  /** Ids that can be filtered and sorted by in addition to attributes, e.g. `record_id`. */
  ids: Readonly<Record<string, string>>;
}

type Json = Record<string, unknown>;
type Test = (row: Row) => boolean;
type ReadRow = (row: Row) => Plain[];
type Compare = (stored: Plain, wanted: unknown) => boolean;

const OPERATORS: Readonly<Record<string, Compare>> = {
  $eq: (stored, wanted) => order(stored, wanted) === 0,
  $contains: (stored, wanted) => folded(stored).includes(folded(wanted)),
  $starts_with: (stored, wanted) => folded(stored).startsWith(folded(wanted)),
  $ends_with: (stored, wanted) => folded(stored).endsWith(folded(wanted)),
  $lt: (stored, wanted) => order(stored, wanted) < 0,
  $lte: (stored, wanted) => order(stored, wanted) <= 0,
  $gt: (stored, wanted) => order(stored, wanted) > 0,
  $gte: (stored, wanted) => order(stored, wanted) >= 0,
  $in: (stored, wanted) => Array.isArray(wanted) && wanted.some((one) => order(stored, one) === 0),
};

/**
 * A filter of the forms `{slug: value}`, `{slug: {$op: value}}`, `{slug: {property: …}}`, `$and`, `$or`,
 * `$not`.
 *
 * @throws CrmRefusal filter_error, also if there is no row to test
 */
export function compileFilter(
  filter: unknown,
  attributes: readonly Attribute[],
  ids: readonly string[],
): Test {
  const tests = Object.entries(asObject(filter, 'A filter')).map(([key, condition]): Test => {
    if (key === '$and' || key === '$or') {
      if (!Array.isArray(condition)) throw fault(`${key} takes an array of filters.`);
      const parts = condition.map((part) => compileFilter(part, attributes, ids));
      return (row) => (key === '$and' ? parts.every((part) => part(row)) : parts.some((part) => part(row)));
    }
    if (key === '$not') {
      const part = compileFilter(condition, attributes, ids);
      return (row) => !part(row);
    }
    if (key.startsWith('$')) throw fault(`There is no operator ${key}.`);
    if (key === 'path')
      throw fault('This stand-in filters by the own attributes of a record only, not by paths.');
    return attributeTest(key, condition, attributes, ids);
  });
  return (row) => tests.every((test) => test(row));
}

/** @throws CrmRefusal filter_error */
export function compileSorts(
  sorts: readonly {
    direction: 'asc' | 'desc';
    attribute?: string | undefined;
    path?: string[][] | undefined;
    field?: string | undefined;
  }[],
  attributes: readonly Attribute[],
  ids: readonly string[],
): (one: Row, other: Row) => number {
  const orders = sorts.map(({ direction, attribute, path = [], field }) => {
    const slug = attribute ?? (path.length === 1 ? path[0]?.[1] : undefined);
    if (slug === undefined) throw fault('This stand-in sorts by the own attributes of a record only.');
    const read = reader(slug, field, attributes, ids);
    const sign = direction === 'asc' ? 1 : -1;
    return (one: Row, other: Row): number => {
      const [a = null] = read(one);
      const [b = null] = read(other);
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return sign * order(a, b);
    };
  });
  return (one, other) => orders.reduce((sofar, compare) => sofar || compare(one, other), 0);
}

function attributeTest(
  slug: string,
  condition: unknown,
  attributes: readonly Attribute[],
  ids: readonly string[],
): Test {
  if (typeof condition !== 'object' || condition === null)
    return comparison(reader(slug, undefined, attributes, ids), '$eq', condition);
  const tests = Object.entries(asObject(condition, `The condition of "${slug}"`)).map(
    ([key, wanted]): Test => {
      if (key.startsWith('$')) return comparison(reader(slug, undefined, attributes, ids), key, wanted);
      const read = reader(slug, key, attributes, ids);
      if (typeof wanted !== 'object' || wanted === null) return comparison(read, '$eq', wanted);
      const parts = Object.entries(asObject(wanted, `The condition of "${slug}.${key}"`)).map(
        ([operator, value]) => comparison(read, operator, value),
      );
      return (row) => parts.every((part) => part(row));
    },
  );
  return (row) => tests.every((test) => test(row));
}

function comparison(read: ReadRow, operator: string, wanted: unknown): Test {
  if (operator === '$not_empty') return (row) => read(row).length > 0 === (wanted === true);
  const compare = OPERATORS[operator];
  if (compare === undefined) throw fault(`There is no operator ${operator}.`);
  if (Array.isArray(wanted) !== (operator === '$in'))
    throw fault(`${operator} does not take this kind of value.`);
  return (row) => read(row).some((stored) => compare(stored, wanted));
}

/** Reads one attribute, or one member of it, from a row. */
function reader(
  slug: string,
  property: string | undefined,
  attributes: readonly Attribute[],
  ids: readonly string[],
): ReadRow {
  if (ids.includes(slug)) return (row) => [row.ids[slug] ?? null];
  const attribute = attributes.find(({ api_slug, id }) => api_slug === slug || id.attribute_id === slug);
  if (attribute === undefined) throw fault(`There is no attribute with the slug or ID "${slug}".`);
  const member = property ?? PROPERTIES[attribute.type][0];
  if (!PROPERTIES[attribute.type].includes(member))
    throw fault(`Values of the type ${attribute.type} have no "${member}".`);
  const isTime = isTimeType(attribute.type);
  return (row) =>
    (row.values[attribute.api_slug] ?? []).map((value) => {
      const plain = plainValue(value, member);
      return isTime && typeof plain === 'string' ? new Date(plain).toISOString() : plain;
    });
}

function isTimeType(type: AttributeType): boolean {
  return type === 'timestamp' || type === 'date' || type === 'interaction';
}

/**
 * Compares numbers by size, times by their instant, everything else as text. NaN if the two cannot be
 * compared.
 */
function order(stored: Plain, wanted: unknown): number {
  if (typeof stored === 'number') return stored - Number(wanted);
  if (stored === null || !isPlain(wanted)) return Number.NaN;
  const one = String(stored);
  const isTime = /^\d{4}-\d{2}-\d{2}T.*Z$/.test(one) && !Number.isNaN(Date.parse(String(wanted)));
  const other = isTime ? new Date(String(wanted)).toISOString() : String(wanted);
  return one === other ? 0 : one < other ? -1 : 1;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function folded(value: unknown): string {
  return String(value).toLowerCase();
}

function asObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(`${what} is an object.`);
  return value as Json;
}

function fault(message: string): CrmRefusal {
  return new CrmRefusal(400, 'filter_error', message);
}
