/**
 * crm_upsert_person, crm_upsert_company, crm_upsert_deal, crm_upsert_record and those of users and workspaces. Attio
 * finds the record by the value of a unique attribute. If there is none, Attio creates it.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/assert-a-record
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { put } from '../provider-call.ts';
import { writeValues } from './record-values.ts';

type UpsertInput = Omit<ToolInputs['crm_upsert_record'], 'object'> & { object?: string };

/** @param fixed the object of the tool; absent if the caller names it */
export function upsertRecord(fixed?: string): ToolHandler<UpsertInput> {
  return {
    check: ({ object }) => pathViolations(object, 'object'),
    call: async ({ input: { object = '', matching_attribute, values }, ...call }) => {
      const target = `/v2/objects/${pathSegment(fixed ?? object, 'object')}`;
      const query = [['matching_attribute', matching_attribute]] as const;
      const request = (written: JsonObject) => put(`${target}/records`, { data: { values: written } }, query);
      return writeValues(call, {
        parameter: 'values',
        subject: 'new or existing',
        values,
        target,
        request,
      });
    },
  };
}
