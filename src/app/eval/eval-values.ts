/** Values in tasks: placeholders for dates and for what earlier answers contained, and looking into answers. Pure. */
import { memberOf } from '../../core/json.ts';
import type { Kept } from './eval-task.ts';

const DAY_MS = 86_400_000;

const PLACEHOLDER = /\{\{([a-z_]+)([+-]\d+)?\}\}/g;

/**
 * Fills placeholders: `{{today+3}}` and `{{monday-7}}` (Monday of this week) are dates, `{{name}}` is a kept value. A
 * text that is one placeholder becomes the value itself.
 *
 * @param now Unix milliseconds
 * @throws Error if a value was not kept
 */
export function filled<Value>(value: Value, kept: ReadonlyMap<string, unknown>, now: number): Value;
export function filled(value: unknown, kept: ReadonlyMap<string, unknown>, now: number): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, kept, now));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, kept, now)]));
  if (typeof value !== 'string') return value;
  const [whole] = value.match(PLACEHOLDER) ?? [];
  if (whole === value) return resolved(value.slice(2, -2), kept, now);
  return value.replaceAll(PLACEHOLDER, (found) => String(resolved(found.slice(2, -2), kept, now)));
}

function resolved(written: string, kept: ReadonlyMap<string, unknown>, now: number): unknown {
  const [, name = '', days = '0'] = /^([a-z_]+)([+-]\d+)?$/.exec(written) ?? [];
  if (kept.has(name)) return kept.get(name);
  const sinceMonday = (new Date(now).getUTCDay() + 6) % 7;
  const start = { today: now, monday: now - sinceMonday * DAY_MS }[name];
  if (start === undefined) throw new Error(`no answer before this call contained ${name}`);
  return new Date(start + Number(days) * DAY_MS).toISOString().slice(0, 10);
}

/** The value to keep from an answer. `undefined` if the answer does not contain it. */
export function valueToKeep(answer: unknown, wanted: Kept): unknown {
  if (typeof wanted === 'string') return firstUnder(answer, wanted);
  const fitting = objectsIn(answer).filter((one) => isWithin(one, wanted.of));
  // The list around a record matches too, and comes before it.
  return fitting
    .toReversed()
    .map((one) => firstUnder(one, wanted.take))
    .find((value) => value !== undefined);
}

/** Whether an object anywhere in the answer has these members, with these values or objects around them. */
export function contains(answer: unknown, members: unknown): boolean {
  return isMatch(answer, members) || childrenOf(answer).some((child) => contains(child, members));
}

/** Every member of `members` occurs somewhere within `value`. */
function isWithin(value: unknown, members: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(members).every(
    ([key, wanted]) => contains(value, { [key]: wanted }) || hasText(value, wanted),
  );
}

/** Whether a text occurs within a value, also under another key, because providers nest values of attributes. */
function hasText(value: unknown, wanted: unknown): boolean {
  return value === wanted || childrenOf(value).some((child) => hasText(child, wanted));
}

function isMatch(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(wanted).every(([key, member]) => isMatch(memberOf(value, key), member));
}

function firstUnder(value: unknown, key: string): unknown {
  const own = memberOf(value, key);
  if (own !== undefined && (typeof own !== 'object' || own === null)) return own;
  for (const child of childrenOf(value)) {
    const found = firstUnder(child, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...childrenOf(value).flatMap(objectsIn)];
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
