/** Reading and changing nested plain values by path. */

/** Members of groups by name, entries of lists by index. */
export type Path = readonly (string | number)[];

/** What a YAML mapping becomes. */
export type Group = Record<string, unknown>;

/** True for what a YAML mapping becomes. */
export function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path as people write it: `environments[0].base_url`. */
export function dotted(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}

/** The value at a path; undefined where nothing is. */
export function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part] as unknown;
    else if (isGroup(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}

/** Sets a member, making the groups around it. Returns false, and changes nothing, when something else is in the way. */
export function place(tree: Group, path: readonly string[], value: unknown): boolean {
  let group = tree;
  for (const part of path.slice(0, -1)) {
    const inner = group[part] ?? {};
    if (!isGroup(inner)) return false;
    group[part] = inner;
    group = inner;
  }
  group[path.at(-1) ?? ''] = value;
  return true;
}

/**
 * The part of a tree that has to go for a fault at `path` to be gone: a whole list for a fault in it, and the group
 * around a member that is missing.
 *
 * @returns `[]` when nothing smaller than the whole tree will do
 */
export function faultyPart(tree: Group, path: Path): readonly string[] {
  const firstIndex = path.findIndex((part) => typeof part === 'number');
  let part = (firstIndex === -1 ? path : path.slice(0, firstIndex)) as readonly string[];
  while (part.length > 0 && !isThere(tree, part)) part = part.slice(0, -1);
  return part;
}

/** Deletes a member; `[]` empties the tree. */
export function remove(tree: Group, path: readonly string[]): void {
  const group = valueAt(tree, path.slice(0, -1));
  if (!isGroup(group)) return;
  for (const key of path.length === 0 ? Object.keys(group) : path.slice(-1)) delete group[key];
}

function isThere(tree: Group, path: readonly string[]): boolean {
  const group = valueAt(tree, path.slice(0, -1));
  return isGroup(group) && Object.hasOwn(group, path.at(-1) ?? '');
}
