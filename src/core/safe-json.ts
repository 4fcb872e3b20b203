/**
 * Rejects values that no tool call may contain: text that breaks encoders, keys that reach prototypes, and
 * excessive sizes. Pure; looks at every level and stops at the depth limit.
 */
import type { FieldViolation } from './errors.ts';

/** Maximum levels of nesting; the input object itself is the first (docs/security.md#malformed-input). */
export const MAX_DEPTH = 64;

/** Maximum characters of a text whose parameter declares no limit of its own. */
export const MAX_TEXT = 100_000;

/** Characters of a caller's own key that are repeated in a message. */
const SHOWN_KEY = 64;

/**
 * @param field path of `value`, e.g. `filter.name[0]`
 * @param depth level of `value`; a parameter is at level 2
 * @param maxText limit for each text in `value`
 */
export function unsafeValues(value: unknown, field: string, depth = 2, maxText = MAX_TEXT): FieldViolation[] {
  if (typeof value === 'string') return unsafeText(value, field, maxText);
  if (typeof value !== 'object' || value === null) return [];
  if (depth > MAX_DEPTH)
    return [{ field, description: `Must be nested at most ${MAX_DEPTH} levels deep.`, constraint: 'depth' }];
  if (Array.isArray(value))
    return value.flatMap((item, i) => unsafeValues(item, `${field}[${i}]`, depth + 1, maxText));
  return Object.entries(value).flatMap(([key, member]) => {
    const place = `${field}.${shownKey(key)}`;
    return [...unsafeKey(key, place), ...unsafeValues(member, place, depth + 1, maxText)];
  });
}

/** A key as messages may repeat it: well-formed, without control characters, cut if long. */
export function shownKey(key: string): string {
  const clean = key
    .slice(0, SHOWN_KEY)
    .replace(/\p{Cc}/gu, '?')
    .toWellFormed();
  return key.length > SHOWN_KEY ? `${clean}…` : clean;
}

function unsafeText(text: string, field: string, maxText: number): FieldViolation[] {
  const found: FieldViolation[] = [];
  if (text.length > maxText)
    found.push({ field, description: `Must have at most ${maxText} characters.`, constraint: 'max_length' });
  if (text.includes('\0'))
    found.push({ field, description: 'Must not contain a NUL character.', constraint: 'nul' });
  if (!text.isWellFormed())
    found.push({
      field,
      description: 'Contains half a character (a lone surrogate). Send well-formed text.',
      constraint: 'encoding',
    });
  return found;
}

function unsafeKey(key: string, field: string): FieldViolation[] {
  if (key === '__proto__')
    return [{ field, description: 'The key __proto__ cannot be used.', constraint: 'key' }];
  return unsafeText(key, field, MAX_TEXT);
}
