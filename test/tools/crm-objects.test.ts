/** CRM toolset objects: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, get, post, refusals, requestOf, shippedTool } from './tool-request.ts';

const description = readProviderDescription('crm');

const OBJECT_ID = '97052eb9-e65e-443f-a297-f2d9a4a7f795';

const attribute = {
  api_slug: 'rank',
  title: 'Rank',
  type: 'number',
  description: 'How important it is.',
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  config: {},
};

describe('CRM tools for objects and attributes: requests', () => {
  it.each([
    ['crm_list_objects', {}, get('/v2/objects')],
    ['crm_get_object', { object: OBJECT_ID }, get(`/v2/objects/${OBJECT_ID}`)],
    [
      'crm_create_object',
      { singular_noun: 'Project', plural_noun: 'Projects', api_slug: 'projects' },
      post('/v2/objects', {
        data: { singular_noun: 'Project', plural_noun: 'Projects', api_slug: 'projects' },
      }),
    ],
    ['crm_list_attributes', { object: 'people' }, get('/v2/objects/people/attributes')],
    ['crm_list_attributes', { list: 'sales' }, get('/v2/lists/sales/attributes')],
    ['crm_get_attribute', { object: 'people', attribute: 'name' }, get('/v2/objects/people/attributes/name')],
    ['crm_get_attribute', { list: 'sales', attribute: 'a b' }, get('/v2/lists/sales/attributes/a%20b')],
    [
      'crm_list_attribute_options',
      { object: 'people', attribute: 'tags' },
      get('/v2/objects/people/attributes/tags/options'),
    ],
    [
      'crm_list_attribute_options',
      { list: 'sales', attribute: 'tags' },
      get('/v2/lists/sales/attributes/tags/options'),
    ],
    [
      'crm_list_attribute_statuses',
      { object: 'deals', attribute: 'stage' },
      get('/v2/objects/deals/attributes/stage/statuses'),
    ],
    [
      'crm_list_attribute_statuses',
      { list: 'sales', attribute: 'stage' },
      get('/v2/lists/sales/attributes/stage/statuses'),
    ],
    [
      'crm_create_attribute',
      { object: 'people', ...attribute },
      post('/v2/objects/people/attributes', { data: attribute }),
    ],
    [
      'crm_create_attribute',
      { list: 'sales', ...attribute, type: 'select', is_multiselect: true, is_required: true },
      post('/v2/lists/sales/attributes', {
        data: { ...attribute, type: 'select', is_multiselect: true, is_required: true },
      }),
    ],
    // a multiselect is a select in Attio, whatever is_multiselect says
    [
      'crm_create_attribute',
      { object: 'people', ...attribute, type: 'multiselect', is_multiselect: false },
      post('/v2/objects/people/attributes', {
        data: { ...attribute, type: 'select', is_multiselect: true },
      }),
    ],
    [
      'crm_create_attribute',
      {
        object: 'people',
        ...attribute,
        type: 'record-reference',
        config: { relationship: { object: 'companies' } },
      },
      post('/v2/objects/people/attributes', {
        data: {
          ...attribute,
          type: 'record-reference',
          config: { record_reference: { allowed_objects: ['companies'] } },
        },
      }),
    ],
    // Attio's own form of the settings passes
    [
      'crm_create_attribute',
      {
        object: 'people',
        ...attribute,
        type: 'record-reference',
        config: { record_reference: { allowed_objects: ['companies', 'deals'] } },
      },
      post('/v2/objects/people/attributes', {
        data: {
          ...attribute,
          type: 'record-reference',
          config: { record_reference: { allowed_objects: ['companies', 'deals'] } },
        },
      }),
    ],
    [
      'crm_create_attribute',
      {
        object: 'deals',
        ...attribute,
        type: 'currency',
        config: { currency: { default_currency_code: 'EUR', display_type: 'symbol' } },
      },
      post('/v2/objects/deals/attributes', {
        data: {
          ...attribute,
          type: 'currency',
          config: { currency: { default_currency_code: 'EUR', display_type: 'symbol' } },
        },
      }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each([
    'text',
    'number',
    'select',
    'status',
    'date',
    'timestamp',
    'checkbox',
    'currency',
    'record-reference',
    'actor-reference',
    'location',
    'domain',
    'email-address',
    'phone-number',
  ])('send the type %s of crm_create_attribute unchanged', async (type) => {
    const request = await requestOf('crm_create_attribute', { object: 'people', ...attribute, type });
    expect(request).toEqual(post('/v2/objects/people/attributes', { data: { ...attribute, type } }));
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for objects and attributes: invalid input', () => {
  it.each([
    ['crm_list_objects', ['limit unknown'], { limit: 5 }],
    ['crm_get_object', ['object path'], { object: '..' }],
    ['crm_create_object', ['singular_noun required', 'plural_noun required', 'api_slug required'], {}],
    ['crm_create_object', ['api_slug min_length'], { singular_noun: 'a', plural_noun: 'b', api_slug: '' }],
    ['crm_list_attributes', ['object exactly_one_of'], {}],
    ['crm_list_attributes', ['list exactly_one_of'], { object: 'people', list: 'sales' }],
    ['crm_get_attribute', ['attribute required', 'object exactly_one_of'], {}],
    ['crm_get_attribute', ['list exactly_one_of'], { object: 'people', list: 'sales', attribute: 'name' }],
    ['crm_list_attribute_options', ['object exactly_one_of'], { attribute: 'tags' }],
    ['crm_list_attribute_options', ['attribute path'], { object: 'people', attribute: '..' }],
    ['crm_list_attribute_statuses', ['object exactly_one_of'], { attribute: 'stage' }],
    ['crm_list_attribute_statuses', ['attribute required'], { object: 'deals' }],
    [
      'crm_create_attribute',
      [
        'api_slug required',
        'title required',
        'type required',
        'description required',
        'is_required required',
        'is_unique required',
        'is_multiselect required',
        'config required',
        'object exactly_one_of',
      ],
      {},
    ],
    ['crm_create_attribute', ['list exactly_one_of'], { ...attribute, object: 'people', list: 'sales' }],
    ['crm_create_attribute', ['type enum'], { ...attribute, object: 'people', type: 'rating' }],
    ['crm_create_attribute', ['config type'], { ...attribute, object: 'people', config: 'none' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it('says what to take instead of the type interaction, which Attio alone makes', async () => {
    const input = { object: 'people', ...attribute, type: 'interaction' };
    await expect(callTool('crm_create_attribute', input, () => expect.unreachable())).rejects.toMatchObject({
      details: {
        field_violations: [
          {
            field: 'type',
            description:
              'Attio makes attributes of type interaction itself. Take timestamp or date for a time of contact, or text for what was said.',
            constraint: 'enum',
          },
        ],
      },
    });
    expect(shippedTool('crm_create_attribute').inputSchema.properties?.['type']).toMatchObject({
      enum: expect.arrayContaining(['interaction']) as unknown,
      description: 'interaction is refused: Attio makes those itself.',
    });
  });

  it.each([
    [['type enum'], { type: 'interaction' }],
    [['config.relationship type'], { config: { relationship: 'companies' } }],
    [['config.relationship type'], { config: { relationship: null } }],
    [['config.relationship type'], { config: { relationship: { object: '' } } }],
    [['config.relationship type'], { config: { relationship: { object: ['companies'] } } }],
    [['config.relationship type'], { config: { relationship: { object: 'companies', title: 'Lost' } } }],
    [['config.relationship forbid'], { type: 'text', config: { relationship: { object: 'companies' } } }],
    [
      ['config.relationship forbid'],
      {
        type: 'record-reference',
        config: { relationship: { object: 'a' }, record_reference: { allowed_objects: ['b'] } },
      },
    ],
    [['type enum', 'config.relationship type'], { type: 'interaction', config: { relationship: {} } }],
    [['object path'], { object: '..' }],
  ])(
    'crm_create_attribute reports the violations %j before anything is sent: %j',
    async (expected, change) => {
      const input = { object: 'people', ...attribute, ...change };
      const call = callTool('crm_create_attribute', input, () => expect.unreachable());
      await expect(call).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: {
          field_violations: expected.map((violation) => {
            const [field, constraint] = violation.split(' ');
            return { field, constraint };
          }),
        },
      });
    },
  );

  it('crm_create_attribute refuses a list that is no plain identifier', async () => {
    await expect(callTool('crm_create_attribute', { list: '..', ...attribute })).rejects.toMatchObject({
      details: { field_violations: [{ field: 'list', constraint: 'path' }] },
    });
  });
});
