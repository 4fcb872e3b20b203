/**
 * crm_list_threads: every thread, page after page, because the tool has no parameters for paging.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/threads/list-threads
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get } from '../provider-call.ts';
import { cutList, readPages } from './attio-list.ts';

/** Attio's largest page. */
const PAGE_SIZE = 50;

/** Each page costs a request, and a record with more threads is better read in Attio. */
const MAX_PAGES = 10;

export const listThreads: ToolHandler<ToolInputs['crm_list_threads']> = {
  call: async ({ input, http }) => {
    const { record_object, record_id, list_id, entry_id } = input;
    const wanted: [string, string | undefined][] = [
      ['object', record_object],
      ['record_id', record_id],
      ['list', list_id],
      ['entry_id', entry_id],
    ];
    const place = wanted.filter((pair): pair is [string, string] => pair[1] !== undefined);
    const { items, isWhole } = await readPages(
      (offset) =>
        http.send(get('/v2/threads', [...place, ['limit', String(PAGE_SIZE)], ['offset', String(offset)]])),
      { pageSize: PAGE_SIZE, maxPages: MAX_PAGES },
    );
    return cutList(items, isWhole ? undefined : `Only the first ${PAGE_SIZE * MAX_PAGES} threads were read.`);
  },
};
