/** Keyset paging: reads rows from a position on, in an order that writes do not shift, and counts them up to a bound. */
import {
  sql,
  type Expression,
  type QueryExecutorProvider,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';

/** More values than this are looked for by one condition, and what it finds may have to be sorted. */
export const MAX_MERGED = 100;

/** Columns by which rows are in order; ties are broken by `id`. */
type OrderColumn = 'at' | 'created_at' | 'identifier';

/** The order of a list, which is that of an index. */
export interface ListOrder {
  readonly columns: readonly OrderColumn[];
  /** Whether a list begins with the largest values. */
  readonly isDescending: boolean;
}

/** Newest first. @param timeColumn creation time of the rows */
export function byAge(timeColumn: 'at' | 'created_at'): ListOrder {
  return { columns: [timeColumn], isDescending: true };
}

/** By identifier, and oldest first where several rows have the same one. */
export const BY_IDENTIFIER: ListOrder = { columns: ['identifier', 'created_at'], isDescending: false };

/** The rows of a list. */
export interface KeysetList<DB, Table extends keyof DB> {
  db: QueryExecutorProvider;
  /** Table that is listed, as queries name it. */
  table: Table & string;
  order: ListOrder;
  /** A new query for the rows, without columns. */
  matches: () => SelectQueryBuilder<DB, Table, object>;
  /** Only rows with one of some values in a column. */
  among?: Among | undefined;
  /** Only rows in this range of the first column of the order. */
  range?: KeyRange | undefined;
}

/** A part of a list. */
export interface KeysetPage {
  /** `undefined` for the first page. */
  position: PagePosition | undefined;
  limit: number;
}

/** Times in Unix milliseconds, or texts; an absent end is open. */
export interface KeyRange {
  /** Inclusive. */
  readonly from?: number | string | undefined;
  /** Exclusive. */
  readonly until?: number | string | undefined;
}

/** Values of which a row has one in a column. */
export interface Among {
  readonly column: string;
  readonly values: readonly string[];
}

/** A row that can be put in list order. */
export interface Keyed {
  id: string;
  at?: number;
  created_at?: number;
  identifier?: string;
}

/**
 * Up to `limit` rows from a position on: in list order, or in the opposite one for the previous page.
 *
 * @param query for the columns of the same rows
 */
export async function rowsFrom<DB, Table extends keyof DB, Tables extends keyof DB, Row extends Keyed>(
  query: SelectQueryBuilder<DB, Tables, Row>,
  list: KeysetList<DB, Table>,
  page: KeysetPage,
): Promise<Row[]> {
  if (isEmpty(list)) return [];
  const parts = partsOf(list);
  if (parts === undefined) return inOrder(limited(query, list), list, page).execute();
  const union = unionOf(parts.map((part) => inOrder(withKeys(part, list), list, page)));
  const inListOrder = comparing(list.order, page);
  const keys = (await sql<Keyed>`${union}`.execute(list.db)).rows.toSorted(inListOrder).slice(0, page.limit);
  const last = keys.at(-1);
  if (last === undefined) return [];
  const ids = keys.map(({ id }) => id);
  const found = await query.where(isOneOf(sql.ref(`${list.table}.id`), ids)).execute();
  const rows = found.toSorted(inListOrder);
  // A row can leave the list between the two statements. The next ones take its place, or the list would seem to end.
  const limit = page.limit - rows.length;
  if (limit === 0 || keys.length < page.limit) return rows;
  const position = { ...last, direction: page.position?.direction ?? 'next', createdAt: timeOf(last) };
  return [...rows, ...(await rowsFrom(query, list, { position, limit }))];
}

/** Counts the rows of a list, but no more than `atMost` of them. */
export async function countUpTo<DB, Table extends keyof DB>(
  list: KeysetList<DB, Table>,
  atMost: number,
): Promise<number> {
  if (isEmpty(list)) return 0;
  return (await countingUpTo(list, atMost).execute(list.db)).rows[0]?.total ?? 0;
}

/** The same as a statement, which can be a part of another one, for a list that may have rows. */
export function countingUpTo<DB, Table extends keyof DB>(
  list: KeysetList<DB, Table>,
  atMost: number,
): RawBuilder<{ total: number }> {
  // Without the order Postgres would read the table itself, and all of it if the rows are few or old.
  const page: KeysetPage = { position: undefined, limit: atMost };
  const parts = partsOf(list) ?? [limited(list.matches(), list)];
  const keys = parts.map((part) => inOrder(withKeys(part, list), list, page));
  return counting(keys.length === 1 ? unionOf(keys) : sql`${unionOf(keys)} limit ${atMost}`);
}

/** Counts the rows of a query. A limit of the query bounds the rows that are looked at. */
export async function countOf(db: QueryExecutorProvider, matches: Expression<unknown>): Promise<number> {
  return (await counting(matches).execute(db)).rows[0]?.total ?? 0;
}

function counting(matches: Expression<unknown>): RawBuilder<{ total: number }> {
  return sql`select count(*) as total from (${matches}) as matches`;
}

/** Whether the list is empty because `among` has no values. */
function isEmpty({ among }: Pick<KeysetList<never, never>, 'among'>): boolean {
  return among?.values.length === 0;
}

/**
 * A query for each value of `among`: an index has the rows of each in their order, and one condition for all of them
 * would sort every match. `undefined` for a list that is one part.
 */
function partsOf<DB, Table extends keyof DB>({
  table,
  matches,
  among,
}: KeysetList<DB, Table>): SelectQueryBuilder<DB, Table, object>[] | undefined {
  if (among === undefined || among.values.length > MAX_MERGED) return undefined;
  const column = sql.ref(`${table}.${among.column}`);
  return among.values.map((value) => matches().where(sql<SqlBool>`${column} = ${value}`));
}

/** The query of a list that is one part. */
function limited<DB, Table extends keyof DB, From extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, From, Row>,
  { table, among }: KeysetList<DB, Table>,
): SelectQueryBuilder<DB, From, Row> {
  if (among === undefined) return query;
  return query.where(isOneOf(sql.ref(`${table}.${among.column}`), among.values));
}

