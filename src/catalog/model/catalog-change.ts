/** Describes the difference between two catalogs in words. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from './types.ts';

/**
 * @returns one sentence such as `Added books_get; changed books_search, the connector books.`; `undefined` if
 * nothing changed
 */
export function catalogChange(before: Catalog, after: Catalog): string | undefined {
  const kinds = [
    { old: before.tools, now: after.tools, prefix: '' },
    { old: before.connectors, now: after.connectors, prefix: 'the connector ' },
  ];
  const named = (pick: (kind: (typeof kinds)[number]) => string[]): string =>
    kinds.flatMap((kind) => pick(kind).map((name) => `${kind.prefix}${name}`)).join(', ');
  const words = [
    ['added', named(({ old, now }) => [...now.keys()].filter((name) => !old.has(name)))],
    ['removed', named(({ old, now }) => [...old.keys()].filter((name) => !now.has(name)))],
    ['changed', named(({ old, now }) => [...now.keys()].filter((name) => isOther(old, now, name)))],
  ].flatMap(([verb, names]) => (names === '' ? [] : [`${verb} ${names}`]));
  const sentence = words.join('; ');
  return sentence === '' ? undefined : `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`;
}

function isOther(
  old: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
  name: string,
): boolean {
  return old.has(name) && !isDeepStrictEqual(old.get(name), now.get(name));
}
