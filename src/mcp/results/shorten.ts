/**
 * Cuts JSON to a size so that it stays valid JSON: lists lose records from their end, then long texts are
 * shortened.
 *
 * Pure. Knows nothing of tools or protocols.
 */

/** One place that was shortened. */
export interface Cut {
  /** Dotted path of the list or text, `[n]` for a list index; '' for the root. */
  path: string;
  kept: number;
  total: number;
  unit: 'records' | 'members' | 'characters';
}

/** Minimum room that is worth filling with a part of a value. */
const MIN_SHARE_BYTES = 64;

/** An object with more members to cut than this is really a list (ids as keys). */
const MAX_CUT_MEMBERS = 10;

/** Marks the end of a shortened text. */
const ELLIPSIS = '…';

/**
 * The JSON text of a value in at most `maxBytes` of UTF-8, the shortened value itself, and the cuts.
 *
 * A record is kept or left out as a whole. Only a single record that exceeds the room is shortened inside.
 *
 * @param maxBytes at least 1,000
 */
export function shorten(value: unknown, maxBytes: number): { text: string; value: unknown; cuts: Cut[] } {
  const text = JSON.stringify(value);
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return { text, value, cuts: [] };
  const cuts: Cut[] = [];
  const fitting = fit(value, maxBytes, '', cuts);
  return { text: JSON.stringify(fitting), value: fitting, cuts };
}

/** A value whose JSON has at most `room` bytes. A text or list may shrink to nothing; nothing is added. */
function fit(value: unknown, room: number, path: string, cuts: Cut[]): unknown {
  if (sizeOf(value) <= room) return value;
  if (typeof value === 'string') return fitText(value, room, path, cuts);
  if (Array.isArray(value)) return fitList(value, room, path, cuts);
  if (typeof value === 'object' && value !== null) return fitObject(value, room, path, cuts);
  return null;
}

function fitText(text: string, room: number, path: string, cuts: Cut[]): string {
  let low = 0;
  let high = Math.min(text.length, room);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(cutText(text, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  cuts.push({ path, kept: low, total: text.length, unit: 'characters' });
  return cutText(text, low);
}

/** The start of a text. Never splits a surrogate pair. */
function cutText(text: string, length: number): string {
  const end = length > 0 && /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end) + ELLIPSIS;
}

function fitList(list: readonly unknown[], room: number, path: string, cuts: Cut[]): unknown[] {
  const kept: unknown[] = [];
  let used = 2;
  for (const record of list) {
    const size = sizeOf(record) + 1;
    if (used + size > room) break;
    kept.push(record);
    used += size;
  }
  if (kept.length === 0 && room > MIN_SHARE_BYTES) kept.push(fit(list[0], room - 2, `${path}[0]`, cuts));
  if (kept.length < list.length) cuts.push({ path, kept: kept.length, total: list.length, unit: 'records' });
  return kept;
}

/**
 * Fits an object. Small members stay complete and large ones share the remaining room, so that paging fields next
 * to a long list survive. An object that is really a long list (ids as keys) loses members from its end.
 */
function fitObject(object: object, room: number, path: string, cuts: Cut[]): Record<string, unknown> {
  const members = Object.entries(object).map(([key, value]: [string, unknown]) => ({
    key,
    value,
    overhead: sizeOf(key) + 2,
    size: sizeOf(value),
  }));
  const rooms = new Map<string, number>();
  let left = room - 2 - members.reduce((sum, member) => sum + member.overhead, 0);
  for (const [i, member] of [...members].sort((a, b) => a.size - b.size).entries()) {
    const share = Math.floor(left / (members.length - i));
    const isListLike = share < MIN_SHARE_BYTES || members.length - i > MAX_CUT_MEMBERS;
    if (member.size > share && isListLike) return firstMembers(members, room, path, cuts);
    rooms.set(member.key, Math.min(member.size, share));
    left -= Math.min(member.size, share);
  }
  return Object.fromEntries(
    members.map(({ key, value }) => [
      key,
      fit(value, rooms.get(key) ?? 0, path === '' ? key : `${path}.${key}`, cuts),
    ]),
  );
}

function firstMembers(
  members: readonly { key: string; value: unknown; overhead: number; size: number }[],
  room: number,
  path: string,
  cuts: Cut[],
): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  let used = 2;
  for (const { key, value, overhead, size } of members) {
    if (used + overhead + size > room) break;
    kept.push([key, value]);
    used += overhead + size;
  }
  cuts.push({ path, kept: kept.length, total: members.length, unit: 'members' });
  return Object.fromEntries(kept);
}

function sizeOf(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 4 : Buffer.byteLength(text);
}