function isOneOf(column: Expression<unknown>, values: readonly string[]): Expression<SqlBool> {
  return sql<SqlBool>`${column} in (${sql.join(values)})`;
}

/** The columns that put rows in order, which an index has too. */
function withKeys<DB, Table extends keyof DB>(
  query: SelectQueryBuilder<DB, Table, object>,
  { table, order }: KeysetList<DB, Table>,
): SelectQueryBuilder<DB, Table, object> {
  return query.select(['id', ...order.columns].map((column) => sql.ref(`${table}.${column}`).as(column)));
}

function unionOf(queries: readonly Expression<unknown>[]): RawBuilder<unknown> {
  const parts = queries.map((query) => sql`select * from (${query}) as part`);
  return sql`${sql.join(parts, sql` union all `)}`;
}

function inOrder<DB, Table extends keyof DB, From extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, From, Row>,
  { table, order: { columns, isDescending }, range }: KeysetList<DB, Table>,
  { position, limit }: KeysetPage,
): SelectQueryBuilder<DB, From, Row> {
  const isBackwards = position?.direction === 'prev';
  // Whether the page is read from larger to smaller values.
  const isFalling = isDescending !== isBackwards;
  const all = [...columns, 'id' as const];
  const keys = all.map((column) => sql.ref(`${table}.${column}`));
  const [first] = keys;
  const values = position === undefined ? undefined : all.map((column) => valueAt(position, column));
  const { from, until } = rangeLeft(range, values?.[0], isFalling);
  let remaining = query;
  if (from !== undefined) remaining = remaining.where(sql<SqlBool>`${first} >= ${from}`);
  if (until !== undefined) remaining = remaining.where(sql<SqlBool>`${first} < ${until}`);
  if (values !== undefined)
    remaining = remaining.where(
      sql<SqlBool>`(${sql.join(keys)}) ${sql.raw(isFalling ? '<' : '>')} (${sql.join(values)})`,
    );
  for (const key of keys) remaining = remaining.orderBy(key, isFalling ? 'desc' : 'asc');
  return remaining.limit(limit);
}

function valueAt(position: PagePosition, column: OrderColumn | 'id'): string | number {
  if (column === 'id') return position.id;
  return column === 'identifier' ? (position.identifier ?? '') : position.createdAt;
}

/**
 * The ends of a range that a position leaves open. SQLite searches by one end on each side, and would begin at that of
 * the range and read all rows up to the position.
 */
function rangeLeft(
  { from, until }: KeyRange = {},
  position: string | number | undefined,
  isFalling: boolean,
): KeyRange {
  if (position === undefined) return { from, until };
  if (isFalling) return until !== undefined && compare(position, until) < 0 ? { from } : { from, until };
  return from !== undefined && compare(position, from) >= 0 ? { until } : { from, until };
}

/** Compares rows as the databases do. */
function comparing(
  { columns, isDescending }: ListOrder,
  { position }: KeysetPage,
): (one: Keyed, other: Keyed) => number {
  const sign = isDescending === (position?.direction === 'prev') ? 1 : -1;
  return (one, other) => {
    for (const column of [...columns, 'id' as const]) {
      const order = compare(one[column] ?? 0, other[column] ?? 0);
      if (order !== 0) return sign * order;
    }
    return 0;
  };
}

/** Both databases compare texts by their bytes. */
function compare(one: string | number, other: string | number): number {
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Number(one) - Number(other);
}

/** Creation time of a row, under either of its names. */
export function timeOf({ at, created_at }: Omit<Keyed, 'id'>): number {
  return at ?? created_at ?? 0;
}
