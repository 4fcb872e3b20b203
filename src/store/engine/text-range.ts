/** The range of texts that begin with a prefix, which an index can be searched for. */

const LAST_CODE_POINT = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/**
 * The least text after all that begin with the prefix, in the byte order of UTF-8, which both databases use.
 *
 * @returns `undefined` where every later text begins with the prefix
 */
export function endOfPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? LAST_CODE_POINT;
    if (code === LAST_CODE_POINT) continue;
    const next = code === BEFORE_SURROGATES ? AFTER_SURROGATES : code + 1;
    return characters.join('') + String.fromCodePoint(next);
  }
  return undefined;
}
