/** CRM toolset lists: for each input the exact provider requests, held against the provider's description too. What the handlers make of answers is in crm-list-handlers.test.ts. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, del, get, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const LIST = '33ebdbe9-e529-47c9-b894-0ba25e9c15c0';
const ENTRY = '2e6e29ea-c4e0-4f44-842d-78a891f8c156';
const RECORD = '891dcbfc-9141-415d-9b2a-2238a6cc012d';
const MEMBER = '50cf242c-7fa3-4cad-87d0-75b1af71c57b';

const access = [{ workspace_member_id: MEMBER, level: 'full-access' }];

describe('CRM tools for lists: requests', () => {
  it.each([
    ['crm_list_lists', {}, get('/v2/lists')],
    [
      'crm_create_list',
      {
        name: 'Sales',
        api_slug: 'sales',
        parent_object: 'companies',
        workspace_access: 'full-access',
        workspace_member_access: [],
      },
      post('/v2/lists', {
        data: {
          name: 'Sales',
          api_slug: 'sales',
          parent_object: 'companies',
          workspace_access: 'full-access',
          workspace_member_access: [],
        },
      }),
    ],
    [
      'crm_create_list',
      {
        name: 'Sales',
        api_slug: 'sales',
        parent_object: 'people',
        workspace_access: 'read-only',
        workspace_member_access: access,
      },
      post('/v2/lists', {
        data: {
          name: 'Sales',
          api_slug: 'sales',
          parent_object: 'people',
          workspace_access: 'read-only',
          workspace_member_access: access,
        },
      }),
    ],
    ['crm_get_list', { list: 'sales' }, get('/v2/lists/sales')],
    ['crm_get_list', { list: 'a/b' }, get('/v2/lists/a%2Fb')],
    // Attio wants a body, even an empty one
    ['crm_list_entries', { list: LIST }, post(`/v2/lists/${LIST}/entries/query`, {})],
    [
      'crm_list_entries',
      {
        list: 'sales',
        filter: { stage: 'Won' },
        sorts: [{ attribute: 'stage', direction: 'desc' }],
        limit: 5,
        offset: 10,
      },
      post('/v2/lists/sales/entries/query', {
        filter: { stage: 'Won' },
        sorts: [{ attribute: 'stage', direction: 'desc' }],
        limit: 5,
        offset: 10,
      }),
    ],
    ['crm_get_list_entry', { list: 'sales', entry_id: ENTRY }, get(`/v2/lists/sales/entries/${ENTRY}`)],
    ['crm_remove_from_list', { list: 'sales', entry_id: ENTRY }, del(`/v2/lists/sales/entries/${ENTRY}`)],
    [
      'crm_list_record_entries',
      { object: 'companies', record_id: RECORD },
      get(`/v2/objects/companies/records/${RECORD}/entries`, [
        ['limit', '1000'],
        ['offset', '0'],
      ]),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it('send crm_create_list with the specified parameters alone for a list of people', async () => {
    const input = {
      name: 'Sales',
      api_slug: 'sales',
      workspace_access: 'full-access',
      workspace_member_access: [],
    };
    const request = await requestOf('crm_create_list', input);
    expect(request).toEqual(post('/v2/lists', { data: { ...input, parent_object: 'people' } }));
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for lists: invalid input', () => {
  it.each([
    ['crm_list_lists', ['parent_object together'], { parent_record_id: RECORD }],
    ['crm_list_lists', ['parent_record_id together'], { parent_object: 'people' }],
    [
      'crm_create_list',
      ['name required', 'api_slug required', 'workspace_access required', 'workspace_member_access required'],
      {},
    ],
    [
      'crm_create_list',
      [
        'workspace_access enum',
        'workspace_member_access[0].workspace_member_id required',
        'workspace_member_access[0].level enum',
      ],
      {
        name: 'Sales',
        api_slug: 'sales',
        workspace_access: 'none',
        workspace_member_access: [{ level: 'none' }],
      },
    ],
    [
      'crm_create_list',
      ['api_slug pattern'],
      { name: 'S', api_slug: 'a/b?c', workspace_access: 'read-only', workspace_member_access: [] },
    ],
    ['crm_get_list', ['list required'], {}],
    ['crm_list_entries', ['limit minimum', 'offset minimum'], { list: 'sales', limit: 0, offset: -1 }],
    ['crm_get_list_entry', ['entry_id format'], { list: 'sales', entry_id: 'x' }],
    ['crm_add_to_list', ['list required', 'record_id format'], { record_id: 'x' }],
    ['crm_add_to_list', ['entry_values type'], { list: 'sales', record_id: RECORD, entry_values: [] }],
    [
      'crm_remove_from_list',
      ['record_id unknown', 'entry_id required'],
      { list: 'sales', record_id: RECORD },
    ],
    ['crm_list_record_entries', ['object required', 'record_id required'], {}],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it.each([
    ['crm_add_to_list', 'list', { list: '..', record_id: RECORD }],
    ['crm_list_record_entries', 'object', { object: 'a/../b', record_id: RECORD }],
    ['crm_list_lists', 'parent_object', { parent_object: '.', parent_record_id: RECORD }],
  ])('%s refuses a %s that is no plain identifier before anything is sent', async (name, field, input) => {
    const call = callTool(name, input, () => expect.unreachable());
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field, constraint: 'path' }] },
    });
  });

  it('refuses a list that climbs out of the path before anything is sent', async () => {
    expect(await callRefusals('crm_list_entries', { list: '..' })).toEqual(['list path']);
  });
});
