/**
 * Lists as Attio answers them, and as tools give them back that join pages, skip or cut.
 *
 * Answers are read leniently: Attio's own description of them is not always kept. Something that is no list counts
 * as an empty one.
 */
import { valueAt } from '../answer-value.ts';

/** The result of a tool that does not pass on one answer as it is. */
export interface CutList {
  data: readonly unknown[];
  /** There is more behind these; the offset reaches it. Never false: absent. */
  has_more?: true;
  /** Says what is missing, and how to get it where that is possible. */
  notice?: string;
}

/** The list of an answer such as `{"data": [...]}`. */
export function itemsOf(answer: unknown): readonly unknown[] {
  const data = valueAt(answer, 'data');
  return Array.isArray(data) ? data : [];
}

/** `{data}`, with the notice where there is one to give. */
export function cutList(data: readonly unknown[], notice: string | undefined): CutList {
  return notice === undefined ? { data } : { data, notice };
}

/** `{data}`, and whether there is more that an offset reaches. */
export function pageOf(data: readonly unknown[], hasMore: boolean): CutList {
  return hasMore ? { data, has_more: true } : { data };
}

/**
 * Reads page after page until one is not full.
 *
 * @param readPage the answer to a request for the page that starts at an offset
 * @returns what was read, and whether that is everything
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
