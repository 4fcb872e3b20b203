/**
 * How many statements a text holds. Snowflake refuses several unless their number is announced, so it has to be
 * known before they are sent; the text itself is never changed. Pure.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-multiple-statements
 */

/**
 * What hides a semicolon: literals with their escapes, quoted names, dollar-quoted text, comments. One that is not
 * closed reaches to the end. Each alternative begins with another character, so that it takes linear time.
 */
const HIDING =
  /'(?:[^'\\]|''|\\[\s\S]?)*'?|"(?:[^"]|"")*"?|\$\$[\s\S]*?(?:\$\$|$)|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** BEGIN as the start of a block; of a transaction it is followed by these words or by nothing. */
const BLOCK = String.raw`(?:DECLARE\b|BEGIN\b(?!\s*(?:;|$|(?:TRANSACTION|WORK|NAME)\b)))`;

/** A script: as the whole text, or as the body of a procedure or task without dollar quotes. */
const SCRIPT = new RegExp(String.raw`^\s*${BLOCK}|\bAS\s+${BLOCK}`, 'i');

/** Number of statements; 1 for a script, whose semicolons are inside one statement. */
export function statementCount(text: string): number {
  const bare = text.replace(HIDING, (hidden) => (/^(--|\/)/.test(hidden) ? ' ' : 'x'));
  if (SCRIPT.test(bare)) return 1;
  return bare.split(';').filter((statement) => statement.trim() !== '').length;
}
