/** CRM toolsets options, calls, files and what else changes the workspace: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { get, patch, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const ID = '649e34f4-c39a-4f4d-99ef-48a36bef8f04';
const OTHER = '97052eb9-e65e-443f-a297-f2d9a4a7f795';
const STAGE = { object: 'deals', attribute: 'stage' };
const COLOUR = { list: 'sales', attribute: 'colour' };
const URL = 'https://hooks.example.com/attio';
const FILTER = { $and: [{ field: 'id.object_id', operator: 'equals', value: OTHER }] };

describe('CRM tools for options, meetings and webhooks: requests', () => {
  it.each<[string, Record<string, unknown>, ProviderRequest]>([
    [
      'crm_create_select_option',
      { ...COLOUR, title: 'Red' },
      post('/v2/lists/sales/attributes/colour/options', { data: { title: 'Red' } }),
    ],
    [
      'crm_update_select_option',
      { object: 'companies', attribute: 'tags', option: 'In use', is_archived: false },
      patch('/v2/objects/companies/attributes/tags/options/In%20use', { data: { is_archived: false } }),
    ],
    [
      'crm_create_status',
      { ...STAGE, title: 'Signed', celebration_enabled: true, target_time_in_status: 'P7D' },
      post('/v2/objects/deals/attributes/stage/statuses', {
        data: { title: 'Signed', celebration_enabled: true, target_time_in_status: 'P7D' },
      }),
    ],
    [
      'crm_update_status',
      { ...STAGE, status: 'Won 🎉', title: 'Won', target_time_in_status: null },
      patch('/v2/objects/deals/attributes/stage/statuses/Won%20%F0%9F%8E%89', {
        data: { title: 'Won', target_time_in_status: null },
      }),
    ],
    [
      'crm_update_attribute',
      { ...COLOUR, title: 'Color', description: null, is_required: false },
      patch('/v2/lists/sales/attributes/colour', {
        data: { title: 'Color', description: null, is_required: false },
      }),
    ],
    [
      'crm_update_attribute',
      { object: 'deals', attribute: 'boat', allowed_objects: ['boats'] },
      patch('/v2/objects/deals/attributes/boat', {
        data: { config: { record_reference: { allowed_objects: ['boats'] } } },
      }),
    ],
    ['crm_get_thread', { thread_id: ID }, get(`/v2/threads/${ID}`)],
    ['crm_get_meeting', { meeting_id: ID }, get(`/v2/meetings/${ID}`)],
    [
      'crm_list_call_recordings',
      { meeting_id: ID, cursor: 'c' },
      get(`/v2/meetings/${ID}/call_recordings`, [
        ['limit', '20'],
        ['cursor', 'c'],
      ]),
    ],
    [
      'crm_get_call_recording',
      { meeting_id: ID, call_recording_id: OTHER },
      get(`/v2/meetings/${ID}/call_recordings/${OTHER}`),
    ],
    [
      'crm_get_call_transcript',
      { meeting_id: ID, call_recording_id: OTHER, cursor: 'c' },
      get(`/v2/meetings/${ID}/call_recordings/${OTHER}/transcript`, [['cursor', 'c']]),
    ],
    [
      'crm_list_files',
      { object: 'people', record_id: ID, parent_folder_id: OTHER, storage_provider: 'box', limit: 200 },
      get('/v2/files', [
        ['object', 'people'],
        ['record_id', ID],
        ['parent_folder_id', OTHER],
        ['storage_provider', 'box'],
        ['limit', '200'],
      ]),
    ],
    ['crm_get_file', { file_id: ID }, get(`/v2/files/${ID}`)],
    [
      'crm_create_webhook',
      { target_url: URL, events: ['task.created', 'task.updated'] },
      post('/v2/webhooks', {
        data: {
          target_url: URL,
          subscriptions: [
            { event_type: 'task.created', filter: null },
            { event_type: 'task.updated', filter: null },
          ],
        },
      }),
    ],
    [
      'crm_create_webhook',
      {
        target_url: URL,
        subscriptions: [{ event_type: 'record.updated', filter: FILTER }, { event_type: 'note.created' }],
      },
      post('/v2/webhooks', {
        data: {
          target_url: URL,
          subscriptions: [
            { event_type: 'record.updated', filter: FILTER },
            { event_type: 'note.created', filter: null },
          ],
        },
      }),
    ],
    [
      'crm_update_webhook',
      { webhook_id: ID, target_url: URL },
      patch(`/v2/webhooks/${ID}`, { data: { target_url: URL } }),
    ],
    [
      'crm_update_webhook',
      { webhook_id: ID, events: ['list.created'] },
      patch(`/v2/webhooks/${ID}`, {
        data: { subscriptions: [{ event_type: 'list.created', filter: null }] },
      }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for options, meetings and webhooks: invalid input', () => {
  it.each<[string, string[], Record<string, unknown>]>([
    ['crm_create_select_option', ['title required', 'object exactly_one_of'], { attribute: 'colour' }],
    [
      'crm_create_status',
      ['target_time_in_status pattern'],
      { ...STAGE, title: 'x', target_time_in_status: '7 days' },
    ],
    [
      'crm_create_status',
      ['target_time_in_status type'],
      { ...STAGE, title: 'x', target_time_in_status: null },
    ],
    [
      'crm_update_select_option',
      ['list exactly_one_of'],
      { ...STAGE, list: 'sales', option: 'a', title: 'b' },
    ],
    ['crm_update_status', ['status path'], { ...STAGE, status: '..', title: 'b' }],
    ['crm_update_status', ['title at_least_one_of'], { ...STAGE, status: 'Lead' }],
    ['crm_update_attribute', ['title type'], { ...COLOUR, title: null }],
    ['crm_update_attribute', ['title at_least_one_of'], COLOUR],
    ['crm_get_thread', ['thread_id format'], { thread_id: 'first' }],
    ['crm_get_meeting', ['meeting_id required'], {}],
    ['crm_list_call_recordings', ['limit maximum'], { meeting_id: ID, limit: 201 }],
    ['crm_get_call_recording', ['call_recording_id required'], { meeting_id: ID }],
    ['crm_get_call_transcript', ['meeting_id format'], { meeting_id: 'x', call_recording_id: ID }],
    ['crm_list_files', ['object required', 'record_id required'], {}],
    ['crm_get_file', ['file_id format'], { file_id: '../x' }],
    [
      'crm_create_webhook',
      ['target_url pattern', 'events exactly_one_of'],
      { target_url: 'http://a.example' },
    ],
    ['crm_create_webhook', ['events[0] enum'], { target_url: URL, events: ['deal.won'] }],
    ['crm_update_webhook', ['target_url at_least_one_of'], { webhook_id: ID }],
    ['crm_update_webhook', ['events min_items'], { webhook_id: ID, events: [] }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});
