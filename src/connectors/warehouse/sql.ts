/**
 * Builds SQL from input: the only place where a value of a caller becomes part of a statement.
 *
 * Only four forms are possible: bound values, escaped literals, quoted names, words from a list. The tag `sql` accepts
 * only these, so that a plain text cannot get into a statement by mistake. Pure.
 *
 * @see https://docs.snowflake.com/en/sql-reference/identifiers-syntax
 */
import type { FieldViolation } from '../../core/errors.ts';

/** A safe part of a statement. */
class SqlText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text of a part; throws for every other value, whatever its declared type. */
  static textOf(part: SqlText): string {
    return part.#text;
  }
}

export type { SqlText };

/** A statement for the SQL API, and the values for its `?`. */
export interface Statement {
  statement: string;
  bindings?: Readonly<Record<string, { type: 'TEXT'; value: string }>>;
}

/** Plain names as Snowflake takes them without quotes, in any case. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_$]*$/;

const QUOTED_NAME = /^"((?:[^"]|"")+)"$/;

const MAX_NAME = 255;

/** Constant text with parts in between. Only functions of this file make parts. */
export function sql(texts: TemplateStringsArray, ...parts: readonly SqlText[]): SqlText {
  return new SqlText(
    texts.map((text, i) => text + (i < parts.length ? SqlText.textOf(parts[i] as SqlText) : '')).join(''),
  );
}

/** An empty part. */
export const NOTHING: SqlText = new SqlText('');

/** Joins parts. */
export function joined(parts: readonly SqlText[], between: '.' | ', ' | ' AND '): SqlText {
  return new SqlText(parts.map((part) => SqlText.textOf(part)).join(between));
}

/** A complete statement without bound values. */
export function statementOf(text: SqlText): Statement {
  return { statement: SqlText.textOf(text) };
}

/**
 * A name as Snowflake stores it: a quoted name as it is between the quotes, a plain name in upper case, as Snowflake
 * converts unquoted names, and anything else unchanged.
 */
export function storedIdentifier(name: string): string {
  const [, quoted] = QUOTED_NAME.exec(name) ?? [];
  if (quoted !== undefined) return quoted.replaceAll('""', '"');
  return PLAIN_NAME.test(name) ? name.toUpperCase() : name;
}

/** A name as a value to compare with. */
export function comparedName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : storedIdentifier(name);
}

/** A name in double quotes. Quotes inside are doubled; a backslash has no meaning there. */
export function identifier(name: string): SqlText {
  return new SqlText(quoted(storedIdentifier(name)));
}

function quoted(stored: string): string {
  return `"${stored.replaceAll('"', '""')}"`;
}

/** A name as a part of a path, where the rules of SQL count too: without quotes if it needs none. */
export function nameInPath(name: string): string {
  const stored = storedIdentifier(name);
  return /^[A-Z_][A-Z0-9_$]*$/.test(stored) ? stored : quoted(stored);
}

/** Names joined with dots; absent ones are left out. */
export function qualified(...names: readonly (string | undefined)[]): SqlText {
  return joined(
    names.filter((name) => name !== undefined).map((name) => identifier(name)),
    '.',
  );
}

/**
 * Text in single quotes. Both quotes and backslashes are doubled: Snowflake reads backslash escapes in a literal, so a
 * backslash before them could undo doubled quotes.
 */
export function literal(text: string): SqlText {
  return new SqlText(`'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`);
}

/** The end of a SHOW: the pattern of names, and the narrowest scope that is named, else the whole account. */
export function likeIn(input: {
  like_pattern?: string;
  database_name?: string;
  schema_name?: string;
}): SqlText {
  const { like_pattern, database_name, schema_name } = input;
  const like = like_pattern === undefined ? NOTHING : sql` LIKE ${literal(like_pattern)}`;
  if (database_name === undefined) return sql`${like} IN ACCOUNT`;
  if (schema_name === undefined) return sql`${like} IN DATABASE ${identifier(database_name)}`;
  return sql`${like} IN SCHEMA ${qualified(database_name, schema_name)}`;
}

/** An integer that was checked before. @throws Error for anything else */
export function whole(number: number): SqlText {
  if (!Number.isSafeInteger(number) || number < 0) throw new Error('no whole number');
  return new SqlText(String(number));
}

/** A word of a list in the list's spelling; accepts any case, and `_` for a space. `undefined` for other words. */
export function keyword(text: string, allowed: readonly string[]): SqlText | undefined {
  const wanted = text.trim().toUpperCase().replaceAll('_', ' ');
  const found = allowed.find((word) => word === wanted);
  return found === undefined ? undefined : new SqlText(found);
}

/** Splits a dotted name. Dots in double quotes belong to the name. `undefined` if a part is empty. */
export function nameParts(text: string): string[] | undefined {
  const parts = text.match(/"(?:[^"]|"")*"|[^."]+|\.|"/g) ?? [];
  const names = [''];
  for (const part of parts) {
    if (part === '.') names.push('');
    else names[names.length - 1] += part;
  }
  return names.includes('') ? undefined : names;
}

/** One violation for each name that Snowflake does not allow. */
export function identifierViolations(names: Readonly<Record<string, string | undefined>>): FieldViolation[] {
  return Object.entries(names).flatMap(([field, name]) => {
    if (name === undefined) return [];
    const { length } = storedIdentifier(name);
    if (length > 0 && length <= MAX_NAME && name !== '""') return [];
    const description = `Must be a name of 1 to ${MAX_NAME} characters.`;
    return [{ field, description, constraint: 'name' }];
  });
}

const COMPARED = {
  '=': (column: SqlText) => sql`${column} = ?`,
  ILIKE: (column: SqlText) => sql`${column} ILIKE ?`,
  since: (column: SqlText) => sql`${column} >= TO_TIMESTAMP_LTZ(?)`,
};

/** A column compared with a bound value. */
export interface Comparison {
  column: SqlText;
  /** `since`: the value is a time with its offset. */
  operator: keyof typeof COMPARED;
  /** `undefined` if not compared. */
  value: string | undefined;
}

/** A SELECT whose values are all bound. */
export function select(parts: {
  columns: SqlText;
  from: SqlText;
  /** Conditions without a value. */
  always?: readonly SqlText[];
  where: readonly Comparison[];
  orderBy: SqlText;
  limit: number | undefined;
}): Statement {
  const where = parts.where.filter(({ value }) => value !== undefined);
  const compared = where.map(({ column, operator }) => COMPARED[operator](column));
  const tests = [...(parts.always ?? []), ...compared];
  const condition = tests.length === 0 ? NOTHING : sql` WHERE ${joined(tests, ' AND ')}`;
  const limit = parts.limit === undefined ? NOTHING : sql` LIMIT ${whole(parts.limit)}`;
  const text = sql`SELECT ${parts.columns} FROM ${parts.from}${condition} ORDER BY ${parts.orderBy}${limit}`;
  if (where.length === 0) return statementOf(text);
  const bindings = where.map(({ value = '' }, i) => [String(i + 1), { type: 'TEXT', value }] as const);
  return { ...statementOf(text), bindings: Object.fromEntries(bindings) };
}
