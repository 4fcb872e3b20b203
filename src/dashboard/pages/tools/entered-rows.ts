/** Parameters that take a list of objects, entered in rows: their texts, and the buttons that add and remove rows. Pure. */
import type { PublishedSchema } from '../../../catalog/model/types.ts';

/**
 * Text of each parameter in the form. Several values are separated by line breaks; rows have one text for each
 * member.
 */
export type EnteredTexts = Readonly<Record<string, string>>;

/** Most rows of a form; longer lists are entered as JSON. */
const MAX_ROWS = 100;

/** Texts of one row, by member. Empty ones are left out. */
export type Row = Readonly<Record<string, string>>;

/**
 * The members of the objects of a list, in order; `undefined` for any other parameter, or if a member does not fit
 * in a row.
 */
export function rowMembersOf({ type, items }: PublishedSchema): [string, PublishedSchema][] | undefined {
  if (type !== 'array' || items?.type !== 'object') return undefined;
  const members = Object.entries(items.properties ?? {});
  const hasRoom = members.every(([, member]) => member.type !== 'array' && member.type !== 'object');
  return members.length > 0 && hasRoom ? members : undefined;
}

/** Path of a row's member, written as in violations: `sorts[0].attribute`. */
export function placeOf(parameter: string, row: number, member: string): string {
  return `${parameter}[${row}].${member}`;
}

/** The rows of a parameter, including empty ones. The number of rows is a text of its own. */
export function rowsOf(
  parameter: string,
  members: readonly [string, PublishedSchema][],
  texts: EnteredTexts,
): Row[] {
  const length = Math.min(MAX_ROWS, Number.parseInt(texts[parameter] ?? '', 10) || 0);
  return Array.from({ length: Math.max(0, length) }, (_, row) =>
    Object.fromEntries(
      members.flatMap(([member]) => {
        const text = texts[placeOf(parameter, row, member)] ?? '';
        return text.trim() === '' ? [] : [[member, text]];
      }),
    ),
  );
}

/** The texts of some rows. */
export function textsOfRows(parameter: string, rows: readonly Row[]): EnteredTexts {
  return Object.fromEntries([
    [parameter, String(rows.length)],
    ...rows.flatMap((row, place) =>
      Object.entries(row).map(([member, text]) => [placeOf(parameter, place, member), text]),
    ),
  ]);
}

/**
 * Path of the first value that has no field in the rows, as a violation names it; `undefined` if all have one.
 *
 * @param value a list that was entered as JSON
 */
export function withoutField(
  parameter: string,
  members: readonly [string, PublishedSchema][],
  value: unknown,
): string | undefined {
  if (!Array.isArray(value)) return parameter;
  if (value.length > MAX_ROWS) return `${parameter}[${MAX_ROWS}]`;
  const known = new Set(members.map(([member]) => member));
  for (const [place, item] of value.entries()) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return `${parameter}[${place}]`;
    const strange = Object.keys(item).find((member) => !known.has(member));
    if (strange !== undefined) return placeOf(parameter, place, strange);
  }
  return undefined;
}

/** Value of the button that adds a row. */
export function addingTo(parameter: string): string {
  return `add:${parameter}`;
}

/** Value of the button that removes a row. */
export function removingFrom(parameter: string, row: number): string {
  return `remove:${parameter}:${row}`;
}

/**
 * The texts after a press of such a button, and the element that takes the focus: the new row, or the button that
 * adds one.
 *
 * @param pressed value of the pressed button
 * @returns `undefined` for every other button
 */
export function withChangedRows(
  parameters: readonly [string, PublishedSchema][],
  texts: EnteredTexts,
  pressed: string,
): { texts: EnteredTexts; focus: string } | undefined {
  for (const [name, schema] of parameters) {
    const members = rowMembersOf(schema);
    if (members === undefined) continue;
    const rows = rowsOf(name, members, texts);
    const removed = rows.findIndex((_, row) => removingFrom(name, row) === pressed);
    const isAdding = pressed === addingTo(name);
    if (!isAdding && removed === -1) continue;
    const left = isAdding ? [...rows, {}].slice(0, MAX_ROWS) : rows.toSpliced(removed, 1);
    return {
      texts: withRows(texts, name, left),
      focus: isAdding ? placeOf(name, left.length - 1, members[0]?.[0] ?? '') : addingTo(name),
    };
  }
  return undefined;
}

/** The texts without empty rows, so that the rows of the form match those of the input. */
export function withoutEmptyRows(
  parameters: readonly [string, PublishedSchema][],
  texts: EnteredTexts,
): EnteredTexts {
  return parameters.reduce((all, [name, schema]) => {
    const members = rowMembersOf(schema);
    if (members === undefined) return all;
    const filled = rowsOf(name, members, all).filter((row) => Object.keys(row).length > 0);
    return withRows(all, name, filled);
  }, texts);
}

function withRows(texts: EnteredTexts, parameter: string, rows: readonly Row[]): EnteredTexts {
  const others = Object.entries(texts).filter(([name]) => !name.startsWith(`${parameter}[`));
  return { ...Object.fromEntries(others), ...textsOfRows(parameter, rows) };
}
