/** Keyset paging: the condition that finds the rows beyond a position, in an order that writes do not shift. */
import { sql, type Expression, type SqlBool } from 'kysely';
import type { PagePosition } from '../core/page-token.ts';

/** Direction in which rows are read: newest first, except towards the previous page. */
export function orderOf(position: PagePosition | undefined): 'asc' | 'desc' {
  return position?.direction === 'prev' ? 'asc' : 'desc';
}

/**
 * True for rows older (`next`) or newer (`prev`) than the position.
 *
 * @param timeColumn creation time of the rows; ties are broken by `id`
 */
export function beyond(timeColumn: 'at' | 'created_at', position: PagePosition): Expression<SqlBool> {
  const row = sql`(${sql.ref(timeColumn)}, ${sql.ref('id')})`;
  const bound = sql`(${position.createdAt}, ${position.id})`;
  return position.direction === 'prev' ? sql<SqlBool>`${row} > ${bound}` : sql<SqlBool>`${row} < ${bound}`;
}
