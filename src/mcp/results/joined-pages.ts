/** Says how much of a list was read with `all_pages`, and how to get the rest. Pure. */
import type { TextContent } from '@modelcontextprotocol/server';
import type { Tool } from '../../catalog/model/types.ts';
import { callWords, startOf, type AnsweredCall, type NextCall, OUT_OF_REACH } from './paging.ts';

/** Maximum records of one call. */
export const MAX_RECORDS = 2_000;

/** One page that was read. */
export interface PagePart extends Pick<NextCall, 'tool' | 'input' | 'changes'> {
  /** Position of its first record among all records that were read. */
  start: number;
}

/**
 * Reason why reading ended before the list did: a limit of one call, a page that failed, or an answer that does not
 * say how it continues.
 */
export type EndReason = 'records' | 'requests' | 'deadline' | 'failed' | 'unknown';

/** The pages of a list, read one after the other. */
export interface JoinedPages {
  /** The answer with the records of all pages in its list. */
  data: unknown;
  /** At least one. */
  parts: readonly PagePart[];
  /** Number of records in the list. */
  count: number;
  /** Whether more records were read than `count`: the last ones of the last page are left out. */
  isCut: boolean;
  /** Number of answers of the provider. */
  requests: number;
  /** The call for the next page; absent if the list ends here. */
  next?: NextCall | 'outOfReach';
  /** Absent if everything was read. */
  reason?: EndReason;
  /** Texts of the failed call, if the next page failed. */
  failed?: readonly TextContent[];
}

const REASONS: Readonly<Record<EndReason, string>> = {
  records: 'One call reads no more records.',
  requests: 'One call makes no more requests.',
  deadline: 'The time for one call is over.',
  failed: 'The next page failed.',
  unknown: 'The answer does not say whether it goes on.',
};

/** The page that an answered call stands for. */
export function partOf(
  { tool, input }: AnsweredCall,
  start: number,
  changes: NextCall['changes'] = {},
): PagePart {
  return { tool, input, changes, start };
}

/** A sentence about the number of records and requests, and whether that is everything. */
export function pagesSentence({ count, requests, next, reason }: JoinedPages): string {
  const read = `${counted(count, 'record')} in ${counted(requests, 'request')}`;
  if (next === undefined && reason === undefined) return `Read ${read}: that is all.`;
  const why = reason === undefined ? '' : ` ${REASONS[reason]}`;
  return `Read the first ${read}, not all.${why}`;
}

/**
 * The call that continues behind the first records; `undefined` if there is none.
 *
 * @param tool of the first page
 * @param kept how many of the records the caller gets
 */
export function restOfPages(pages: JoinedPages, tool: Tool, kept: number): string | undefined {
  const { next, count, parts, isCut } = pages;
  if (kept >= count && !isCut) {
    if (next === 'outOfReach') return OUT_OF_REACH;
    return next && restBy(tool, next);
  }
  const part = parts.findLast(({ start }) => start <= kept);
  if (part === undefined) return undefined;
  const skipped = kept - part.start;
  const { offset } = part.tool.paging ?? {};
  if (offset !== undefined)
    return restBy(tool, { ...part, changes: { [offset.parameter]: startOf(part) + skipped } });
  if (part.start === 0) return undefined;
  const shown = skipped === 0 ? '' : ` Its first ${counted(skipped, 'record')} are here already.`;
  return restBy(tool, part, shown);
}

/** How to get the rest without `all_pages`, because reading all pages again would end at the same place. */
function restBy(tool: Tool, call: Pick<NextCall, 'tool' | 'input' | 'changes'>, shown = ''): string {
  const words = callWords(tool, call);
  return words === undefined ? OUT_OF_REACH : `For the rest ${words}.${shown}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
