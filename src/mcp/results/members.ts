/** Reads and replaces members of an answer by their dotted paths. Pure. */

import { isObject, membersOf } from '../../core/json.ts';

/** An object of an answer. */
export type Table = Record<string, unknown>;

/** A compact form. */
export interface CompactResult {
  value: unknown;
  /** Names among `fields` that no record has. */
  unknownFields: readonly string[];
  /** Rows of the answer that are left out because of `maxRows`. */
  omittedRows: number;
}

/**
 * The value at a path; `undefined` if there is none. A member whose own name has dots takes precedence
 * (`@odata.nextLink`); `.` is the value itself. A path through a list leads to the list of what its items have, or by a number to one item.
 */
export function at(value: unknown, path: string): unknown {
  if (path === '.') return value;
  if (Array.isArray(value)) {
    const [, index, rest] = /^(\d{1,9})(?:\.(.+))?$/.exec(path) ?? [];
    if (index !== undefined) {
      const item: unknown = value[Number(index)];
      return rest === undefined ? item : at(item, rest);
    }
    return value.map((item) => at(item, path)).filter((item) => item !== undefined);
  }
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  const dot = path.indexOf('.');
  const name = path.slice(0, dot);
  return dot < 0 || !Object.hasOwn(value, name) ? undefined : at(value[name], path.slice(dot + 1));
}

/** A copy with another value at a path that exists. */
export function replaced(root: unknown, path: string, value: unknown): unknown {
  if (path === '.') return value;
  if (!isObject(root) || Object.hasOwn(root, path)) return { ...membersOf(root), [path]: value };
  const dot = path.indexOf('.');
  const name = path.slice(0, dot);
  return { ...root, [name]: replaced(root[name], path.slice(dot + 1), value) };
}

/** Places in an answer that rules name: each by its own name, or by the end of its path. */
export class PathSet {
  readonly #names: ReadonlySet<string>;
  readonly #ends: readonly string[];

  constructor(paths: readonly string[] = []) {
    this.#names = new Set(paths);
    this.#ends = paths.filter((path) => path.includes('.')).map((path) => `.${path}`);
  }

  /** @param place path of the member from the root, without list positions */
  has(name: string, place: string): boolean {
    return this.#names.has(name) || this.#ends.some((end) => `.${place}`.endsWith(end));
  }
}
