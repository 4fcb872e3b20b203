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

/** More values than this are looked for in one statement, which may have to sort what it finds. */
export const MAX_MERGED = 100;

/** The rows of a page. */
export interface KeysetPage {
  /** Table that is paged, as the query names it. */
  table: string;
  /** Creation time of the rows; ties are broken by `id`. */
  timeColumn: 'at' | 'created_at';
  /** Only rows with one of some values in a column. */
  among?: Among | undefined;
  /** Only rows of this time. */
  range?: TimeRange | undefined;
  /** `undefined` for the first page. */
  position: PagePosition | undefined;
  limit: number;
}

/** Unix milliseconds; an absent end is open. */
export interface TimeRange {
  /** Inclusive. */
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
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
}

/** Up to `limit` rows of a query from a position on: newest first, except for the previous page. */
export async function rowsFrom<DB, Table extends keyof DB, Row extends Keyed>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { among, ...page }: KeysetPage,
): Promise<Row[]> {
  if (among === undefined) return inOrder(query, page).execute();
  const column = sql.ref<string>(`${page.table}.${among.column}`);
  const { values } = among;
  if (values.length > MAX_MERGED)
    return inOrder(query.where(sql<SqlBool>`${column} in (${sql.join(values)})`), page).execute();
  // One statement for each value reads an index in its order. One for all of them would sort every match.
  const found = await Promise.all(
    values.map(async (value) => inOrder(query.where(sql<SqlBool>`${column} = ${value}`), page).execute()),
  );
  const sign = page.position?.direction === 'prev' ? 1 : -1;
  return found
    .flat()
    .toSorted((one, other) => sign * compare(one, other))
    .slice(0, page.limit);
}

/** Counts the rows of a query. A limit of the query bounds the rows that are looked at. */
export async function countOf(db: QueryExecutorProvider, matches: Expression<unknown>): Promise<number> {
  const counted: RawBuilder<{ total: number }> = sql`select count(*) as total from (${matches}) as matches`;
  return (await counted.execute(db)).rows[0]?.total ?? 0;
}

function inOrder<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { table, timeColumn, range, position, limit }: Omit<KeysetPage, 'among'>,
): SelectQueryBuilder<DB, Table, Row> {
  const order = position?.direction === 'prev' ? 'asc' : 'desc';
  const time = sql.ref(`${table}.${timeColumn}`);
  const id = sql.ref(`${table}.id`);
  const { from, until } = within(range, position);
  let remaining = query;
  if (from !== undefined) remaining = remaining.where(sql<SqlBool>`${time} >= ${from}`);
  if (until !== undefined) remaining = remaining.where(sql<SqlBool>`${time} < ${until}`);
  if (position !== undefined) remaining = remaining.where(beyond(sql`(${time}, ${id})`, position));
  return remaining.orderBy(time, order).orderBy(id, order).limit(limit);
}

/**
 * The ends of a range that a position leaves open. SQLite searches by one end on each side, and would begin at that of
 * the range and read all rows up to the position.
 */
function within({ from, until }: TimeRange = {}, position: PagePosition | undefined): TimeRange {
  if (position?.direction === 'next' && until !== undefined && position.createdAt < until) return { from };
  if (position?.direction === 'prev' && from !== undefined && position.createdAt >= from) return { until };
  return { from, until };
}

/** True for rows older (`next`) or newer (`prev`) than the position. */
export function beyond(row: Expression<unknown>, position: PagePosition): Expression<SqlBool> {
  const bound = sql`(${position.createdAt}, ${position.id})`;
  return position.direction === 'prev' ? sql<SqlBool>`${row} > ${bound}` : sql<SqlBool>`${row} < ${bound}`;
}

/** Ids are ASCII, so the order of JavaScript is that of both databases. */
function compare(one: Keyed, other: Keyed): number {
  const byTime = timeOf(one) - timeOf(other);
  if (byTime !== 0) return byTime;
  return one.id < other.id ? -1 : 1;
}

/** Creation time of a row, under either of its names. */
export function timeOf({ at, created_at }: Omit<Keyed, 'id'>): number {
  return at ?? created_at ?? 0;
}
