/**
 * Translates a statement to SQLite: stored names of tables, and the few things that have another name there.
 * SQLite refuses everything else that it does not know. Pure.
 */
import { castsOf, startOfOperand } from './casts.ts';
import { syntaxError, unsupported } from './refusal.ts';
import { isName, isSymbol, isWord, placeOf, readName, type Token } from './scanner.ts';
import { castFunction } from './types.ts';

/** Resolves names of tables. */
export interface NameResolver {
  /**
   * @param use `write` for the table that a statement changes
   * @returns its name in SQLite
   * @throws SqlFailure for a table that does not exist, or that this role may not use
   */
  resolve(parts: readonly string[], use: 'read' | 'write'): string;
  /** The table in SQLite that has the rows of a table function. @throws SqlFailure for another function */
  tableFunction(parts: readonly string[]): string;
}

/** Words followed by a table. */
const BEFORE_TABLE = ['FROM', 'JOIN', 'INTO', 'UPDATE'];

/** Words that end the list of tables of a FROM. */
const AFTER_TABLES = [
  'WHERE',
  'GROUP',
  'ORDER',
  'HAVING',
  'LIMIT',
  'UNION',
  'EXCEPT',
  'MINUS',
  'INTERSECT',
  'SELECT',
  'SET',
  'VALUES',
  'WINDOW',
];

/** Words that end an ORDER BY. */
const END_OF_ORDER = ['LIMIT', 'OFFSET', 'UNION', 'EXCEPT', 'MINUS', 'INTERSECT', 'ROWS', 'RANGE', 'GROUPS'];

/** Words after a table that are not an alias. */
const NO_ALIAS = new Set([
  ...AFTER_TABLES,
  ...'ON USING JOIN INNER LEFT RIGHT FULL CROSS NATURAL OUTER FROM'.split(' '),
  ...'QUALIFY SAMPLE TABLESAMPLE PIVOT UNPIVOT AT BEFORE LATERAL FETCH OFFSET'.split(' '),
]);

/** Synonyms. */
const SAME: Readonly<Record<string, string>> = {
  ILIKE: 'MATCH',
  LISTAGG: 'GROUP_CONCAT',
  MINUS: 'EXCEPT',
};

/** Keywords to SQLite, names to the real provider. */
const NAMES = new Set(['AUTOINCREMENT', 'DEFERRABLE', 'INDEX', 'NOTHING']);

/** Functions whose names are keywords to SQLite. */
const RENAMED = new Set([
  'CURRENT_DATE',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
  'LEFT',
  'RIGHT',
  'LOCALTIMESTAMP',
]);

/** Rows of a table function without and with RESULT_LIMIT. */
const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 10_000;

/** Functions whose first argument is a date part. */
const WITH_DATE_PART = ['DATEADD', 'DATEDIFF', 'TIMESTAMPADD', 'TIMESTAMPDIFF', 'DATE_TRUNC', 'DATE_PART'];

/** @param text the whole text, for positions in messages. @throws SqlFailure */
export function translate(tokens: readonly Token[], text: string, names: NameResolver): string {
  return new Translation(tokens, text, names).sql();
}

class Translation {
  readonly #tokens: readonly Token[];
  readonly #text: string;
  readonly #names: NameResolver;
  readonly #withs: ReadonlySet<string>;
  readonly #casts: ReadonlyMap<number, string>;
  readonly #pieces: string[] = [];
  /** By depth of parentheses: whether a comma is followed by a table. */
  readonly #inTables: boolean[] = [false];
  /** By depth of parentheses: position of nulls in the current ORDER BY term. */
  readonly #orders: ('LAST' | 'FIRST' | 'GIVEN' | undefined)[] = [undefined];
  #next = 0;
  #expectsTable = false;
  #hasTarget: boolean;

  constructor(tokens: readonly Token[], text: string, names: NameResolver) {
    this.#tokens = tokens;
    this.#text = text;
    this.#names = names;
    this.#withs = commonNames(tokens);
    this.#casts = castsOf(tokens);
    this.#hasTarget = !isWord(tokens[0], 'INSERT', 'UPDATE', 'DELETE');
  }

