/**
 * Decides whether SQL text is one statement that only reads. Refuses whatever is not clearly one. Pure.
 *
 * It cannot know what a function does that is called in a SELECT: the rights of the role decide about that.
 */
import { lowerFirst } from '../../core/text.ts';
import { isSymbol, isWord, scanSql, splitAt, statementsOf, type SqlToken } from './statement-tokens.ts';

/** Statements that neither run another nor change anything. EXPLAIN compiles its statement and does not run it. */
const READING_VERBS = ['SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'LIST', 'LS'];

/** Deepest nesting of parentheses. More would make the check itself slow. */
const MAX_DEPTH = 200;

const OTHER_TOOL = 'For other SQL use warehouse_execute_query.';

/** Reason why the text is not one statement that only reads, with advice; `undefined` if it is one. */
export function readViolation(text: string): string | undefined {
  const { tokens, doubt } = scanSql(text);
  if (doubt !== undefined) return `Must be plain SQL: ${lowerFirst(doubt)} ${OTHER_TOOL}`;
  if (deepestIn(tokens) > MAX_DEPTH)
    return `Must not be nested more than ${MAX_DEPTH} parentheses deep. ${OTHER_TOOL}`;
  const statements = statementsOf(tokens);
  if (statements.length > 1)
    return `Must be one statement, but has ${statements.length}: send them one by one.`;
  const [statement = []] = statements;
  if (callsSystem(statement)) return `Must not call a function that begins with SYSTEM$. ${OTHER_TOOL}`;
  // `->>` joins whole statements to a chain.
  if (splitAt(statement, '->>').every(isReading)) return undefined;
  return `Must only read: SELECT, WITH … SELECT, VALUES, SHOW, DESCRIBE, EXPLAIN or LIST. ${OTHER_TOOL}`;
}

function isReading(statement: readonly SqlToken[]): boolean {
  const [verb] = statement;
  if (isWord(verb, ...READING_VERBS)) return true;
  return isQueryAt(statement, 0) && !statement.some((_, at) => isEffectAt(statement, at));
}

/**
 * Whether a word has an effect: INTO names a target, NEXTVAL advances a sequence, and FOR UPDATE locks rows, in any
 * query.
 */
function isEffectAt(tokens: readonly SqlToken[], at: number): boolean {
  if (isWord(tokens[at], 'INTO')) return true;
  if (isWord(tokens[at], 'NEXTVAL')) return isSymbol(tokens[at - 1], '.');
  return isWord(tokens[at], 'FOR') && isWord(tokens[at + 1], 'UPDATE');
}

function deepestIn(tokens: readonly SqlToken[]): number {
  let [depth, deepest] = [0, 0];
  for (const token of tokens) {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Whether a query begins at this position: SELECT, VALUES, or one of them in parentheses or after WITH. */
function isQueryAt(tokens: readonly SqlToken[], start: number): boolean {
  let at = start;
  while (isSymbol(tokens[at], '(')) at += 1;
  if (isWord(tokens[at], 'SELECT', 'VALUES')) return true;
  if (!isWord(tokens[at], 'WITH')) return false;
  at += isWord(tokens[at + 1], 'RECURSIVE') && !isWord(tokens[at + 2], 'AS') ? 2 : 1;
  for (;;) {
    const body = bodyOf(tokens, at);
    if (body === undefined || !isQueryAt(tokens, body)) return false;
    const next = afterParentheses(tokens, body);
    if (!isSymbol(tokens[next], ',')) return isQueryAt(tokens, next);
    at = next + 1;
  }
}

/** Position of the opening parenthesis of the body in `name [(columns)] AS (…)`; `undefined` for any other form. */
function bodyOf(tokens: readonly SqlToken[], name: number): number | undefined {
  if (tokens[name]?.kind !== 'word' && tokens[name]?.kind !== 'name') return undefined;
  const as = isSymbol(tokens[name + 1], '(') ? afterParentheses(tokens, name + 1) : name + 1;
  return isWord(tokens[as], 'AS') && isSymbol(tokens[as + 1], '(') ? as + 1 : undefined;
}

/** The position after the parentheses that open at a position; the end if they stay open. */
function afterParentheses(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (isSymbol(tokens[at], '(')) depth += 1;
    if (isSymbol(tokens[at], ')')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}

/**
 * Whether the statement may call a system function. Functions that begin with `SYSTEM$` stop statements, wait and
 * change settings. IDENTIFIER can name one in a text: `IDENTIFIER('…')(…)`.
 *
 * @see https://docs.snowflake.com/en/sql-reference/identifier-literal
 */
function callsSystem(tokens: readonly SqlToken[]): boolean {
  return tokens.some((token, i) => {
    if (token.kind === 'literal' || token.kind === 'symbol') return false;
    if (token.text.toUpperCase().startsWith('SYSTEM$')) return true;
    if (!isWord(token, 'IDENTIFIER') || !isSymbol(tokens[i + 1], '(')) return false;
    return isSymbol(tokens[afterParentheses(tokens, i + 1)], '(');
  });
}
