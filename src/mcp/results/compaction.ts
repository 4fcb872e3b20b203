/**
 * The compact form of an answer, by the `result` rules of its tool. Pure.
 *
 * Nothing is guessed: an answer that does not have the form that the rules describe has no compact form, and the
 * caller gives it whole.
 */
import type { ResultRules } from '../../catalog/model/types.ts';
import { isObject } from '../../core/json.ts';
import { decodedRows } from './rows.ts';
import { at, PathSet, replaced, type CompactResult, type Table } from './members.ts';

/** Options of a compact form. */
export interface CompactOptions {
  /** Members of each record instead of those that the rules keep; ids are kept too. */
  fields?: readonly string[] | undefined;
  /** Input of the call. The rules may name one of its parameters, whose members are kept (`keep_given`). */
  input?: Readonly<Record<string, unknown>> | undefined;
  /** Maximum rows of a table, if the rules describe rows. */
  maxRows?: number | undefined;
  /** Characters to leave out at the start of each record's long text. */
  offset?: number | undefined;
}

/** The answer does not have the form that the rules describe. */
class ShapeFailure extends Error {}

/** The compact form of an answer; `undefined` if the answer does not fit the rules. An empty answer stays as it is. */
export function compacted(
  rules: ResultRules,
  data: unknown,
  options: CompactOptions = {},
): CompactResult | undefined {
  if (data === null || (isObject(data) && Object.keys(data).length === 0))
    return { value: data, unknownFields: [], omittedRows: 0 };
  try {
    return new Compaction(rules, options).of(data);
  } catch (error) {
    if (error instanceof ShapeFailure) return undefined;
    throw error;
  }
}

class Compaction {
  readonly #rules: ResultRules;
  readonly #options: CompactOptions;
  readonly #drop: PathSet;
  readonly #lift: PathSet;
  readonly #flags: PathSet;
  readonly #found = new Set<string>();
  #recordCount = 0;

  constructor(rules: ResultRules, options: CompactOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#drop = new PathSet(rules.drop);
    this.#lift = new PathSet(rules.lift);
    this.#flags = new PathSet(rules.flags);
  }

  of(data: unknown): CompactResult {
    const { list, rows } = this.#rules;
    if (rows !== undefined && list !== undefined) {
      const decoded = decodedRows(rows, list, data, { columns: this.#wantedColumns(), ...this.#options });
      if (decoded === undefined) throw new ShapeFailure();
      return decoded;
    }
    const value = list === undefined ? this.#withRecord(data) : this.#withList(data, list);
    const { fields = [] } = this.#options;
    const unknownFields = this.#recordCount === 0 ? [] : fields.filter((field) => !this.#found.has(field));
    return { value, unknownFields, omittedRows: 0 };
  }

  #wantedColumns(): readonly string[] | undefined {
    return this.#options.fields ?? (this.#rules.keep && Object.keys(this.#rules.keep));
  }

  #withList(data: unknown, list: string): unknown {
    const root = this.#cleaned(data, '');
    if (list !== '.' && !isObject(root)) throw new ShapeFailure();
    const records = list === '.' ? root : at(root, list);
    if (!Array.isArray(records)) throw new ShapeFailure();
    const shaped = this.#formed(records.map((record) => this.#shaped(record)));
    if (list === '.') return shaped;
    return withoutEmpty(replaced(root, list, shaped), list);
  }

