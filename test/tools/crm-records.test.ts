/** CRM toolsets people, companies, deals and records: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, del, get, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const ID = '891dcbfc-9141-415d-9b2a-2238a6cc012d';
const OBJECT_ID = '97052eb9-e65e-443f-a297-f2d9a4a7f795';

const FILTER = { $and: [{ name: { $contains: 'Ada' } }, { $not: { city: 'Paris' } }] };
const SORTS = [
  { attribute: 'name', direction: 'asc', field: 'last_name' },
  { attribute: 'created_at', direction: 'desc' },
];

const search = (query: string, object: string, limit: number) =>
  post('/v2/objects/records/search', {
    query,
    objects: [object],
    limit,
    request_as: { type: 'workspace' },
  });

describe('CRM tools for records: requests', () => {
  it.each([
    // people, companies, deals
    [
      'crm_create_person',
      {
        values: {
          name: [{ first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' }],
          email_addresses: [{ email_address: 'ada@example.com' }],
        },
      },
      post('/v2/objects/people/records', {
        data: {
          values: {
            name: [{ first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' }],
            email_addresses: [{ email_address: 'ada@example.com' }],
          },
        },
      }),
    ],
    ['crm_create_person', { values: {} }, post('/v2/objects/people/records', { data: { values: {} } })],
    ['crm_list_people', {}, post('/v2/objects/people/records/query', { limit: 500, offset: 0 })],
    [
      'crm_list_people',
      { filter: FILTER, sorts: SORTS, limit: 5, offset: 10 },
      post('/v2/objects/people/records/query', { filter: FILTER, sorts: SORTS, limit: 5, offset: 10 }),
    ],
    ['crm_get_person', { record_id: ID }, get(`/v2/objects/people/records/${ID}`)],
    ['crm_delete_person', { record_id: ID }, del(`/v2/objects/people/records/${ID}`)],
    [
      'crm_create_company',
      { values: { domains: [{ domain: 'example.com' }] } },
      post('/v2/objects/companies/records', { data: { values: { domains: [{ domain: 'example.com' }] } } }),
    ],
    [
      'crm_list_companies',
      { filter: { domains: 'example.com' }, limit: 1 },
      post('/v2/objects/companies/records/query', {
        filter: { domains: 'example.com' },
        limit: 1,
        offset: 0,
      }),
    ],
    ['crm_get_company', { record_id: ID }, get(`/v2/objects/companies/records/${ID}`)],
    ['crm_delete_company', { record_id: ID }, del(`/v2/objects/companies/records/${ID}`)],
    [
      'crm_create_deal',
      { values: { name: [{ value: 'Big one' }], stage: [{ status: 'Lead' }] } },
      post('/v2/objects/deals/records', {
        data: { values: { name: [{ value: 'Big one' }], stage: [{ status: 'Lead' }] } },
      }),
    ],
    [
      'crm_list_deals',
      { filter: {}, sorts: [], offset: 500 },
      post('/v2/objects/deals/records/query', { filter: {}, sorts: [], limit: 500, offset: 500 }),
    ],
    ['crm_get_deal', { record_id: ID }, get(`/v2/objects/deals/records/${ID}`)],
    ['crm_delete_deal', { record_id: ID }, del(`/v2/objects/deals/records/${ID}`)],
    // any object
    [
      'crm_create_record',
      { object: 'projects', values: { name: [{ value: 'Moon' }] } },
      post('/v2/objects/projects/records', { data: { values: { name: [{ value: 'Moon' }] } } }),
    ],
    [
      'crm_create_record',
      { object: 'a/b?c', values: {} },
      post('/v2/objects/a%2Fb%3Fc/records', { data: { values: {} } }),
    ],
    [
      'crm_list_records',
      { object: OBJECT_ID },
      post(`/v2/objects/${OBJECT_ID}/records/query`, { limit: 500, offset: 0 }),
    ],
    [
      'crm_list_records',
      { object: 'projects', filter: FILTER, sorts: SORTS, limit: 2, offset: 4 },
      post('/v2/objects/projects/records/query', { filter: FILTER, sorts: SORTS, limit: 2, offset: 4 }),
    ],
    ['crm_get_record', { object: 'projects', record_id: ID }, get(`/v2/objects/projects/records/${ID}`)],
    ['crm_delete_record', { object: 'projects', record_id: ID }, del(`/v2/objects/projects/records/${ID}`)],
    [
      'crm_get_record_attribute_values',
      { object: 'deals', record_id: ID, attribute: 'stage' },
      get(`/v2/objects/deals/records/${ID}/attributes/stage/values`),
    ],
    [
      'crm_get_record_attribute_values',
      { object: 'deals', record_id: ID, attribute: 'stage', show_historic: true },
      get(`/v2/objects/deals/records/${ID}/attributes/stage/values`, [['show_historic', 'true']]),
    ],
    [
      'crm_get_record_attribute_values',
      { object: 'deals', record_id: ID, attribute: 'stage', show_historic: false },
      get(`/v2/objects/deals/records/${ID}/attributes/stage/values`, [['show_historic', 'false']]),
    ],
    // Attio wants a body, even an empty one
    ['crm_list_user_records', {}, post('/v2/objects/users/records/query', {})],
    [
      'crm_list_user_records',
      { filter: { primary_email_address: 'ada@example.com' }, sorts: SORTS, limit: 3, offset: 6 },
      post('/v2/objects/users/records/query', {
        filter: { primary_email_address: 'ada@example.com' },
        sorts: SORTS,
        limit: 3,
        offset: 6,
      }),
    ],
    ['crm_delete_user_record', { record_id: ID }, del(`/v2/objects/users/records/${ID}`)],
    ['crm_list_workspace_records', {}, post('/v2/objects/workspaces/records/query', {})],
    ['crm_list_workspace_records', { limit: 1 }, post('/v2/objects/workspaces/records/query', { limit: 1 })],
    ['crm_get_workspace_record', { record_id: ID }, get(`/v2/objects/workspaces/records/${ID}`)],
    ['crm_delete_workspace_record', { record_id: ID }, del(`/v2/objects/workspaces/records/${ID}`)],
    // search, which knows no offset and gives at most 25; without words every record is listed
    ['crm_search_records', { object: 'people', query: 'ada' }, search('ada', 'people', 20)],
    [
      'crm_search_records',
      { object: 'people', query: '', limit: 1 },
      post('/v2/objects/people/records/query', { limit: 2, offset: 0 }),
    ],
    ['crm_search_records', { object: 'people', query: 'a', limit: 5, offset: 10 }, search('a', 'people', 15)],
    ['crm_search_records', { object: 'people', query: 'a', limit: 20, offset: 5 }, search('a', 'people', 25)],
    ['crm_search_records', { object: 'people', query: 'a', limit: 20, offset: 6 }, search('a', 'people', 25)],
    ['crm_search_records', { object: 'people', query: 'a', limit: 500 }, search('a', 'people', 25)],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for records: invalid input', () => {
  it.each([
    ['crm_create_person', ['values required'], {}],
    ['crm_create_person', ['values type'], { values: [{ name: 'Ada' }] }],
    ['crm_create_company', ['name unknown', 'values required'], { name: 'Example' }],
    ['crm_create_deal', ['values min_properties'], { values: {} }],
    ['crm_list_people', ['limit minimum', 'offset minimum'], { limit: 0, offset: -1 }],
    ['crm_list_people', ['filter type', 'sorts type'], { filter: 'name', sorts: 'name' }],
    [
      'crm_list_companies',
      ['sorts[0].attribute required', 'sorts[1].direction enum', 'sorts[1].by unknown'],
      { sorts: [{ direction: 'asc' }, { attribute: 'name', direction: 'up', by: 1 }] },
    ],
    ['crm_list_deals', ['limit type', 'offset type'], { limit: '5', offset: 1.5 }],
    ['crm_get_person', ['record_id required'], {}],
    ['crm_get_company', ['record_id format'], { record_id: 'example' }],
    ['crm_get_deal', ['record_id format'], { record_id: '..' }],
    ['crm_delete_person', ['record_id type'], { record_id: 7 }],
    ['crm_delete_company', ['record_id format'], { record_id: `${ID}/../x` }],
    ['crm_delete_deal', ['record_id required'], {}],
    ['crm_create_record', ['object required', 'values required'], {}],
    ['crm_list_records', ['object min_length'], { object: '' }],
    ['crm_get_record', ['object required', 'record_id format'], { record_id: 'x' }],
    ['crm_delete_record', ['record_id required', 'object path'], { object: '.' }],
    [
      'crm_get_record_attribute_values',
      ['attribute required', 'show_historic type'],
      { object: 'deals', record_id: ID, show_historic: 'yes' },
    ],
    ['crm_list_user_records', ['limit minimum'], { limit: 0 }],
    ['crm_delete_user_record', ['record_id required'], {}],
    ['crm_list_workspace_records', ['offset minimum'], { offset: -1 }],
    ['crm_get_workspace_record', ['record_id format'], { record_id: 'x' }],
    ['crm_delete_workspace_record', ['record_id required'], {}],
    ['crm_search_records', ['object required', 'query required'], {}],
    ['crm_search_records', ['query max_length'], { object: 'people', query: 'q'.repeat(257) }],
    [
      'crm_search_records',
      ['limit minimum', 'offset minimum'],
      { object: 'people', query: '', limit: 0, offset: -1 },
    ],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('tool crm_search_records', () => {
  const found = Array.from({ length: 25 }, (_, i) => ({ record_text: `Record ${i}` }));

  it('returns the records after the offset', async () => {
    const input = { object: 'people', query: 'r', limit: 2, offset: 3 };
    const { data } = await callTool('crm_search_records', input, { data: found.slice(0, 5) });
    expect(data).toEqual({
      data: [{ record_text: 'Record 3' }, { record_text: 'Record 4' }],
      has_more: true,
    });
  });

  it('says that the search ends where more records are wanted than it can return', async () => {
    const input = { object: 'people', query: 'r', limit: 20, offset: 20 };
    const { data } = await callTool('crm_search_records', input, { data: found });
    expect(data).toEqual({
      data: found.slice(20),
      notice: "Attio's search ends after 25 records. Search for something narrower, or use crm_list_records.",
    });
  });

  it('adds no note where fewer records were found than it can return, or 25 were wanted', async () => {
    const beyond = { object: 'people', query: 'r', limit: 20, offset: 20 };
    expect((await callTool('crm_search_records', beyond, { data: found.slice(0, 21) })).data).toEqual({
      data: [{ record_text: 'Record 20' }],
    });
    const all = { object: 'people', query: 'r', limit: 25 };
    expect((await callTool('crm_search_records', all, { data: found })).data).toEqual({ data: found });
  });

  /** A workspace of so many people, which lists at most 500 at once. */
  const workspace = (size: number) => (request: ProviderRequest) => {
    const { limit, offset } = request.body as { limit: number; offset: number };
    const count = Math.max(0, Math.min(limit, 500, size - offset));
    return {
      data: Array.from({ length: count }, (_, i) => ({ id: { record_id: String(offset + i) }, values: {} })),
    };
  };
  const idsOf = (data: unknown) =>
    (data as { data: { id: { record_id: string } }[] }).data.map(({ id }) => Number(id.record_id));

  it.each([
    [40, { limit: 100 }, [0, 39], [[101, 0]]],
    [40, { limit: 25, offset: 25 }, [25, 39], [[26, 25]]],
    [
      1200,
      { limit: 1100, offset: 50 },
      [50, 1149],
      [
        [500, 50],
        [500, 550],
        [101, 1050],
      ],
    ],
    [
      500,
      { limit: 500 },
      [0, 499],
      [
        [500, 0],
        [1, 500],
      ],
    ],
  ])(
    'lists all of %i records page by page where the text is empty: %j',
    async (size, input, [first, last], pages) => {
      const { data, requests } = await callTool(
        'crm_search_records',
        { object: 'people', query: '', ...input },
        workspace(size),
      );
      const ids = idsOf(data);
      expect([ids[0], ids.at(-1), ids.length]).toEqual([first, last, last! - first! + 1]);
      expect(requests.map(({ body }) => Object.values(body as object))).toEqual(pages);
      for (const request of requests) expectRequestMatches(description, request);
      expect(data).toEqual(
        size > last! + 1
          ? { data: expect.any(Array) as unknown, has_more: true }
          : { data: expect.any(Array) as unknown },
      );
    },
  );

  it('stops after ten pages of an empty search and says that there is more', async () => {
    const input = { object: 'people', query: '', limit: 1_000_000 };
    const { data, requests } = await callTool('crm_search_records', input, workspace(9_000));
    expect([requests.length, idsOf(data).length]).toEqual([10, 4_999]);
    expect(data).toMatchObject({ has_more: true });
  });

  it('gives a listed record the members of a found one', async () => {
    const id = { record_id: '1' };
    const person = {
      id,
      created_at: '2026-01-01',
      values: {
        name: [{ full_name: 'Ada Lovelace', first_name: 'Ada' }],
        avatar_url: [{ value: 'https://a.example/ada.png' }],
        email_addresses: [{ email_address: 'ada@example.com' }, { email_address: 7 }, null],
        phone_numbers: 'none',
      },
    };
    const records = async (object: string, record: unknown) =>
      (await callTool('crm_search_records', { object, query: '' }, { data: [record] })).data;
    expect(await records('people', person)).toEqual({
      data: [
        {
          id,
          record_text: 'Ada Lovelace',
          record_image: 'https://a.example/ada.png',
          object_slug: 'people',
          email_addresses: ['ada@example.com'],
          phone_numbers: [],
        },
      ],
    });
    const company = { id, values: { name: [{ value: 'Example' }], domains: [{ domain: 'example.com' }] } };
    expect(await records('companies', company)).toEqual({
      data: [
        {
          id,
          record_text: 'Example',
          record_image: null,
          object_slug: 'companies',
          domains: ['example.com'],
        },
      ],
    });
    expect(await records('boats', null)).toEqual({
      data: [{ id: undefined, record_text: '', record_image: null, object_slug: 'boats' }],
    });
  });

  it.each([
    ['crm_create_record', { object: '..', values: {} }],
    ['crm_list_records', { object: 'a/../b' }],
  ])('refuses for %s an object that climbs out of the path', async (name, input) => {
    expect(await callRefusals(name, input)).toEqual(['object path']);
  });

  it.each(['..', 'a/../b', '\u0000'])(
    'refuses the object %j of an empty search before anything is sent',
    async (object) => {
      expect(await callRefusals('crm_search_records', { object, query: '' })).toContain(
        object === '\u0000' ? 'object nul' : 'object path',
      );
    },
  );

  it('returns nothing for an offset past the end, and for an answer without a list', async () => {
    const past = { object: 'people', query: 'r', offset: 100 };
    expect((await callTool('crm_search_records', past, { data: found })).data).toMatchObject({ data: [] });
    for (const answer of [{}, null, { data: 'x' }])
      expect((await callTool('crm_search_records', { object: 'o', query: '' }, answer)).data).toEqual({
        data: [],
      });
  });
});

describe('CRM tools for records: answers', () => {
  it('return the answer of Attio unchanged', async () => {
    const answer = { data: { id: { record_id: ID }, values: { name: null } }, extra: [1] };
    for (const [name, input] of [
      ['crm_create_person', { values: {} }],
      ['crm_get_company', { record_id: ID }],
      ['crm_list_deals', {}],
      ['crm_delete_record', { object: 'projects', record_id: ID }],
    ] as const)
      expect((await callTool(name, input, answer)).data).toEqual(answer);
  });
});
