/**
 * crm_list_record_entries: every entry of a record, page after page, because the tool has no parameters for paging.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/list-record-entries
 */
import { pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { cutList } from './attio-list.ts';
import { entriesNotice, readRecordEntries } from './record-entries.ts';

export const listRecordEntries: ToolHandler<ToolInputs['crm_list_record_entries']> = {
  check: ({ object }) => pathViolations(object, 'object'),
  call: async ({ input, http }) => {
    const { object, record_id } = input;
    const { items, isWhole } = await readRecordEntries(http, {
      object,
      objectField: 'object',
      id: record_id,
    });
    return cutList(items, entriesNotice(isWhole));
  },
};
