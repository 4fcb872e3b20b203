/**
 * crm_search_records: Attio's search has no offset and returns at most 25 records. An offset skips among those.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/search-records
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs.ts';
import { post } from '../provider-call.ts';
import { cutList, itemsOf, pageOf } from './attio-list.ts';

/** Attio's largest answer. */
const MAX_FOUND = 25;

const SEARCH_ENDS = `Attio's search ends after ${MAX_FOUND} records. Search for something narrower, or use crm_list_records.`;

export const searchRecords: ToolHandler<ToolInputs['crm_search_records']> = {
  call: async ({ input, http }) => {
    const { object, query, limit, offset } = input;
    const end = offset + limit;
    const answer = await http.send(
      post('/v2/objects/records/search', {
        query,
        objects: [object],
        limit: Math.min(end, MAX_FOUND),
        request_as: { type: 'workspace' },
      }),
    );
    const found = itemsOf(answer);
    const records = found.slice(offset, end);
    if (end > MAX_FOUND && found.length >= MAX_FOUND) return cutList(records, SEARCH_ENDS);
    return pageOf(records, end < MAX_FOUND && found.length >= end);
  },
};
