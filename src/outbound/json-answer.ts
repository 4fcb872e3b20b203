/** Reads the text of a provider's answer as JSON, and finds the message and code of an error body. Pure. */

import { memberOf, membersOf, parsedJson } from '../core/json.ts';

/**
 * Maximum nesting: deeper answers cannot be serialized without overflowing the stack, and no API nests like
 * that.
 */
const MAX_DEPTH = 500;

/** The text is not JSON, or nested too deeply. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * @returns null for an empty text
 * @throws UnreadableAnswer
 */
export function parseJsonAnswer(text: string): unknown {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (body.trim() === '') return null;
  if (isTooDeep(body)) throw new UnreadableAnswer();
  try {
    return parsedJson(body);
  } catch {
    throw new UnreadableAnswer();
  }
}

function isTooDeep(text: string): boolean {
  if (countUpTo(MAX_DEPTH + 1, text, '[') + countUpTo(MAX_DEPTH + 1, text, '{') <= MAX_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (isInString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) isInString = false;
    } else if (char === 0x22) isInString = true;
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
  return false;
}

function countUpTo(limit: number, text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at !== -1 && count < limit; at = text.indexOf(char, at + 1)) count++;
  return count;
}

/**
 * Returns the strings and numbers found at the first of the paths that leads to any, joined with "; ".
 *
 * @param paths dotted, tried in order, e.g. `error.message`. The step `*` stands for all entries of a list, or all members
 * of an object, whose names then precede their texts: `errors.*.message`
 */
export function textAt(json: unknown, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const texts = textsAt(json, path.split('.'));
    if (texts.length > 0) return texts.join('; ');
  }
  return undefined;
}

/** More texts than these are of no use to anybody. */
const MAX_TEXTS = 20;

function textsAt(value: unknown, [step, ...rest]: readonly string[]): readonly string[] {
  if (step === undefined) {
    if (typeof value === 'number') return [String(value)];
    return typeof value === 'string' && value !== '' ? [value] : [];
  }
  if (step !== '*') return textsAt(memberOf(value, step), rest);
  if (Array.isArray(value)) return value.slice(0, MAX_TEXTS).flatMap((item) => textsAt(item, rest));
  return Object.entries(membersOf(value))
    .slice(0, MAX_TEXTS)
    .flatMap(([name, member]) => textsAt(member, rest).map((text) => `${name}: ${text}`));
}
