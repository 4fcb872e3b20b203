/** The permissions that an app can have at the stand-in CRM, worded as on its consent page. */
export const SCOPES: Readonly<Record<string, string>> = {
  'record_permission:read-write': 'See, create, change and delete people, companies, deals and other records',
  'object_configuration:read-write': 'See and change which objects and attributes there are',
  'list_configuration:read-write': 'See and change lists',
  'list_entry:read-write': 'See, add, change and remove entries of lists',
  'note:read-write': 'See, write, change and delete notes',
  'task:read-write': 'See, create, change and delete tasks',
  'comment:read-write': 'See, write and delete comments',
  'webhook:read-write': 'See, create, change and delete webhooks',
  'user_management:read': 'See who is a member of the workspace',
  'meeting:read': 'See meetings',
  'call_recording:read': 'See recordings of meetings and what was said',
  'file:read': 'See files of records',
};