  sql(): string {
    while (this.#next < this.#tokens.length) this.#step();
    this.#endOrder();
    return this.#pieces.join('').trim();
  }

  #step(): void {
    const token = this.#tokens[this.#next];
    if (token === undefined) return;
    if (this.#expectsTable && isName(token) && !isWord(token, 'SELECT', 'WITH')) return this.#table();
    this.#expectsTable = false;
    if (token.kind === 'word') return this.#word(token);
    if (token.kind === 'symbol') return this.#symbol(token);
    this.#emit(token, rendered(token));
    this.#next += 1;
  }

  #table(): void {
    this.#expectsTable = false;
    const first = this.#tokens[this.#next];
    const isInsert = isWord(this.#tokens[this.#next - 1], 'INTO');
    const { parts, next } = readName(this.#tokens, this.#next);
    if (first === undefined) return;
    if (isWord(first, 'TABLE') && isSymbol(this.#tokens[next], '(')) return this.#tableFunction(first);
    if (isWord(first, 'LATERAL') || (isSymbol(this.#tokens[next], '(') && !isInsert))
      throw unsupported(`table function ${parts.join('.')}`);
    this.#next = next;
    const [only = ''] = parts;
    if (parts.length === 1 && this.#withs.has(only)) return this.#emit(first, quoted(only));
    const use = this.#hasTarget ? 'read' : 'write';
    this.#hasTarget = true;
    const name = quoted(this.#names.resolve(parts, use));
    if (isInsert) return this.#emit(first, name);
    if (isWord(this.#tokens[this.#next], 'AS')) this.#next += 1;
    const alias = this.#tokens[this.#next];
    const isNamed = alias?.kind === 'quoted' || (alias?.kind === 'word' && !NO_ALIAS.has(alias.text));
    if (isNamed) this.#next += 1;
    this.#emit(first, `${name} AS ${quoted(isNamed ? alias.text : (parts.at(-1) ?? ''))}`);
  }

  /** `TABLE(name(RESULT_LIMIT => n))`: its limit counts before the conditions of the query do. */
  #tableFunction(first: Token): void {
    const { parts, next } = readName(this.#tokens, this.#next + 2);
    const table = this.#names.tableFunction(parts);
    const rest = this.#tokens.slice(next);
    const [open, name, arrow, count] = rest;
    const isLimited = isWord(name, 'RESULT_LIMIT') && isSymbol(arrow, '=>') && count?.kind === 'number';
    const [inner, outer] = rest.slice(isLimited ? 4 : 1);
    if (!isSymbol(open, '(') || !isSymbol(inner, ')') || !isSymbol(outer, ')'))
      throw unsupported(`these arguments of ${parts.join('.')}`);
    this.#next = next + (isLimited ? 6 : 3);
    const limit = isLimited ? Number(count.text) : DEFAULT_RESULTS;
    if (!(limit >= 1 && limit <= MAX_RESULTS)) throw unsupported(`a RESULT_LIMIT of ${limit}`);
    this.#emit(first, `(SELECT * FROM ${quoted(table)} ORDER BY START_TIME DESC LIMIT ${limit})`);
  }

  #word(token: Token): void {
    const { parts, next } = readName(this.#tokens, this.#next);
    const isCall = isSymbol(this.#tokens[next], '(');
    if (parts.length > 1) {
      // A column may be qualified by database and schema; the table is sufficient.
      const [table = '', column = ''] = parts.slice(-2);
      this.#emit(token, `${quoted(table)}.${quoted(column)}`);
      this.#next = next;
      return;
    }
    this.#next += 1;
    if (token.text === 'RECURSIVE') throw unsupported('RECURSIVE');
    this.#order(token.text);
    if (BEFORE_TABLE.includes(token.text) && !this.#isDistinctFrom()) {
      this.#expectsTable = true;
      this.#inTables[this.#inTables.length - 1] = token.text === 'FROM' || token.text === 'JOIN';
    } else if (AFTER_TABLES.includes(token.text)) this.#inTables[this.#inTables.length - 1] = false;
    if (RENAMED.has(token.text) && (isCall || token.text.startsWith('CURRENT')))
      return this.#emit(token, `SF_${token.text}${isCall ? '' : '()'}`);
    if (isCall && token.text === 'CAST') return this.#emit(token, this.#casts.get(this.#next - 1) ?? 'CAST');
    const cast = this.#casts.get(this.#next - 1);
    if (cast !== undefined) return this.#skipType();
    this.#emit(token, NAMES.has(token.text) ? quoted(token.text) : (SAME[token.text] ?? token.text));
    if (isCall && WITH_DATE_PART.includes(token.text)) this.#datePart();
  }

  /** Nulls come last in ascending order; in SQLite they come first. */
  #order(word: string): void {
    const isOrder = word === 'BY' && isWord(this.#tokens[this.#next - 2], 'ORDER');
    if (isOrder) this.#setOrder('LAST');
    else if (this.#orders.at(-1) === undefined) return;
    else if (word === 'DESC') this.#setOrder('FIRST');
    else if (word === 'NULLS') this.#setOrder('GIVEN');
    else if (END_OF_ORDER.includes(word)) this.#endOrder();
  }

  #setOrder(order: 'LAST' | 'FIRST' | 'GIVEN' | undefined): void {
    this.#orders[this.#orders.length - 1] = order;
  }

  /** @returns whether there was a term to end */
  #endOrder(): boolean {
    const order = this.#orders.at(-1);
    if (order === undefined) return false;
    if (order !== 'GIVEN') this.#pieces.push(` NULLS ${order}`);
    this.#setOrder(undefined);
    return true;
  }

  /** The end of a cast that became a function: ` AS DATE` is omitted. */
  #skipType(): void {
    this.#next += 1;
    if (isSymbol(this.#tokens[this.#next], '(')) this.#skipParentheses();
  }

  #skipParentheses(): void {
    while (this.#next < this.#tokens.length && !isSymbol(this.#tokens[this.#next], ')')) this.#next += 1;
    this.#next += 1;
  }

  #datePart(): void {
    const [open, part] = this.#tokens.slice(this.#next, this.#next + 2);
    if (open === undefined || part?.kind !== 'word' || !isSymbol(this.#tokens[this.#next + 2], ',')) return;
    this.#symbol(open);
    this.#emit(part, `'${part.text}'`);
    this.#next += 1;
  }

  #symbol(token: Token): void {
    this.#next += 1;
    if (token.text === '::') return this.#castSuffix(token);
    if (token.text === '(') {
      this.#inTables.push(false);
      this.#orders.push(undefined);
    }
    if (token.text === ')') {
      this.#endOrder();
      if (this.#inTables.length > 1) this.#inTables.pop();
      if (this.#orders.length > 1) this.#orders.pop();
    }
    if (token.text === ',') {
      this.#expectsTable = this.#inTables.at(-1) === true;
      if (this.#endOrder()) this.#setOrder('LAST');
    }
    // A division of whole numbers gives a fraction here, unlike in SQLite.
    this.#emit(token, token.text === '/' ? '* 1.0 /' : token.text);
  }

  /** `x::DATE` */
  #castSuffix(token: Token): void {
    const type = this.#tokens[this.#next];
    if (type?.kind !== 'word') throw syntaxError(placeOf(this.#text, token.offset), '::');
    this.#next += 1;
    if (isSymbol(this.#tokens[this.#next], '(')) this.#skipParentheses();
    const before = this.#pieces.splice(startOfOperand(this.#pieces)).join('');
    const blanks = /^\s*/.exec(before)?.[0] ?? '';
    const name = castFunction(type.text);
    if (name === undefined) throw unsupported(`::${type.text}`);
    this.#pieces.push(`${blanks}${name}(${before.trim()})`);
  }

  #isDistinctFrom(): boolean {
    const [first, second] = this.#tokens.slice(Math.max(0, this.#next - 3), this.#next - 1);
    return isWord(second, 'DISTINCT') && isWord(first, 'IS', 'NOT');
  }

  /** Keeps the spacing of the source, because SQLite names columns after their text. */
  #emit(token: Token, text: string): void {
    const isApart = /(?:\s|\*\/)$/.test(this.#text.slice(0, token.offset));
    const isTorn = /[\w"']$/.test(this.#pieces.at(-1) ?? '') && /^[\w"']/.test(text);
    this.#pieces.push((isApart || isTorn ? ' ' : '') + text);
  }
}

/** A text quoted as a name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function rendered({ kind, text }: Token): string {
  if (kind === 'quoted') return quoted(text);
  if (text.includes('\0')) throw unsupported('NUL in a literal');
  return kind === 'string' ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Names defined by a WITH: `name AS (` or `name (columns) AS (`. */
function commonNames(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const [i, token] of tokens.entries()) {
    if (!isWord(token, 'AS') || !isSymbol(tokens[i + 1], '(')) continue;
    let at = i - 1;
    if (isSymbol(tokens[at], ')')) while (at > 0 && !isSymbol(tokens[at + 1], '(')) at -= 1;
    const isFirst = isWord(tokens[at - 1], 'WITH') || isSymbol(tokens[at - 1], ',');
    const name = tokens[at];
    if (isFirst && isName(name)) names.add(name.text);
  }
  return names;
}
