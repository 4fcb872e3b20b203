/**
 * crm_list_workspace_members: Attio answers with all members at once; limit and offset are applied here.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/workspace-members/list-workspace-members
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get } from '../provider-call.ts';
import { itemsOf, pageOf } from './attio-list.ts';

export const listWorkspaceMembers: ToolHandler<ToolInputs['crm_list_workspace_members']> = {
  call: async ({ input, http }) => {
    const { limit, offset = 0 } = input;
    const answer = await http.send(get('/v2/workspace_members'));
    if (limit === undefined && offset === 0) return answer;
    const members = itemsOf(answer);
    const end = limit === undefined ? members.length : offset + limit;
    return pageOf(members.slice(offset, end), end < members.length);
  },
};
