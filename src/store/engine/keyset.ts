/** Keyset paging: reads rows from a position on, in an order that writes do not shift. */
import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';

/**
 * Up to `limit` rows of a query from a position on: newest first, except for the previous page.
 *
 * @param timeColumn creation time of the rows; ties are broken by `id`
 */
export async function rowsFrom<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  timeColumn: 'at' | 'created_at',
  position: PagePosition | undefined,
  limit: number,
): Promise<Row[]> {
  const order = position?.direction === 'prev' ? 'asc' : 'desc';
  const remaining = position === undefined ? query : query.where(beyond(timeColumn, position));
  return remaining.orderBy(sql.ref(timeColumn), order).orderBy(sql.ref('id'), order).limit(limit).execute();
}

/** True for rows older (`next`) or newer (`prev`) than the position. */
function beyond(timeColumn: 'at' | 'created_at', position: PagePosition): Expression<SqlBool> {
  const row = sql`(${sql.ref(timeColumn)}, ${sql.ref('id')})`;
  const bound = sql`(${position.createdAt}, ${position.id})`;
  return position.direction === 'prev' ? sql<SqlBool>`${row} > ${bound}` : sql<SqlBool>`${row} < ${bound}`;
}
