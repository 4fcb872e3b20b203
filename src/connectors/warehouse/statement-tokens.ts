/**
 * Splits SQL text into tokens, enough to count statements and to see how they begin. Pure.
 *
 * @see https://docs.snowflake.com/en/sql-reference/identifiers-syntax
 */

/** One token. Comments and white space make no token. */
export interface SqlToken {
  kind: 'word' | 'name' | 'literal' | 'symbol';
  /** Words in upper case; quoted names without their quotes; literals empty; symbols as they are. */
  text: string;
}

/** The tokens of a text, and whether Snowflake might read it in another way. */
export interface ScannedSql {
  tokens: readonly SqlToken[];
  /** The ambiguity, as a whole sentence; absent if there is none. */
  doubt?: string;
}

/**
 * Tokens. Each alternative begins with another character, so that matching takes linear time. An unclosed one
 * reaches to the end.
 */
const TOKEN =
  /\s+|(?:--|\/\/)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<literal>'(?:[^'\\]|''|\\[\s\S]?)*'?|\$\$[\s\S]*?(?:\$\$|$))|(?<name>"(?:[^"]|"")*"?)|(?<word>[\p{L}\p{N}_][\p{L}\p{M}\p{N}_$]*)|(?<symbol>->>|[\s\S])/gu;

/** Characters that another reader might take for the end of a line, and so for the end of a comment. */
const OTHER_LINE_END = /[\r\v\f\u0085\u2028\u2029](?!$)/;

/** Reads the whole text. */
export function scanSql(text: string): ScannedSql {
  const tokens: SqlToken[] = [];
  let doubt: string | undefined;
  for (const match of text.matchAll(TOKEN)) {
    const [whole] = match;
    const { literal, name, word, symbol } = match.groups ?? {};
    doubt ??= doubtAbout(whole);
    if (literal !== undefined) tokens.push({ kind: 'literal', text: '' });
    if (name !== undefined) tokens.push({ kind: 'name', text: name.slice(1, -1).replaceAll('""', '"') });
    if (word !== undefined) tokens.push({ kind: 'word', text: word.toUpperCase() });
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
  }
  return doubt === undefined ? { tokens } : { tokens, doubt };
}

/** The statements of a text that are not empty, split at semicolons. */
export function statementsOf(tokens: readonly SqlToken[]): SqlToken[][] {
  return splitAt(tokens, ';').filter((statement) => statement.length > 0);
}

/** The parts before, between and after a symbol. */
export function splitAt(tokens: readonly SqlToken[], symbol: string): SqlToken[][] {
  const parts: SqlToken[][] = [[]];
  for (const token of tokens)
    if (isSymbol(token, symbol)) parts.push([]);
    else parts.at(-1)?.push(token);
  return parts;
}

/** Whether the token is the symbol. */
export function isSymbol(token: SqlToken | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}

/** Whether the token is one of the words, and not a quoted name that looks like it. */
export function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text);
}

function doubtAbout(token: string): string | undefined {
  if (/^(?:--|\/\/)/.test(token))
    return OTHER_LINE_END.test(token) ? 'A comment has an unusual line end in it.' : undefined;
  if (token.startsWith('/*')) {
    if (token.length < 4 || !token.endsWith('*/')) return 'A comment is not closed.';
    return token.includes('/*', 2) ? 'A comment has another one in it.' : undefined;
  }
  const [first = ''] = token;
  if (first === "'" || first === '"')
    return token.length < 2 || !token.endsWith(first) ? `A ${first} is not closed.` : undefined;
  if (token.startsWith('$$')) return /^\$\$[\s\S]*\$\$$/.test(token) ? undefined : 'A $$ is not closed.';
  return token.includes('$$') ? 'A name has $$ in it.' : undefined;
}
