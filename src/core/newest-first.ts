/** Reads one page of a list by keyset paging, newest first unless said otherwise, with the tokens of its neighbors. */
import type { PagePosition, PageTokens } from './page-token.ts';

/** The requested page of a list. */
export interface PageQuery {
  /** 1 to 100. Default 30. */
  pageSize?: number | undefined;
  pageToken?: string | undefined;
}

/** Members of every list answer in addition to its rows. */
export interface PageLinks {
  /** '' on the last page. */
  next_page_token: string;
  /** '' on the first page. */
  prev_page_token: string;
  /** Exact up to `MAX_TOTAL`, and never above it. */
  total_size: number;
  /** There are more rows than `total_size` says. */
  total_size_is_at_least?: true;
}

/** Counting stops here: an exact count of a large table makes everybody else wait. */
export const MAX_TOTAL = 10_000;

/**
 * @param list.bound what the tokens belong to: list, environment, filters
 * @param list.count counts the rows, but no more than `atMost` of them
 * @param list.read returns up to `limit` rows from a position on, in the opposite order for `prev`
 * @param list.identifierOf only of a list in order of identifiers
 * @throws ServiceError INVALID_ARGUMENT for a page token of another list
 */
export async function newestFirst<Row extends { id: string }>(
  pageTokens: PageTokens,
  { pageSize: size = 30, pageToken }: PageQuery,
  list: {
    bound: unknown;
    read: (position: PagePosition | undefined, limit: number) => Promise<Row[]>;
    count: (atMost: number) => Promise<number>;
    timeOf: (row: Row) => number;
    identifierOf?: ((row: Row) => string) | undefined;
  },
): Promise<{ rows: Row[]; links: PageLinks }> {
  const position = pageToken ? pageTokens.decode(pageToken, list.bound) : undefined;
  const [found, total] = await Promise.all([list.read(position, size + 1), list.count(MAX_TOTAL + 1)]);
  const hasMore = found.length > size;
  const rows = found.slice(0, size);
  const isBackwards = position?.direction === 'prev';
  if (isBackwards) rows.reverse();
  const token = (direction: PagePosition['direction'], edge: Row | undefined, exists: boolean): string => {
    if (edge === undefined || !exists) return '';
    const identifier = list.identifierOf?.(edge);
    return pageTokens.encode(
      { direction, createdAt: list.timeOf(edge), id: edge.id, identifier },
      list.bound,
    );
  };
  return {
    rows,
    links: {
      next_page_token: token('next', rows.at(-1), isBackwards || hasMore),
      prev_page_token: token('prev', rows[0], isBackwards ? hasMore : position !== undefined),
      total_size: Math.min(total, MAX_TOTAL),
      ...(total > MAX_TOTAL && { total_size_is_at_least: true }),
    },
  };
}
