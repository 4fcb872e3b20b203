/**
 * crm_list_workspace_members: Attio answers with all members at once; limit and offset are applied here.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/workspace-members/list-workspace-members
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { get } from '../provider-call.ts';
import { itemsOf, pageOf } from './attio-list.ts';

export const listWorkspaceMembers: ToolHandler = async ({ input, http }) => {
  const { limit, offset = 0 } = input as { limit?: number; offset?: number };
  const answer = await http.send(get('/v2/workspace_members'));
  if (limit === undefined && offset === 0) return answer;
  const members = itemsOf(answer);
  const end = limit === undefined ? members.length : offset + limit;
  return pageOf(members.slice(offset, end), end < members.length);
};
