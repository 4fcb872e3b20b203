/**
 * crm_list_lists: all lists, or those that hold a record. Attio cannot filter, so the record's entries are read.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/lists/list-all-lists
 */
import { pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get } from '../provider-call.ts';
import { cutList, itemsOf } from './attio-list.ts';
import { entriesNotice, readRecordEntries } from './record-entries.ts';

export const listLists: ToolHandler<ToolInputs['crm_list_lists']> = {
  check: ({ parent_object, parent_record_id }) =>
    parent_record_id === undefined ? [] : pathViolations(parent_object, 'parent_object'),
  call: async ({ input, http }) => {
    const { parent_object: object, parent_record_id: id } = input;
    if (object === undefined || id === undefined) return http.send(get('/v2/lists'));
    const { items, isWhole } = await readRecordEntries(http, { object, objectField: 'parent_object', id });
    const holding = new Set(items.map((entry) => textAt(entry, 'list_id')));
    const lists = itemsOf(await http.send(get('/v2/lists'))).filter((list) => {
      const listId = textAt(list, 'id', 'list_id');
      return listId !== undefined && holding.has(listId);
    });
    return cutList(lists, entriesNotice(isWhole));
  },
};
