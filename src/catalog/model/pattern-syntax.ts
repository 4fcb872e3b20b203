/**
 * Writes a regular expression of ECMAScript (with the u flag) in the syntax of RE2, with the same meaning for a
 * plain test. RE2 knows no look-around and no back references, because they cannot be matched in linear time.
 *
 * The input must compile with the u flag, so this file does not check syntax. Groups capture nothing here. Pure.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */

/** White space and line ends of ECMAScript. */
const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** All characters that are not in SPACE. */
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** General categories and scripts have the same short names in both syntaxes. */
const PROPERTY = /^(?:(?:sc|Script)=([A-Za-z_]+)|(?:(?:gc|General_Category)=)?([A-Z][a-z]?))$/;

/** An escape, or one character. */
const IN_CLASS =
  /\\u\{([0-9A-Fa-f]+)\}|\\u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|\\c([A-Za-z])|\\([pP])\{([^}]*)\}|\\([\s\S])|[\s\S]/uy;

/** The same, or the beginning of a group. */
const OUTSIDE = new RegExp(String.raw`\(\?<(?![=!])[^>]*>|\(\?[\s\S]|${IN_CLASS.source}`, 'uy');

/** The part of a pattern that no linear engine can match, in the words of a sentence. */
export class UnsupportedPatternFailure extends Error {
  override readonly name = 'UnsupportedPatternFailure';
}

/**
 * @param source compiles with the u flag
 * @throws UnsupportedPatternFailure naming the part that RE2 has not got
 */
export function linearSyntax(source: string): string {
  let result = '';
  let classText: string | undefined;
  for (let at = 0; at < source.length;) {
    const parts = classText === undefined ? OUTSIDE : IN_CLASS;
    parts.lastIndex = at;
    const part = parts.exec(source);
    if (part === null) break;
    at = parts.lastIndex;
    const [text] = part;
    if (classText !== undefined) {
      if (text === ']') {
        result += wholeClass(classText);
        classText = undefined;
      } else classText += classPart(part, classText === '');
    } else if (text === '[') classText = '';
    else result += plainPart(part);
  }
  return result;
}

/** A class after its `[`: ECMAScript has an empty one and its opposite. */
function wholeClass(content: string): string {
  if (content === '') return '[^\\x{0}-\\x{10ffff}]';
  return content === '^' ? '[\\x{0}-\\x{10ffff}]' : `[${content}]`;
}

function classPart(part: RegExpExecArray, isFirst: boolean): string {
  const [text] = part;
  if (text === '\\b') return '\\x{8}';
  if (text === '\\s') return SPACE;
  if (text === '\\S') return NO_SPACE;
  if (text === '-' || (text === '^' && isFirst)) return text;
  // Of the escapes only `\-` would become an operator of the class by itself.
  return escaped(part) ?? codePoint(text);
}

function plainPart(part: RegExpExecArray): string {
  const [text] = part;
  if (text === '\\s') return `[${SPACE}]`;
  if (text === '\\S') return `[${NO_SPACE}]`;
  if (text === '\\b' || text === '\\B') return text;
  if (text === '.') return '[^\\x{a}\\x{d}\\x{2028}\\x{2029}]';
  if (text === '$') return '\\z';
  if (text === '^') return '\\A';
  if (text === '(' || text === '(?:' || text.startsWith('(?<')) {
    if (text === '(?<') throw new UnsupportedPatternFailure('looks behind');
    return '(?:';
  }
  if (text === '(?=' || text === '(?!') throw new UnsupportedPatternFailure('looks ahead');
  if (text.startsWith('(?')) throw new UnsupportedPatternFailure('changes its flags');
  const escape = escaped(part);
  if (escape !== undefined) return escape;
  return /[|)*+?{},]/.test(text) || /[0-9]/.test(text) ? text : codePoint(text);
}

/** An escape that means the same inside and outside a class; `undefined` for a character. */
function escaped(part: RegExpExecArray): string | undefined {
  const [text, braced, high, low, unit, byte, control, property, propertyName, plain] = part;
  const hex = braced ?? unit ?? byte;
  if (hex !== undefined) return hexPoint(Number.parseInt(hex, 16));
  if (high !== undefined && low !== undefined)
    return codePoint(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  if (control !== undefined) return hexPoint(control.charCodeAt(0) % 32);
  if (property !== undefined) return unicodeProperty(property, propertyName ?? '');
  if (plain === undefined) return undefined;
  if (plain === '0') return hexPoint(0);
  if (/[1-9k]/.test(plain)) throw new UnsupportedPatternFailure('refers back to a group');
  if (/[dDwW]/.test(plain)) return text;
  const known = CONTROLS[plain];
  return known === undefined ? codePoint(plain) : hexPoint(known);
}

function unicodeProperty(letter: string, name: string): string {
  const match = PROPERTY.exec(name);
  if (match === null)
    throw new UnsupportedPatternFailure(
      `has \\${letter}{${name.slice(0, 40)}}, which is neither a category nor a script`,
    );
  return `\\${letter}{${match[1] ?? match[2] ?? ''}}`;
}

function codePoint(character: string): string {
  return /^[A-Za-z0-9_]$/.test(character) ? character : hexPoint(character.codePointAt(0) ?? 0);
}

function hexPoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
