/** Reading and changing nested plain values by path. */

import { isObject } from '../json.ts';

/** Members of groups by name, entries of lists by index. */
export type Path = readonly (string | number)[];

/** The value of a YAML mapping. */
export type Group = Record<string, unknown>;

/** A path as people write it: `environments[0].base_url`. */
export function dotted(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}

/** Returns the value at a path; `undefined` if the tree has no such path. */
export function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part] as unknown;
    else if (isObject(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}

/**
 * Sets a member and creates the groups around it. Returns false, and changes nothing, if another value is in
 * the way.
 */
export function place(tree: Group, path: readonly string[], value: unknown): boolean {
  let group = tree;
  for (const part of path.slice(0, -1)) {
    const inner = group[part] ?? {};
    if (!isObject(inner)) return false;
    group[part] = inner;
    group = inner;
  }
  group[path.at(-1) ?? ''] = value;
  return true;
}

/**
 * Returns the part whose removal also removes a fault at `path`. It is the member itself, the group that
 * lacks a member, or the whole list that has a fault.
 *
 * @param isEntry whether a path leads to a list entry that can be removed on its own
 * @returns `[]` if only removing the whole tree helps
 */
export function faultyPart(tree: Group, path: Path, isEntry: (path: Path) => boolean): Path {
  let part = path;
  while (part.length > 0 && !(typeof part.at(-1) === 'number' ? isEntry(part) : isThere(tree, part)))
    part = part.slice(0, -1);
  return part;
}

/** Deletes a member or a list entry; `[]` empties the tree. */
export function remove(tree: Group, path: Path): void {
  const around = valueAt(tree, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(around) && typeof last === 'number') around.splice(last, 1);
  if (!isObject(around)) return;
  for (const key of path.length === 0 ? Object.keys(around) : path.slice(-1)) delete around[key];
}

/**
 * Sort order for changing a tree part by part: deeper and later parts first, so that no index changes before
 * its turn.
 */
export function fromTheEnd(a: Path, b: Path): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  if (at === -1) return b.length - a.length;
  if (at === b.length) return -1;
  const [one = '', other = ''] = [a[at], b[at]];
  if (typeof one === 'number' && typeof other === 'number') return other - one;
  return one > other ? -1 : 1;
}

function isThere(tree: Group, path: Path): boolean {
  const group = valueAt(tree, path.slice(0, -1));
  return isObject(group) && Object.hasOwn(group, path.at(-1) ?? '');
}
