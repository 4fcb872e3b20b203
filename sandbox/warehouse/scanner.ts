/**
 * Splits SQL text into tokens, as the real provider reads it: comments, escapes in literals, quoted names,
 * semicolons. Pure.
 */
import { syntaxError } from './refusal.ts';

/** One token of a statement. */
export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol';
  /**
   * Words in upper case, as the provider stores unquoted names; names and literals without quotes and
   * escapes.
   */
  text: string;
  /** Start position in the whole text. */
  offset: number;
  /** Position after the token. */
  end: number;
}

const PATTERN =
  /(?<space>\s+|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\]|''|\\[\s\S])*')|\$\$(?<dollar>[\s\S]*?)\$\$|(?<quoted>"(?:[^"]|"")+")|(?<word>[A-Za-z_][\w$]*)|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|(?<symbol><>|!=|<=|>=|=>|\|\||::|[(),.;*+\-/%=<>?@])/y;

/** Meanings of escaped characters; other characters keep theirs. */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '0': '\0' };

/** The non-empty statements of a text. @throws SqlFailure 001003 */
export function scanStatements(text: string): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of scan(text)) {
    if (token.kind === 'symbol' && token.text === ';') statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((tokens) => tokens.length > 0);
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < text.length) {
    const offset = PATTERN.lastIndex;
    const groups = PATTERN.exec(text)?.groups;
    if (groups === undefined) throw syntaxError(placeOf(text, offset), text.charAt(offset));
    const { space, string, dollar, quoted, word, number, symbol } = groups;
    if (space !== undefined) continue;
    const add = (kind: Token['kind'], value: string): void => {
      tokens.push({ kind, text: value, offset, end: PATTERN.lastIndex });
    };
    if (string !== undefined) add('string', unescape(string));
    else if (dollar !== undefined) add('string', dollar);
    else if (quoted !== undefined) add('quoted', quoted.slice(1, -1).replaceAll('""', '"'));
    else if (word !== undefined) add('word', word.toUpperCase());
    else if (number !== undefined) add('number', number);
    else add('symbol', symbol ?? '');
  }
  return tokens;
}

/** A position as in messages: lines from 1, columns from 0. */
export function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length} at position ${lines.at(-1)?.length ?? 0}`;
}

/** Whether the token is one of the words, and not a quoted name that looks like it. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text);
}

/** Whether the token is the symbol. */
export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}

/** True for a name, quoted or not. */
export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

/** Reads `A.B.C` from a position on. @returns the parts, and the position after them */
export function readName(tokens: readonly Token[], from: number): { parts: string[]; next: number } {
  const parts: string[] = [];
  let next = from;
  while (isName(tokens[next])) {
    parts.push(tokens[next]?.text ?? '');
    next += 1;
    if (!isSymbol(tokens[next], '.') || !isName(tokens[next + 1])) break;
    next += 1;
  }
  return { parts, next };
}

function unescape(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(/''|\\([\s\S])/g, (_, escaped?: string) =>
      escaped === undefined ? "'" : (ESCAPES[escaped] ?? escaped),
    );
}
