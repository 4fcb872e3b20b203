/** Pages of a list that is read whole. Without `page_size` and `page_token` the one page has everything. */
import type { PageLinks } from '../../core/newest-first.ts';
import type { PagePosition, PageTokens } from '../../core/page-token.ts';

/** Size of a page that is asked for by its token alone. */
const DEFAULT_SIZE = 30;

/** A list in its order, and what tells its rows and its page tokens apart from others. */
export interface WholeList<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Values that the tokens are bound to: list, environment, filters. */
  bound: unknown;
}

/** @throws ServiceError INVALID_ARGUMENT for a page token of another list */
export function pageOfAll<Row>(
  pageTokens: PageTokens,
  {
    page_size: pageSize,
    page_token: token,
  }: { page_size?: number | undefined; page_token?: string | undefined },
  { rows, keyOf, bound }: WholeList<Row>,
): { rows: Row[]; links: PageLinks } {
  const position = token ? pageTokens.decode(token, bound) : undefined;
  const size = pageSize ?? (position === undefined ? Math.max(rows.length, 1) : DEFAULT_SIZE);
  const start = startOf(rows.map(keyOf), position, size);
  const page = rows.slice(Math.max(start, 0), Math.max(start + size, 0));
  const end = Math.max(start, 0) + page.length;
  const at = (direction: PagePosition['direction'], index: number): string => {
    const edge = rows[index];
    return edge === undefined
      ? ''
      : pageTokens.encode({ direction, createdAt: index, id: keyOf(edge) }, bound);
  };
  return {
    rows: page,
    links: {
      next_page_token: end < rows.length ? at('next', end - 1) : '',
      prev_page_token: start > 0 ? at('prev', start) : '',
      total_size: rows.length,
    },
  };
}

/** Index of the first row of a page. A row that was removed meanwhile is replaced by its former place. */
function startOf(keys: readonly string[], position: PagePosition | undefined, size: number): number {
  if (position === undefined) return 0;
  const found = keys.indexOf(position.id);
  const edge = found === -1 ? position.createdAt : found;
  if (position.direction === 'prev') return edge - size;
  return found === -1 ? edge : edge + 1;
}