  #withRecord(data: unknown): unknown {
    const { record } = this.#rules;
    const root = this.#cleaned(data, '');
    if (record === undefined) return this.#shaped(root);
    const found = at(root, record);
    if (!isObject(root) || !isObject(found)) throw new ShapeFailure();
    const shaped = this.#shaped(found);
    const isAlone = Object.keys(root).length === 1 && Object.hasOwn(root, record);
    return isAlone ? shaped : withoutEmpty(replaced(root, record, shaped), record);
  }

  /** A copy without dropped members, with values unwrapped and members lifted. */
  #cleaned(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return this.#cleanedList(value, path);
    if (!isObject(value)) return value;
    const taken = this.#taken(value);
    if (taken !== undefined) return taken.value;
    const members: [string, unknown][] = [];
    const lifted: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const place = path === '' ? name : `${path}.${name}`;
      if (this.#drop.has(name, place) || (this.#flags.has(name, place) && member !== true)) continue;
      const clean = this.#cleaned(member, place);
      if (isObject(clean) && isObject(member) && this.#lift.has(name, place)) lifted.push([name, clean]);
      else members.push([name, clean]);
    }
    const result: Table = Object.fromEntries(members);
    for (const [name, object] of lifted) {
      // If the record has a member of that name, that one keeps its place, and the lifted one stays where it was.
      const [free, held] = split(Object.entries(object as Table), ([key]) => !Object.hasOwn(result, key));
      for (const [key, member] of free) define(result, key, member);
      if (held.length > 0) define(result, name, Object.fromEntries(held));
    }
    return result;
  }

  #cleanedList(list: readonly unknown[], path: string): unknown {
    const items = list.map((item) => this.#cleaned(item, path));
    const [only] = list;
    return list.length === 1 && isObject(only) && this.#taken(only) !== undefined ? items[0] : items;
  }

  /** The value of a value object; `undefined` for any other object, and for an unknown kind. */
  #taken(object: Table): { value: unknown } | undefined {
    const { unwrap } = this.#rules;
    const kind = unwrap && object[unwrap.by];
    if (unwrap === undefined || typeof kind !== 'string' || !Object.hasOwn(unwrap.take, kind))
      return undefined;
    const paths = unwrap.take[kind];
    if (typeof paths === 'string') {
      const value = at(object, paths);
      return value === undefined ? undefined : { value };
    }
    const members = (paths ?? []).map((path) => [lastName(path), at(object, path)] as const);
    return members.some(([, value]) => value !== undefined)
      ? { value: Object.fromEntries(members.filter(([, value]) => value !== undefined)) }
      : undefined;
  }

  #shaped(record: unknown): unknown {
    const { ids = {}, keep, text } = this.#rules;
    const { fields, offset = 0 } = this.#options;
    if (!isObject(record)) {
      if (keep === undefined && Object.keys(ids).length === 0) return record;
      throw new ShapeFailure();
    }
    this.#recordCount += 1;
    const result: Table = {};
    for (const [name, path] of Object.entries(ids)) {
      const id = at(record, path);
      if ((typeof id !== 'string' || id === '') && typeof id !== 'number') throw new ShapeFailure();
      define(result, name, id);
    }
    const source = offset > 0 && text !== undefined ? withTextFrom(record, text, offset) : record;
    for (const [name, path] of this.#wanted(source)) {
      const value = at(source, path);
      if (value === undefined) continue;
      this.#found.add(name);
      define(result, name, value);
    }
    for (const field of fields ?? []) if (Object.hasOwn(ids, field)) this.#found.add(field);
    return withoutEmpty(result);
  }

  /** Names and paths of the members to keep in addition to the ids. */
  #wanted(record: Table): readonly (readonly [string, string])[] {
    const { ids = {}, keep } = this.#rules;
    const { fields } = this.#options;
    if (fields !== undefined)
      return fields
        .filter((field) => !Object.hasOwn(ids, field))
        .map((field) => [field, keep?.[field] ?? field]);
    if (keep !== undefined) return [...Object.entries(keep), ...this.#given()];
    const taken = new Set(Object.values(ids));
    return Object.keys(record).flatMap((name) => (taken.has(name) ? [] : [[name, name] as const]));
  }

  #given(): [string, string][] {
    const { keep_given: parameter = '' } = this.#rules;
    const given = this.#options.input?.[parameter];
    return isObject(given) ? Object.keys(given).map((name) => [name, name]) : [];
  }

  #formed(records: readonly unknown[]): unknown {
    const { as = 'objects' } = this.#rules;
    if (as === 'objects' || this.#options.fields !== undefined) return records;
    if (as === 'values') return records.map((record) => this.#onlyValue(record));
    if (as === 'map') return this.#mapOf(records);
    return tableOf(records as readonly Table[]);
  }

  #onlyValue(record: unknown): unknown {
    const [name = ''] = Object.keys(this.#rules.keep ?? {});
    if (!isObject(record) || !Object.hasOwn(record, name)) throw new ShapeFailure();
    return record[name];
  }

  #mapOf(records: readonly unknown[]): Table {
    const { key = '' } = this.#rules;
    const map: Table = {};
    for (const record of records) {
      if (!isObject(record)) throw new ShapeFailure();
      const { [key]: name, ...others } = record;
      if (typeof name !== 'string' || Object.hasOwn(map, name)) throw new ShapeFailure();
      const values = Object.values(others);
      define(map, name, values.length === 1 ? values[0] : others);
    }
    return map;
  }
}

/** The records as a table, without the columns that no record fills. */
function tableOf(records: readonly Table[]): Table {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return { columns, rows: records.map((record) => columns.map((name) => record[name] ?? null)) };
}

/** A copy without null, empty text, empty lists and empty objects; the member at `except` stays. */
function withoutEmpty(value: unknown, except?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === except) return [[name, member] as const];
    const below = except?.startsWith(`${name}.`) === true ? except.slice(name.length + 1) : undefined;
    const full = withoutEmpty(member, below);
    return below === undefined && isEmpty(full) ? [] : [[name, full] as const];
  });
  return Object.fromEntries(members);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A copy whose text at the path starts later; it never starts inside a surrogate pair. */
function withTextFrom(record: Table, path: string, offset: number): Table {
  const text = at(record, path);
  if (typeof text !== 'string') return record;
  const isInside = /[\uDC00-\uDFFF]/.test(text.charAt(offset));
  return replaced(record, path, text.slice(isInside ? offset - 1 : offset)) as Table;
}

/** Sets a member of its own, whatever its name is. */
function define(table: Table, name: string, value: unknown): void {
  Object.defineProperty(table, name, { value, enumerable: true, writable: true, configurable: true });
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
