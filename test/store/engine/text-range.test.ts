import { describe, expect, it } from 'vitest';
import { endOfPrefix } from '../../../src/store/engine/text-range.ts';

/** Order of both databases: bytes of UTF-8. */
const isBefore = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

describe('identifier that begins with a text', () => {
  it.each(['a', 'user-', 'ÿ', '\u07ff', '\ud7ff', '\uffff', '\u{10fffe}', 'a\u{10ffff}', '%', '_', "'"])(
    'lies before the end of the range of %j',
    (prefix) => {
      const end = endOfPrefix(prefix) ?? '';
      expect(end.isWellFormed()).toBe(true);
      expect(isBefore(`${prefix}\u{10ffff}\u{10ffff}`, end)).toBe(true);
      expect(isBefore(prefix, end)).toBe(true);
      expect(end.startsWith(prefix)).toBe(false);
    },
  );

  it.each(['', '\u{10ffff}', '\u{10ffff}\u{10ffff}'])('has no end of its range after %j', (prefix) => {
    expect(endOfPrefix(prefix)).toBeUndefined();
  });
});
