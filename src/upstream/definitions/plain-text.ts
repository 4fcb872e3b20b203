/** Removes invisible characters from texts of other servers. Pure. */

/** Invisible and bidirectional characters, tags, variation selectors, private use. */
export const HIDDEN = /[\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Tag characters, which a model reads and no person sees. */
const TAGS = /[\u{e0000}-\u{e007f}]/gu;

/** Control characters, except tab, line feed and carriage return. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);

/**
 * Escape sequences of terminals (ECMA-48): colors, positions, titles. A title without its end reaches to the end of
 * its line. No pattern looks past the next escape, so the time grows only with the length of the text.
 */
const ESCAPES = new RegExp(
  `${ESC}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${BEL}${ESC}\r\n]*(?:${BEL}|${ESC}\\\\)?|[@-Z\\\\-_])`,
  'g',
);

/** Well-formed text without tag characters, control characters and escape sequences of terminals. */
export function passedText(text: string): string {
  return text.replaceAll(ESCAPES, '').replaceAll(TAGS, '').replaceAll(CONTROLS, '').toWellFormed();
}

/** `passedText` without any other invisible characters. */
export function plainText(text: string): string {
  return passedText(text).replaceAll(HIDDEN, '').replaceAll(/\r\n?/g, '\n');
}

/** The first characters of a text. A character of two code units is never split. */
export function startOfText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** The text with every invisible character written as its code point: `a[U+200B]b`. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, codePoint).replaceAll(CONTROLS, codePoint);
}

/**
 * The name with everything but printable ASCII written as its code point, because letters of other alphabets can look
 * like ours.
 */
export function spelled(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/gu, codePoint);
}

function codePoint(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}
