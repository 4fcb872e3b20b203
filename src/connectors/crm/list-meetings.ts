/**
 * crm_list_meetings: Attio pages meetings by cursor; an offset is reached by reading the meetings before it.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/meetings/list-meetings
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get } from '../provider-call.ts';
import { cutList, itemsOf, pageOf } from './attio-list.ts';
import { filterViolations, meetingQuery, twiceViolations } from './meeting-filter.ts';

/** Attio's largest page; also the largest limit of the tool. */
const PAGE_SIZE = 200;

const DEFAULT_LIMIT = 50;

/** Enough for the largest offset and limit of the tool: 11 full pages, and some that are not full. */
const MAX_PAGES = 15;

const TOO_FAR = 'The offset is too large to be reached. Narrow the filter, for example by ends_from.';

export const listMeetings: ToolHandler<ToolInputs['crm_list_meetings']> = {
  check: ({ filter = {}, limit: _limit, offset: _offset, ...members }) => [
    ...filterViolations(filter),
    ...twiceViolations(filter, members),
  ],
  call: async ({ input, http }) => {
    const { filter = {}, limit = DEFAULT_LIMIT, offset = 0, ...members } = input;
    const query = meetingQuery({ ...filter, ...members });
    const meetings: unknown[] = [];
    let toSkip = offset;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const wanted = Math.min(PAGE_SIZE, toSkip + limit - meetings.length);
      const answer = await http.send(
        get('/v2/meetings', [
          ...query,
          ['limit', String(wanted)],
          ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
        ]),
      );
      const found = itemsOf(answer);
      meetings.push(...found.slice(toSkip, toSkip + limit - meetings.length));
      toSkip = Math.max(0, toSkip - found.length);
      cursor = textAt(answer, 'pagination', 'next_cursor');
      if (cursor === undefined || meetings.length >= limit) break;
    }
    // The offset lies beyond the pages that were read.
    if (cursor !== undefined && toSkip > 0) return cutList(meetings, TOO_FAR);
    return pageOf(meetings, cursor !== undefined);
  },
};
