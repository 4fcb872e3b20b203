import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { readAnswerDescription } from './answer-description.ts';
import { connect, crmClient, type Answer } from './crm-client.ts';

const problemsOf = readAnswerDescription('crm-answers.json');

describe("CRM stand-in: answers by the provider's description", () => {
  let sandbox: Sandbox;
  let call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Ids of what is there at the start, by the words in braces of the paths below. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    sandbox = await startSandbox({ crm: { accessTokenSeconds: 600 } });
    call = crmClient(sandbox, (await connect(sandbox)).access_token);
    const first = async (name: string, method: string, path: string, body?: unknown): Promise<void> => {
      ids[name] = (await call(method, path, body)).body.data[0]!.id[name]!;
    };
    await first('record_id', 'POST', '/v2/objects/companies/records/query', {});
    await first('list_id', 'GET', '/v2/lists');
    await first('entry_id', 'POST', '/v2/lists/spring_visits/entries/query', {});
    await first('task_id', 'GET', '/v2/tasks');
    await first('note_id', 'GET', '/v2/notes');
    await first('meeting_id', 'GET', '/v2/meetings');
    await first('call_recording_id', 'GET', `/v2/meetings/${ids.meeting_id}/call_recordings`);
    await first('file_id', 'GET', `/v2/files?object=companies&record_id=${ids.record_id}`);
    await first('webhook_id', 'GET', '/v2/webhooks');
    await first('workspace_member_id', 'GET', '/v2/workspace_members');
    const threads = await call('GET', '/v2/threads');
    ids.comment_id = threads.body.data[0]!.comments[0]!.id.comment_id!;
    ids.thread_id = threads.body.data[0]!.id.thread_id!;
  });

  afterAll(async () => {
    await sandbox.close();
  });

  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
  const record = { object: 'companies', record_id: '{record_id}' };
  const author = { type: 'workspace-member', id: '{workspace_member_id}' };
  const attribute = {
    title: 'Colour',
    description: null,
    api_slug: 'colour',
    type: 'select',
    is_required: false,
    is_unique: false,
    is_multiselect: true,
    config: {},
  };

  it.each([
    ['listObjects', 'GET', '/v2/objects'],
    ['getObject', 'GET', '/v2/objects/people'],
    [
      'createObject',
      'POST',
      '/v2/objects',
      { api_slug: 'boats', singular_noun: 'Boat', plural_noun: 'Boats' },
    ],
    ['listAttributes', 'GET', '/v2/objects/people/attributes'],
    ['listAttributes', 'GET', '/v2/objects/companies/attributes'],
    ['listAttributes', 'GET', '/v2/objects/deals/attributes'],
    ['listAttributes', 'GET', '/v2/lists/spring_visits/attributes'],
    ['getAttribute', 'GET', '/v2/objects/deals/attributes/stage'],
    ['createAttribute', 'POST', '/v2/objects/people/attributes', attribute],
    ['createAttribute', 'POST', '/v2/lists/{list_id}/attributes', attribute],
    ['listSelectOptions', 'GET', '/v2/objects/companies/attributes/categories/options'],
    ['listStatuses', 'GET', '/v2/objects/deals/attributes/stage/statuses'],
    ['queryRecords', 'POST', '/v2/objects/people/records/query', {}],
    ['queryRecords', 'POST', '/v2/objects/companies/records/query', {}],
    ['queryRecords', 'POST', '/v2/objects/deals/records/query', {}],
    ['queryRecords', 'POST', '/v2/objects/users/records/query', {}],
    ['queryRecords', 'POST', '/v2/objects/workspaces/records/query', {}],
    ['createRecord', 'POST', '/v2/objects/people/records', { values: {} }],
    ['getRecord', 'GET', '/v2/objects/companies/records/{record_id}'],
    ['listRecordAttributeValues', 'GET', '/v2/objects/companies/records/{record_id}/attributes/team/values'],
    ['listRecordEntries', 'GET', '/v2/objects/companies/records/{record_id}/entries'],
    [
      'searchRecords',
      'POST',
      '/v2/objects/records/search',
      { query: '', objects: ['people', 'companies', 'deals'], request_as: { type: 'workspace' } },
    ],
    ['listLists', 'GET', '/v2/lists'],
    ['getList', 'GET', '/v2/lists/{list_id}'],
    [
      'createList',
      'POST',
      '/v2/lists',
      {
        name: 'Berths',
        api_slug: 'berths',
        parent_object: 'people',
        workspace_access: 'full-access',
        workspace_member_access: [{ workspace_member_id: '{workspace_member_id}', level: 'read-only' }],
      },
    ],
    ['queryEntries', 'POST', '/v2/lists/spring_visits/entries/query', {}],
    [
      'createEntry',
      'POST',
      '/v2/lists/{list_id}/entries',
      { parent_record_id: '{record_id}', parent_object: 'companies', entry_values: {} },
    ],
    ['getEntry', 'GET', '/v2/lists/{list_id}/entries/{entry_id}'],
    ['listWorkspaceMembers', 'GET', '/v2/workspace_members'],
    ['getWorkspaceMember', 'GET', '/v2/workspace_members/{workspace_member_id}'],
    ['listNotes', 'GET', '/v2/notes'],
    [
      'createNote',
      'POST',
      '/v2/notes',
      {
        parent_object: 'companies',
        parent_record_id: '{record_id}',
        title: '',
        format: 'markdown',
        content: '# Tide',
      },
    ],
    ['getNote', 'GET', '/v2/notes/{note_id}'],
    ['listTasks', 'GET', '/v2/tasks'],
    [
      'createTask',
      'POST',
      '/v2/tasks',
      {
        content: 'Call',
        format: 'plaintext',
        deadline_at: '2026-12-24T12:00:00.000Z',
        is_completed: true,
        linked_records: [{ target_object: 'companies', target_record_id: '{record_id}' }],
        assignees: [{ workspace_member_email_address: 'teo@northlight.example' }],
      },
    ],
    ['getTask', 'GET', '/v2/tasks/{task_id}'],
    ['listThreads', 'GET', '/v2/threads'],
    ['createComment', 'POST', '/v2/comments', { format: 'plaintext', content: 'Yes', author, record }],
    [
      'createComment',
      'POST',
      '/v2/comments',
      { format: 'plaintext', content: 'I do', author, thread_id: '{thread_id}' },
    ],
    [
      'createComment',
      'POST',
      '/v2/comments',
      {
        format: 'plaintext',
        content: 'Go',
        author,
        entry: { list: 'spring_visits', entry_id: '{entry_id}' },
      },
    ],
    ['getComment', 'GET', '/v2/comments/{comment_id}'],
    ['listMeetings', 'GET', '/v2/meetings'],
    ['listWebhooks', 'GET', '/v2/webhooks'],
    ['getWebhook', 'GET', '/v2/webhooks/{webhook_id}'],
    ['identifySelf', 'GET', '/v2/self'],
    ['updateRecordAppend', 'PATCH', '/v2/objects/companies/records/{record_id}', { values: {} }],
    [
      'updateRecordOverwrite',
      'PUT',
      '/v2/objects/companies/records/{record_id}',
      { values: { name: [{ value: 'Marrow' }] } },
    ],
    [
      'assertRecord',
      'PUT',
      '/v2/objects/companies/records?matching_attribute=domains',
      { values: { domains: [{ domain: 'marrowlight.example' }] } },
    ],
    ['updateTask', 'PATCH', '/v2/tasks/{task_id}', { is_completed: true }],
    ['updateNote', 'PATCH', '/v2/notes/{note_id}', { content: 'New', format: 'plaintext' }],
    [
      'updateEntryAppend',
      'PATCH',
      '/v2/lists/{list_id}/entries/{entry_id}',
      { entry_values: { stage: [{ status: 'Called' }] } },
    ],
    ['updateEntryOverwrite', 'PUT', '/v2/lists/{list_id}/entries/{entry_id}', { entry_values: {} }],
    [
      'listEntryAttributeValues',
      'GET',
      '/v2/lists/{list_id}/entries/{entry_id}/attributes/stage/values?show_historic=true',
    ],
    ['updateList', 'PATCH', '/v2/lists/{list_id}', { name: 'Visits' }],
    ['updateAttribute', 'PATCH', '/v2/objects/people/attributes/job_title', { title: 'Job' }],
    [
      'createSelectOption',
      'POST',
      '/v2/objects/companies/attributes/categories/options',
      { title: 'Fishing' },
    ],
    [
      'updateSelectOption',
      'PATCH',
      '/v2/objects/companies/attributes/categories/options/Fishing',
      { is_archived: true },
    ],
    ['createStatus', 'POST', '/v2/objects/deals/attributes/stage/statuses', { title: 'Signed' }],
    ['updateStatus', 'PATCH', '/v2/objects/deals/attributes/stage/statuses/Signed', { title: 'Sealed' }],
    ['getThread', 'GET', '/v2/threads/{thread_id}'],
    ['getMeeting', 'GET', '/v2/meetings/{meeting_id}'],
    ['listCallRecordings', 'GET', '/v2/meetings/{meeting_id}/call_recordings'],
    ['getCallRecording', 'GET', '/v2/meetings/{meeting_id}/call_recordings/{call_recording_id}'],
    ['getCallTranscript', 'GET', '/v2/meetings/{meeting_id}/call_recordings/{call_recording_id}/transcript'],
    ['listFiles', 'GET', '/v2/files?object=companies&record_id={record_id}'],
    ['getFile', 'GET', '/v2/files/{file_id}'],
    [
      'createWebhook',
      'POST',
      '/v2/webhooks',
      {
        target_url: 'https://hooks.northlight.example/new',
        subscriptions: [{ event_type: 'task.created', filter: null }],
      },
    ],
    [
      'updateWebhook',
      'PATCH',
      '/v2/webhooks/{webhook_id}',
      {
        subscriptions: [
          {
            event_type: 'record.updated',
            filter: { $and: [{ field: 'id.object_id', operator: 'equals', value: 'x' }] },
          },
        ],
      },
    ],
    ['deleteNote', 'DELETE', '/v2/notes/{note_id}'],
    ['deleteTask', 'DELETE', '/v2/tasks/{task_id}'],
    ['deleteComment', 'DELETE', '/v2/comments/{comment_id}'],
    ['deleteWebhook', 'DELETE', '/v2/webhooks/{webhook_id}'],
    ['deleteEntry', 'DELETE', '/v2/lists/{list_id}/entries/{entry_id}'],
    ['deleteRecord', 'DELETE', '/v2/objects/companies/records/{record_id}'],
    ['error', 'GET', '/v2/notes/{note_id}'],
    ['error', 'GET', '/v2/nothing'],
  ] as const)('match the description: %s by %s %s', async (operation, method, path, body?: object) => {
    const isWrapped = method === 'PUT' || method === 'PATCH' || operation.startsWith('create');
    const sent = body === undefined ? undefined : isWrapped ? { data: body } : body;
    const answer = await call(
      method,
      fill(path),
      sent && (JSON.parse(fill(JSON.stringify(sent))) as unknown),
    );
    expect(answer.status).toBe(operation === 'error' ? 404 : 200);
    if (operation.startsWith('delete')) expect(answer.body).toEqual({});
    else expect(problemsOf(operation, answer.body)).toEqual([]);
  });

  it('match the description of two records that are merged', async () => {
    const [primary, secondary] = (await call('POST', '/v2/objects/deals/records/query', {})).body.data;
    const data = { primary_record_id: primary!.id.record_id, secondary_record_id: secondary!.id.record_id };
    const merged = await call('POST', '/v2/objects/deals/records/merge', { data });
    expect(merged.status).toBe(202);
    expect(problemsOf('mergeRecords', merged.body)).toEqual([]);
  });

  it('match the description for every type of value', async () => {
    const nulls = ['line_2', 'line_3', 'line_4', 'region', 'postcode', 'latitude', 'longitude'];
    const examples = {
      text: [{ value: 'a' }],
      number: [{ value: 1.5 }],
      checkbox: [{ value: true }],
      currency: [{ currency_value: 12 }],
      date: [{ value: '2026-11-20' }],
      timestamp: [{ value: '2026-11-20T12:00:00+01:00' }],
      rating: [{ value: 4 }],
      'record-reference': [{ target_object: 'people', target_record_id: '' }],
      'actor-reference': [{ workspace_member_email_address: 'teo@northlight.example' }],
      location: [
        {
          ...Object.fromEntries(nulls.map((name) => [name, null])),
          line_1: 'Quay 1',
          locality: 'Oslo',
          country_code: 'NO',
        },
      ],
      domain: [{ domain: 'Shop.Tide.example' }],
      'email-address': [{ email_address: 'A@tide.example' }],
      'phone-number': [{ original_phone_number: '22 55 01 02', country_code: 'NO' }],
    };
    const person = await call('POST', '/v2/objects/people/records', {
      data: { values: { name: ['Ada Byron'] } },
    });
    examples['record-reference'][0]!.target_record_id = person.body.data.id.record_id!;
    const object = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' };
    await call('POST', '/v2/objects', { data: object });
    for (const type of Object.keys(examples)) {
      const config =
        type === 'currency' ? { currency: { default_currency_code: 'NOK', display_type: 'code' } } : {};
      const data = { ...attribute, title: type, api_slug: type, type, is_multiselect: false, config };
      expect((await call('POST', '/v2/objects/things/attributes', { data })).status).toBe(200);
    }
    const made = await call('POST', '/v2/objects/things/records', { data: { values: examples } });
    expect(problemsOf('createRecord', made.body)).toEqual([]);
    expect(made.body.data.values).toMatchObject({
      currency: [{ currency_value: 12, currency_code: 'NOK' }],
      timestamp: [{ value: '2026-11-20T11:00:00.000000000Z' }],
      domain: [{ domain: 'shop.tide.example', root_domain: 'tide.example' }],
      'email-address': [{ original_email_address: 'A@tide.example', email_address: 'a@tide.example' }],
      'phone-number': [{ phone_number: '22550102', country_code: 'NO' }],
      'record-reference': [{ target_object: 'people' }],
    });
  });

  it('fail the check with an invented member, at any depth', async () => {
    const { body } = await call('GET', '/v2/objects/deals/attributes/stage');
    body.data.invented = 1;
    expect(problemsOf('getAttribute', body)).not.toEqual([]);
    expect(problemsOf('listObjects', { data: [{}] })).not.toEqual([]);
    expect(problemsOf('listObjects', [])).not.toEqual([]);
  });
});
