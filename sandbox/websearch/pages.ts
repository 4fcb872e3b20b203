/** Cuts lists into pages as the provider does. */
import { Refusal } from './refusal.ts';

type JsonObject = Record<string, unknown>;

/** One page of a list. */
export interface Page {
  object?: 'list';
  data: JsonObject[];
  hasMore: boolean;
  nextCursor: string | null;
}

/**
 * A cursor is the position of the first entry of the next page, encoded so that nobody reads it as a number.
 *
 * @throws Refusal 400 for a cursor of something else
 */
export function cutPage(
  entries: readonly JsonObject[],
  query: { cursor?: string | undefined; limit: number },
): Page {
  const start =
    query.cursor === undefined ? 0 : Number(/^from_(\d{1,6})$/.exec(query.cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(start))
    throw new Refusal(400, 'INVALID_REQUEST', 'The cursor was not issued by this list.');
  const end = start + query.limit;
  const hasMore = end < entries.length;
  return { data: entries.slice(start, end), hasMore, nextCursor: hasMore ? `from_${end}` : null };
}
