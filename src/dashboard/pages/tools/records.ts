/** Shows an answer as a table: the list of records in it, and the fields that fit. Pure. */

import { isObject } from '../../../core/json.ts';

/** Size of the table at most. */
const MAX_ROWS = 50;
const MAX_FIELDS = 5;

/** Longest text of a cell. */
const MAX_CELL = 160;

/** Records found in an answer. */
export interface Records {
  fields: readonly string[];
  rows: readonly (readonly string[])[];
  /** Number of all records and fields. */
  records: number;
  allFields: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The answer itself if it is a list of objects, otherwise the first such list in it; `undefined` if there is none.
 */
export function recordsOf(data: unknown): Records | undefined {
  const list = listIn(data, 2);
  if (list === undefined) return undefined;
  const plain = new Map<string, number>();
  for (const record of list)
    for (const [name, value] of Object.entries(record))
      plain.set(name, (plain.get(name) ?? 0) + (isSimple(value) ? 1 : 0));
  const names = [...plain.keys()];
  const simple = (name: string): number => plain.get(name) ?? 0;
  // Fields with plain values come first, because they say more than nested ones. Otherwise the app's order stays.
  const fields = names.toSorted((a, b) => Math.sign(simple(b)) - Math.sign(simple(a))).slice(0, MAX_FIELDS);
  return {
    fields,
    rows: list.slice(0, MAX_ROWS).map((record) => fields.map((name) => cellOf(record[name]))),
    records: list.length,
    allFields: names.length,
  };
}

/** Names and values of an answer that is a single object; `undefined` for any other answer. */
export function factsOf(data: unknown): [string, string][] | undefined {
  if (!isObject(data)) return undefined;
  return Object.entries(data)
    .slice(0, MAX_ROWS)
    .map(([name, value]) => [name, cellOf(value)]);
}

function listIn(data: unknown, depth: number): JsonObject[] | undefined {
  if (Array.isArray(data)) {
    const records = data.filter(isObject);
    return records.length > 0 && records.length === data.length ? records : undefined;
  }
  if (!isObject(data) || depth === 0) return undefined;
  for (const value of Object.values(data)) {
    const found = listIn(value, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}

function isSimple(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
