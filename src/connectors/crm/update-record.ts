/**
 * crm_update_person, crm_update_company, crm_update_deal, crm_update_record and those of users and workspaces: Attio
 * adds values to those of an attribute with PATCH, and replaces them with PUT. An attribute that holds one value only is
 * written alike by both.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/update-a-record-append-multiselect-values
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/update-a-record-overwrite-multiselect-values
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ProviderRequest, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { patch, put } from '../provider-call.ts';
import { writeValues } from './record-values.ts';

type UpdateInput = Omit<ToolInputs['crm_update_record'], 'object'> & { object?: string };

/** @param fixed the object of the tool; absent if the caller names it */
export function updateRecord(fixed?: string): ToolHandler<UpdateInput> {
  return {
    check: ({ object }) => pathViolations(object, 'object'),
    call: async ({ input: { object = '', record_id, values, multiselect }, ...call }) => {
      const target = `/v2/objects/${pathSegment(fixed ?? object, 'object')}`;
      const path = `${target}/records/${encodeURIComponent(record_id)}`;
      const request = (written: JsonObject) => writeOf(multiselect, path, { values: written });
      return writeValues(call, { parameter: 'values', subject: 'existing', values, target, request });
    },
  };
}

/** The request that writes values to a record or entry. @param data content of `data` in its body */
export function writeOf(multiselect: 'add' | 'replace', path: string, data: JsonObject): ProviderRequest {
  return multiselect === 'replace' ? put(path, { data }) : patch(path, { data });
}
