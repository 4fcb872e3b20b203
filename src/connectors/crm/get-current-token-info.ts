/**
 * crm_get_current_token_info: workspace and scopes of the token, and name and email of the member who authorized it if
 * the token may read members.
 *
 * Attio answers 200 for an invalid token, with `active: false` and nothing else. The connector's rules treat that as a
 * refused credential before it gets here.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/meta/identify
 */
import { FORMATS } from '../../catalog/model/formats.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get, given, refusalStatus, type ProviderHttp } from '../provider-call.ts';

export const getCurrentTokenInfo: ToolHandler<ToolInputs['crm_get_current_token_info']> = {
  call: async ({ http }) => {
    const self = await http.send(get('/v2/self'));
    if (valueAt(self, 'active') !== true) return { active: false };
    return {
      active: true,
      workspace: given({ id: textAt(self, 'workspace_id'), name: textAt(self, 'workspace_name') }),
      actor: await actorOf(self, http),
      scopes: (textAt(self, 'scope') ?? '').split(/\s+/).filter((scope) => scope !== ''),
    };
  },
};

/** The member who authorized the token, otherwise the token's own client. */
async function actorOf(self: unknown, http: ProviderHttp): Promise<JsonObject> {
  const memberId = textAt(self, 'authorized_by_workspace_member_id');
  if (memberId === undefined) return given({ type: 'api-token', id: textAt(self, 'client_id') });
  return { type: 'workspace-member', id: memberId, ...(await nameAndEmail(memberId, http)) };
}

/** Empty if the token may not read members, or the member is gone: the rest is still useful. */
async function nameAndEmail(memberId: string, http: ProviderHttp): Promise<JsonObject> {
  if (!FORMATS.uuid.matches(memberId)) return {};
  try {
    const member = await http.send(get(`/v2/workspace_members/${memberId}`));
    const names = [textAt(member, 'data', 'first_name'), textAt(member, 'data', 'last_name')];
    const name = names.filter((part) => part !== undefined).join(' ');
    return given({
      name: name === '' ? undefined : name,
      email: textAt(member, 'data', 'email_address'),
    });
  } catch (error) {
    const status = refusalStatus(error);
    if (status === 403 || status === 404) return {};
    throw error;
  }
}
