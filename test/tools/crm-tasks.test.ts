/** CRM toolsets tasks and notes: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { del, get, patch, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const ID = '649e34f4-c39a-4f4d-99ef-48a36bef8f04';
const RECORD = '891dcbfc-9141-415d-9b2a-2238a6cc012d';
const MEMBER = '50cf242c-7fa3-4cad-87d0-75b1af71c57b';
const DATE = '2026-12-01T15:00:00.000Z';

describe('CRM tools for tasks: requests', () => {
  it.each([
    [
      'crm_create_task',
      { content: 'Call Ada' },
      post('/v2/tasks', {
        data: {
          content: 'Call Ada',
          format: 'plaintext',
          deadline_at: null,
          is_completed: false,
          linked_records: [],
          assignees: [],
        },
      }),
    ],
    [
      'crm_create_task',
      {
        content: 'x'.repeat(2000),
        deadline_at: DATE,
        is_completed: true,
        linked_records: [{ target_object: 'people', target_record_id: RECORD }],
        assignees: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: MEMBER }],
      },
      post('/v2/tasks', {
        data: {
          content: 'x'.repeat(2000),
          format: 'plaintext',
          deadline_at: DATE,
          is_completed: true,
          linked_records: [{ target_object: 'people', target_record_id: RECORD }],
          assignees: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: MEMBER }],
        },
      }),
    ],
    [
      'crm_list_tasks',
      {},
      get('/v2/tasks', [
        ['limit', '20'],
        ['offset', '0'],
      ]),
    ],
    [
      'crm_list_tasks',
      { linked_object: 'people', linked_record_id: RECORD, is_completed: false, limit: 500, offset: 20 },
      get('/v2/tasks', [
        ['linked_object', 'people'],
        ['linked_record_id', RECORD],
        ['is_completed', 'false'],
        ['limit', '500'],
        ['offset', '20'],
      ]),
    ],
    ['crm_get_task', { task_id: ID }, get(`/v2/tasks/${ID}`)],
    [
      'crm_list_tasks',
      { assignee: MEMBER, sort: 'completed_at:desc', limit: 5 },
      get('/v2/tasks', [
        ['assignee', MEMBER],
        ['sort', 'completed_at:desc'],
        ['limit', '5'],
        ['offset', '0'],
      ]),
    ],
    [
      'crm_update_task',
      { task_id: ID, is_completed: false },
      patch(`/v2/tasks/${ID}`, { data: { is_completed: false } }),
    ],
    [
      'crm_update_task',
      {
        task_id: ID,
        deadline_at: null,
        linked_records: [],
        assignees: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: MEMBER }],
      },
      patch(`/v2/tasks/${ID}`, {
        data: {
          deadline_at: null,
          linked_records: [],
          assignees: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: MEMBER }],
        },
      }),
    ],
    ['crm_delete_task', { task_id: ID }, del(`/v2/tasks/${ID}`)],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for tasks: invalid input', () => {
  it.each([
    ['crm_create_task', ['content required'], {}],
    ['crm_create_task', ['content max_length'], { content: 'x'.repeat(2001) }],
    [
      'crm_create_task',
      ['deadline_at format', 'is_completed type'],
      { content: 'x', deadline_at: 'tomorrow', is_completed: 'no' },
    ],
    [
      'crm_create_task',
      ['linked_records[0].target_object required', 'linked_records[0].target_record_id format'],
      { content: 'x', linked_records: [{ target_record_id: 'ada' }] },
    ],
    [
      'crm_create_task',
      ['assignees[0].referenced_actor_type enum', 'assignees[0].referenced_actor_id required'],
      { content: 'x', assignees: [{ referenced_actor_type: 'system' }] },
    ],
    ['crm_list_tasks', ['linked_object together'], { linked_record_id: RECORD }],
    ['crm_list_tasks', ['linked_record_id together'], { linked_object: 'people' }],
    ['crm_list_tasks', ['limit minimum', 'offset minimum'], { limit: 0, offset: -1 }],
    ['crm_get_task', ['task_id format'], { task_id: '..' }],
    ['crm_list_tasks', ['sort enum'], { sort: 'newest' }],
    ['crm_update_task', ['is_completed at_least_one_of'], { task_id: ID }],
    ['crm_update_task', ['is_completed type'], { task_id: ID, is_completed: null }],
    ['crm_delete_task', ['task_id required'], {}],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('CRM tools for notes: requests', () => {
  it.each([
    [
      'crm_create_note',
      { parent_object: 'people', parent_record_id: RECORD },
      post('/v2/notes', {
        data: {
          parent_object: 'people',
          parent_record_id: RECORD,
          title: '',
          content: '',
          format: 'plaintext',
        },
      }),
    ],
    [
      'crm_create_note',
      {
        parent_object: 'people',
        parent_record_id: RECORD,
        title: 'Call',
        content: '# Done',
        format: 'markdown',
        created_at: DATE,
        meeting_id: ID,
      },
      post('/v2/notes', {
        data: {
          parent_object: 'people',
          parent_record_id: RECORD,
          title: 'Call',
          content: '# Done',
          format: 'markdown',
          created_at: DATE,
          meeting_id: ID,
        },
      }),
    ],
    [
      'crm_list_notes',
      {},
      get('/v2/notes', [
        ['limit', '10'],
        ['offset', '0'],
      ]),
    ],
    [
      'crm_list_notes',
      { parent_object: 'people', parent_record_id: RECORD, limit: 50, offset: 50 },
      get('/v2/notes', [
        ['parent_object', 'people'],
        ['parent_record_id', RECORD],
        ['limit', '50'],
        ['offset', '50'],
      ]),
    ],
    ['crm_get_note', { note_id: ID }, get(`/v2/notes/${ID}`)],
    [
      'crm_update_note',
      { note_id: ID, title: 'Call' },
      patch(`/v2/notes/${ID}`, { data: { title: 'Call' } }),
    ],
    [
      'crm_update_note',
      { note_id: ID, content: 'Done' },
      patch(`/v2/notes/${ID}`, { data: { content: 'Done', format: 'plaintext' } }),
    ],
    [
      'crm_update_note',
      { note_id: ID, title: '', content: '# Done', format: 'markdown' },
      patch(`/v2/notes/${ID}`, { data: { title: '', content: '# Done', format: 'markdown' } }),
    ],
    ['crm_delete_note', { note_id: ID }, del(`/v2/notes/${ID}`)],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for notes: invalid input', () => {
  it.each([
    ['crm_create_note', ['parent_object required', 'parent_record_id required'], {}],
    [
      'crm_create_note',
      ['format enum', 'created_at format', 'meeting_id format'],
      {
        parent_object: 'people',
        parent_record_id: RECORD,
        format: 'html',
        created_at: '2026-02-30T00:00:00Z',
        meeting_id: 'm',
      },
    ],
    ['crm_list_notes', ['parent_object together'], { parent_record_id: RECORD }],
    ['crm_list_notes', ['parent_record_id together'], { parent_object: 'people' }],
    ['crm_list_notes', ['limit maximum'], { limit: 51 }],
    ['crm_list_notes', ['limit minimum', 'offset minimum'], { limit: 0, offset: -1 }],
    ['crm_get_note', ['note_id required'], {}],
    ['crm_update_note', ['title at_least_one_of'], { note_id: ID, format: 'markdown' }],
    ['crm_update_note', ['note_id required', 'content type'], { content: null }],
    ['crm_delete_note', ['note_id format'], { note_id: 'a/../b' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});
