/** Which scopes each CRM tool needs: what a link asks for, and what a refusal by Attio names. */
import { describe, expect, it } from 'vitest';
import { lackingScopes } from '../../src/catalog/model/scope-groups.ts';
import { shippedCatalog, shippedTool } from './tool-request.ts';

const crmTools = [...shippedCatalog.tools.values()].filter(({ connector }) => connector === 'crm');

/** OC, RP, … as the provider's pages name the scopes of an operation. */
const OC = 'object_configuration:read';
const RP = 'record_permission:read';
const RPW = 'record_permission:read-write';
const LC = 'list_configuration:read';
const LE = 'list_entry:read';
const LEW = 'list_entry:read-write';
const UM = 'user_management:read';

describe('CRM tools: scopes', () => {
  it.each<[string, string[]]>([
    ['crm_add_to_list', [LEW, LC]],
    ['crm_create_attribute', ['object_configuration:read-write']],
    ['crm_create_comment', ['comment:read-write', OC, RP]],
    ['crm_create_company', [RPW, OC]],
    ['crm_create_deal', [RPW, OC]],
    ['crm_create_list', ['list_configuration:read-write']],
    ['crm_create_note', ['note:read-write', OC, RP]],
    ['crm_create_object', ['object_configuration:read-write']],
    ['crm_create_person', [RPW, OC]],
    ['crm_create_record', [RPW, OC]],
    ['crm_create_task', ['task:read-write', OC, RP, UM]],
    ['crm_delete_comment', ['comment:read-write']],
    ['crm_delete_company', [RPW, OC]],
    ['crm_delete_deal', [RPW, OC]],
    ['crm_delete_note', ['note:read-write']],
    ['crm_delete_person', [RPW, OC]],
    ['crm_delete_record', [RPW, OC]],
    ['crm_delete_task', ['task:read-write']],
    ['crm_delete_user_record', [RPW, OC]],
    ['crm_delete_webhook', ['webhook:read-write']],
    ['crm_delete_workspace_record', [RPW, OC]],
    ['crm_get_attribute', [OC]],
    ['crm_get_comment', ['comment:read-write']],
    ['crm_get_company', [RP, OC]],
    ['crm_get_current_token_info', []],
    ['crm_get_deal', [RP, OC]],
    ['crm_get_list', [LC]],
    ['crm_get_list_entry', [LE, LC]],
    ['crm_get_note', ['note:read', OC, RP]],
    ['crm_get_object', [OC]],
    ['crm_get_person', [RP, OC]],
    ['crm_get_record', [RP, OC]],
    ['crm_get_record_attribute_values', [RP, OC]],
    ['crm_get_task', ['task:read-write', OC, RP, UM]],
    ['crm_get_webhook', ['webhook:read-write']],
    ['crm_get_workspace_member', [UM]],
    ['crm_get_workspace_record', [RP, OC]],
    ['crm_list_attribute_options', [OC]],
    ['crm_list_attribute_statuses', [OC]],
    ['crm_list_attributes', [OC]],
    ['crm_list_companies', [RP, OC]],
    ['crm_list_deals', [RP, OC]],
    ['crm_list_entries', [LE, LC]],
    ['crm_list_lists', [LC]],
    ['crm_list_meetings', ['meeting:read', RP]],
    ['crm_list_notes', ['note:read', OC, RP]],
    ['crm_list_objects', [OC]],
    ['crm_list_people', [RP, OC]],
    ['crm_list_record_entries', [RP, OC, LE]],
    ['crm_list_records', [RP, OC]],
    ['crm_list_tasks', ['task:read-write', OC, RP, UM]],
    ['crm_list_threads', ['comment:read-write', OC, RP]],
    ['crm_list_user_records', [RP, OC]],
    ['crm_list_webhooks', ['webhook:read-write']],
    ['crm_list_workspace_members', [UM]],
    ['crm_list_workspace_records', [RP, OC]],
    ['crm_remove_from_list', [LEW, LC]],
    ['crm_search_records', [RP, OC]],
    // Not among the specified ones.
    ['crm_create_select_option', ['object_configuration:read-write']],
    ['crm_create_status', ['object_configuration:read-write']],
    ['crm_create_user_record', [RPW, OC]],
    ['crm_create_webhook', ['webhook:read-write']],
    ['crm_create_workspace_record', [RPW, OC]],
    ['crm_get_call_recording', ['meeting:read', 'call_recording:read']],
    ['crm_get_call_transcript', ['meeting:read', 'call_recording:read']],
    ['crm_get_file', ['file:read', OC, RP]],
    ['crm_get_list_entry_attribute_values', [LE, LC]],
    ['crm_get_meeting', ['meeting:read', RP]],
    ['crm_get_thread', ['comment:read', OC, RP]],
    ['crm_get_user_record', [RP, OC]],
    ['crm_list_call_recordings', ['meeting:read', 'call_recording:read']],
    ['crm_list_files', ['file:read', OC, RP]],
    ['crm_merge_records', [RPW, OC]],
    ['crm_search_everything', [RP, OC]],
    ['crm_update_attribute', ['object_configuration:read-write']],
    ['crm_update_company', [RPW, OC]],
    ['crm_update_deal', [RPW, OC]],
    ['crm_update_list', ['list_configuration:read-write']],
    ['crm_update_list_entry', [LEW, LC]],
    ['crm_update_note', ['note:read-write', OC, RP]],
    ['crm_update_person', [RPW, OC]],
    ['crm_update_record', [RPW, OC]],
    ['crm_update_select_option', ['object_configuration:read-write']],
    ['crm_update_status', ['object_configuration:read-write']],
    ['crm_update_task', ['task:read-write', OC, RP, UM]],
    ['crm_update_user_record', [RPW, OC]],
    ['crm_update_webhook', ['webhook:read-write']],
    ['crm_update_workspace_record', [RPW, OC]],
    ['crm_upsert_company', [RPW, OC]],
    ['crm_upsert_deal', [RPW, OC]],
    ['crm_upsert_list_entry', [LEW, LC]],
    ['crm_upsert_person', [RPW, OC]],
    ['crm_upsert_record', [RPW, OC]],
    ['crm_upsert_user_record', [RPW, OC]],
    ['crm_upsert_workspace_record', [RPW, OC]],
  ])('%s asks for %j', (name, expected) => {
    expect(lackingScopes(shippedTool(name), [])).toEqual(expected);
  });

  it('accept the writing scope where reading is needed', () => {
    const everything = [
      'record_permission:read-write',
      'object_configuration:read-write',
      'list_configuration:read-write',
      'list_entry:read-write',
      'note:read-write',
      'task:read-write',
      'comment:read-write',
      'webhook:read-write',
      'user_management:read',
      'meeting:read',
      'call_recording:read-write',
      'file:read-write',
    ];
    const lacking = crmTools.map(({ name, scopes }) => [name, lackingScopes({ scopes }, everything)]);
    expect(lacking.filter(([, scopes]) => scopes!.length > 0)).toEqual([]);
  });

  it('accept those of lists for attributes and comments of a list', () => {
    for (const name of ['crm_list_attributes', 'crm_get_attribute', 'crm_list_attribute_options'])
      expect(lackingScopes(shippedTool(name), [LC])).toEqual([]);
    expect(lackingScopes(shippedTool('crm_create_comment'), ['comment:read-write', LC, LE])).toEqual([]);
  });
});
