/**
 * crm_update_list_entry: as for records, PATCH adds values to those of an attribute, and PUT replaces them.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/entries/update-a-list-entry-append-multiselect-values
 * @see https://docs.attio.com/rest-api/endpoint-reference/entries/update-a-list-entry-overwrite-multiselect-values
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { writeValues } from './record-values.ts';
import { writeOf } from './update-record.ts';

export const updateListEntry: ToolHandler<ToolInputs['crm_update_list_entry']> = {
  check: ({ list }) => pathViolations(list, 'list'),
  call: async ({ input: { list, entry_id, entry_values: values, multiselect }, ...call }) => {
    const target = `/v2/lists/${pathSegment(list, 'list')}`;
    const path = `${target}/entries/${encodeURIComponent(entry_id)}`;
    const request = (written: JsonObject) => writeOf(multiselect, path, { entry_values: written });
    return writeValues(call, { parameter: 'entry_values', subject: 'existing', values, target, request });
  },
};
