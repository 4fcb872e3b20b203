/** CRM tools that change records and entries of lists: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, get, patch, post, put, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const ID = '891dcbfc-9141-415d-9b2a-2238a6cc012d';
const OTHER = '97052eb9-e65e-443f-a297-f2d9a4a7f795';
const NAME = { name: [{ value: 'Tea House' }] };

describe('CRM tools that change records: requests', () => {
  it.each<[string, Record<string, unknown>, ProviderRequest]>([
    ['crm_update_person', {}, patch(`/v2/objects/people/records/${ID}`, { data: { values: NAME } })],
    [
      'crm_update_person',
      { multiselect: 'replace' },
      put(`/v2/objects/people/records/${ID}`, { data: { values: NAME } }),
    ],
    [
      'crm_update_company',
      { multiselect: 'add' },
      patch(`/v2/objects/companies/records/${ID}`, { data: { values: NAME } }),
    ],
    ['crm_update_deal', {}, patch(`/v2/objects/deals/records/${ID}`, { data: { values: NAME } })],
    [
      'crm_update_record',
      { object: 'a/b' },
      patch(`/v2/objects/a%2Fb/records/${ID}`, { data: { values: NAME } }),
    ],
    [
      'crm_update_record',
      { object: 'boats', multiselect: 'replace' },
      put(`/v2/objects/boats/records/${ID}`, { data: { values: NAME } }),
    ],
    ['crm_update_user_record', {}, patch(`/v2/objects/users/records/${ID}`, { data: { values: NAME } })],
    [
      'crm_update_workspace_record',
      { multiselect: 'replace' },
      put(`/v2/objects/workspaces/records/${ID}`, { data: { values: NAME } }),
    ],
  ])('%s with %j sends one write of the values', async (name, input, expected) => {
    const request = await requestOf(name, { record_id: ID, values: NAME, ...input });
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['crm_upsert_person', {}, 'people', 'email_addresses'],
    ['crm_upsert_person', { matching_attribute: 'badge' }, 'people', 'badge'],
    ['crm_upsert_company', {}, 'companies', 'domains'],
    ['crm_upsert_deal', { matching_attribute: 'order number' }, 'deals', 'order number'],
    ['crm_upsert_record', { object: 'boats', matching_attribute: 'sail' }, 'boats', 'sail'],
    ['crm_upsert_user_record', {}, 'users', 'user_id'],
    ['crm_upsert_workspace_record', {}, 'workspaces', 'workspace_id'],
  ])('%s with %j matches records of %s by %s', async (name, input, object, attribute) => {
    const request = await requestOf(name, { values: NAME, ...input });
    expect(request).toEqual({
      ...put(`/v2/objects/${object}/records`, { data: { values: NAME } }),
      query: [['matching_attribute', attribute]],
    });
    expectRequestMatches(description, request);
  });

  it.each<[string, Record<string, unknown>, ProviderRequest]>([
    [
      'crm_merge_records',
      { object: 'companies', primary_record_id: ID, secondary_record_id: OTHER },
      post('/v2/objects/companies/records/merge', {
        data: { primary_record_id: ID, secondary_record_id: OTHER },
      }),
    ],
    [
      'crm_search_everything',
      { query: 'ada' },
      post('/v2/objects/records/search', {
        request_as: { type: 'workspace' },
        query: 'ada',
        objects: ['people', 'companies', 'deals'],
        limit: 10,
      }),
    ],
    [
      'crm_search_everything',
      { query: 'ada', objects: ['boats'], limit: 25 },
      post('/v2/objects/records/search', {
        request_as: { type: 'workspace' },
        query: 'ada',
        objects: ['boats'],
        limit: 25,
      }),
    ],
    [
      'crm_create_user_record',
      { values: NAME },
      post('/v2/objects/users/records', { data: { values: NAME } }),
    ],
    [
      'crm_create_workspace_record',
      { values: NAME },
      post('/v2/objects/workspaces/records', { data: { values: NAME } }),
    ],
    ['crm_get_user_record', { record_id: ID }, get(`/v2/objects/users/records/${ID}`)],
    [
      'crm_update_list_entry',
      { list: 'sales', entry_id: ID, entry_values: NAME },
      patch(`/v2/lists/sales/entries/${ID}`, { data: { entry_values: NAME } }),
    ],
    [
      'crm_update_list_entry',
      { list: 'sales', entry_id: ID, entry_values: NAME, multiselect: 'replace' },
      put(`/v2/lists/sales/entries/${ID}`, { data: { entry_values: NAME } }),
    ],
    [
      'crm_get_list_entry_attribute_values',
      { list: 'sales', entry_id: ID, attribute: 'stage', show_historic: true, limit: 5, offset: 5 },
      get(`/v2/lists/sales/entries/${ID}/attributes/stage/values`, [
        ['show_historic', 'true'],
        ['limit', '5'],
        ['offset', '5'],
      ]),
    ],
    [
      'crm_update_list',
      { list: 'sales', name: 'Sales', workspace_access: 'private' },
      patch('/v2/lists/sales', { data: { name: 'Sales', workspace_access: null } }),
    ],
    [
      'crm_update_list',
      {
        list: 'sales',
        api_slug: 'sales-2',
        workspace_member_access: [{ workspace_member_id: OTHER, level: 'full-access' }],
      },
      patch('/v2/lists/sales', {
        data: {
          api_slug: 'sales-2',
          workspace_member_access: [{ workspace_member_id: OTHER, level: 'full-access' }],
        },
      }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it('crm_upsert_list_entry reads the object of the list first', async () => {
    const { requests } = await callTool(
      'crm_upsert_list_entry',
      { list: 'sales', record_id: ID, entry_values: NAME },
      { data: { parent_object: ['companies'] } },
    );
    expect(requests).toEqual([
      get('/v2/lists/sales'),
      put('/v2/lists/sales/entries', {
        data: { parent_record_id: ID, parent_object: 'companies', entry_values: NAME },
      }),
    ]);
    for (const request of requests) expectRequestMatches(description, request);
  });
});

describe('CRM tools that change records: invalid input', () => {
  it.each<[string, string[], Record<string, unknown>]>([
    ['crm_update_person', ['record_id required', 'values required'], {}],
    ['crm_update_company', ['values min_properties'], { record_id: ID, values: {} }],
    ['crm_update_deal', ['multiselect enum'], { record_id: ID, values: NAME, multiselect: 'set' }],
    ['crm_update_record', ['object required', 'record_id format'], { record_id: 'Ada', values: NAME }],
    ['crm_update_user_record', ['object unknown', 'record_id required'], { object: 'users', values: NAME }],
    ['crm_update_workspace_record', ['values type'], { record_id: ID, values: [NAME] }],
    ['crm_upsert_person', ['matching_attribute min_length'], { values: NAME, matching_attribute: '' }],
    ['crm_upsert_company', ['values required'], {}],
    ['crm_upsert_deal', ['matching_attribute required'], { values: NAME }],
    ['crm_upsert_record', ['object required', 'matching_attribute required'], { values: NAME }],
    ['crm_upsert_user_record', ['values min_properties'], { values: {} }],
    ['crm_upsert_workspace_record', ['record_id unknown'], { record_id: ID, values: NAME }],
    ['crm_merge_records', ['secondary_record_id required'], { object: 'people', primary_record_id: ID }],
    ['crm_search_everything', ['query min_length', 'objects min_items'], { query: '', objects: [] }],
    ['crm_search_everything', ['query max_length', 'limit maximum'], { query: 'q'.repeat(257), limit: 26 }],
    ['crm_create_user_record', ['values min_properties'], { values: {} }],
    ['crm_create_workspace_record', ['values required'], {}],
    ['crm_get_user_record', ['record_id format'], { record_id: '..' }],
    ['crm_update_list_entry', ['list required', 'entry_id required', 'entry_values required'], {}],
    ['crm_upsert_list_entry', ['record_id format'], { list: 'sales', record_id: 'Ada' }],
    ['crm_get_list_entry_attribute_values', ['attribute required'], { list: 'sales', entry_id: ID }],
    ['crm_update_list', ['name at_least_one_of'], { list: 'sales' }],
    ['crm_update_list', ['workspace_access enum'], { list: 'sales', workspace_access: 'none' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it.each([
    ['crm_update_record', { object: '..', record_id: ID, values: NAME }, 'object path'],
    ['crm_upsert_record', { object: 'a/../b', matching_attribute: 'x', values: NAME }, 'object path'],
    ['crm_update_list_entry', { list: '..', entry_id: ID, entry_values: NAME }, 'list path'],
    ['crm_upsert_list_entry', { list: '.', record_id: ID }, 'list path'],
  ])('%s refuses a path that climbs: %j', async (name, input, violation) => {
    expect(await callRefusals(name, input)).toEqual([violation]);
  });
});
