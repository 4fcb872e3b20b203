/** Splits a list that is read as a whole into pages. Pure. */
import type { PageLinks } from '../../../core/newest-first.ts';

/** Limits of one page. */
export interface Fits {
  rows: number;
  /** Largest sum of `sizeOf`. A page always has at least one row. */
  size: number;
}

/**
 * The rows of one page.
 *
 * @param token position of its first row, from the link of another page
 */
export function pieceOf<Row>(
  all: readonly Row[],
  token: string | undefined,
  fits: Fits,
  sizeOf: (row: Row) => number = () => 0,
): { rows: Row[]; links: PageLinks } {
  const asked = /^\d{1,6}$/.test(token ?? '') ? Number(token) : 0;
  const start = asked < all.length ? asked : 0;
  const rows: Row[] = [];
  let size = 0;
  for (const row of all.slice(start, start + fits.rows)) {
    size += sizeOf(row);
    if (rows.length > 0 && size > fits.size) break;
    rows.push(row);
  }
  const next = start + rows.length;
  return {
    rows,
    links: {
      total_size: all.length,
      next_page_token: next < all.length ? String(next) : '',
      prev_page_token: start > 0 ? String(Math.max(0, start - fits.rows)) : '',
    },
  };
}
