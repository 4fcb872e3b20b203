/**
 * crm_create_person, crm_create_company, crm_create_deal, crm_create_record, crm_create_user_record,
 * crm_create_workspace_record: one POST of the values.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/create-a-record
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { post } from '../provider-call.ts';
import { writeValues } from './record-values.ts';

type RecordInput = Pick<ToolInputs['crm_create_record'], 'values'> & { object?: string };

/** @param fixed the object of the tool; absent if the caller names it */
export function createRecord(fixed?: string): ToolHandler<RecordInput> {
  return {
    check: ({ object }) => pathViolations(object, 'object'),
    call: async ({ input: { object = '', values }, ...call }) => {
      const target = `/v2/objects/${pathSegment(fixed ?? object, 'object')}`;
      const request = (written: RecordInput['values']) =>
        post(`${target}/records`, { data: { values: written } });
      return writeValues(call, { parameter: 'values', subject: 'new', values, target, request });
    },
  };
}
