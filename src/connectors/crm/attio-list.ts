/**
 * Lists as Attio returns them, and as tools return them after joining, skipping or cutting pages.
 *
 * Responses are read leniently, because they do not always match Attio's own description. Anything that is
 * not a list counts as empty.
 */

import { valueAt } from '../../core/json.ts';

/** The result of a tool that does not pass on one response unchanged. */
export interface CutList {
  data: readonly unknown[];
  /** More items follow, which the offset reaches. Absent instead of false. */
  has_more?: true;
  /** Says what is missing, and how to get it if that is possible. */
  notice?: string;
}

/** The list of a response such as `{"data": [...]}`. */
export function itemsOf(answer: unknown): readonly unknown[] {
  const data = valueAt(answer, 'data');
  return Array.isArray(data) ? data : [];
}

/** `{data}`, with the notice if there is one. */
export function cutList(data: readonly unknown[], notice: string | undefined): CutList {
  return notice === undefined ? { data } : { data, notice };
}

/** `{data}`, and whether an offset reaches more. */
export function pageOf(data: readonly unknown[], hasMore: boolean): CutList {
  return hasMore ? { data, has_more: true } : { data };
}

/**
 * Reads page after page until one is not full.
 *
 * @param readPage the response to a request for the page that starts at an offset
 * @returns the items read, and whether these are all
 */
export async function readPages(
  readPage: (offset: number) => Promise<unknown>,
  { pageSize, maxPages }: { pageSize: number; maxPages: number },
): Promise<{ items: readonly unknown[]; isWhole: boolean }> {
  const items: unknown[] = [];
  for (let page = 0; page < maxPages; page++) {
    const found = itemsOf(await readPage(page * pageSize));
    items.push(...found);
    if (found.length < pageSize) return { items, isWhole: true };
  }
  return { items, isWhole: false };
}
