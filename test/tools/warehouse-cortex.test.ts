/** The tools of semantic views, Cortex Analyst and Cortex Search: what they send, and what they refuse before that. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, get, post, refusals, requestOf, shippedTool } from './tool-request.ts';
import { submit } from './warehouse-requests.ts';

const description = readProviderDescription('warehouse');

const headers = { 'X-Snowflake-Authorization-Token-Type': 'OAUTH' };
const MESSAGE = '/api/v2/cortex/analyst/message';
const SERVICES = '/api/v2/databases/SALES/schemas/PUBLIC/cortex-search-services';
const PLACE = { database_name: 'sales', schema_name: 'public' };
const SERVICE = { ...PLACE, service_name: 'products', query: 'lamp' };

const says = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] });

describe('tools of semantic views, Cortex Analyst and Cortex Search: requests', () => {
  it.each<[string, object, object]>([
    ['warehouse_list_semantic_views', {}, submit({ statement: 'SHOW SEMANTIC VIEWS IN ACCOUNT' })],
    [
      'warehouse_list_semantic_views',
      { ...PLACE, like_pattern: "o'%", role: 'r' },
      submit({ statement: `SHOW SEMANTIC VIEWS LIKE 'o''%' IN SCHEMA "SALES"."PUBLIC"`, role: 'r' }),
    ],
    [
      'warehouse_describe_semantic_view',
      { ...PLACE, view_name: '"Order Analysis"' },
      submit({ statement: 'DESCRIBE SEMANTIC VIEW "SALES"."PUBLIC"."Order Analysis"' }),
    ],
    [
      'warehouse_ask_analyst',
      { question: 'Revenue?', semantic_view: 'SALES.PUBLIC.V' },
      post(MESSAGE, {
        messages: [says('user', 'Revenue?')],
        semantic_view: 'SALES.PUBLIC.V',
        stream: false,
      }),
    ],
    [
      'warehouse_ask_analyst',
      { question: 'And per month?', semantic_model_file: '@m/o.yaml', history: ['Revenue?', 'SELECT 1'] },
      post(MESSAGE, {
        messages: [says('user', 'Revenue?'), says('analyst', 'SELECT 1'), says('user', 'And per month?')],
        semantic_model_file: '@m/o.yaml',
        stream: false,
      }),
    ],
    ['warehouse_list_search_services', PLACE, get(SERVICES)],
    [
      'warehouse_list_search_services',
      { ...PLACE, like_pattern: 'p%', limit: 5 },
      get(SERVICES, [
        ['like', 'p%'],
        ['showLimit', '5'],
      ]),
    ],
    ['warehouse_search', SERVICE, post(`${SERVICES}/PRODUCTS:query`, { query: 'lamp', limit: 10 })],
    [
      'warehouse_search',
      {
        database: 'sales',
        schema: '"a b"',
        service_name: '"p"',
        query: 'x',
        columns: ['name', '"Sku"'],
        filter: { '@eq': { CATEGORY: 'Lamps' } },
        limit: 100,
      },
      post('/api/v2/databases/SALES/schemas/%22a%20b%22/cortex-search-services/%22p%22:query', {
        query: 'x',
        columns: ['NAME', 'Sku'],
        filter: { '@eq': { CATEGORY: 'Lamps' } },
        limit: 100,
      }),
    ],
  ])('%s sends its request for %j', async (name, input, request) => {
    const sent = await requestOf(name, input);
    expect(sent).toEqual({ ...request, headers });
    expectRequestMatches(description, sent);
    expect(shippedTool(name).annotations).toMatchObject({ readOnlyHint: true });
  });

  it('hands on the list of services as a member, because an answer is an object', async () => {
    const { data } = await callTool('warehouse_list_search_services', PLACE, [{ name: 'P' }]);
    expect(data).toEqual({ services: [{ name: 'P' }] });
  });
});

describe('tools of semantic views, Cortex Analyst and Cortex Search: refusals', () => {
  it.each<[string, string[], object]>([
    ['warehouse_list_semantic_views', ['database_name require'], { schema_name: 's' }],
    ['warehouse_describe_semantic_view', ['view_name required'], PLACE],
    ['warehouse_ask_analyst', ['semantic_view exactly_one_of'], { question: 'x' }],
    [
      'warehouse_ask_analyst',
      ['semantic_model_file exactly_one_of'],
      { question: 'x', semantic_view: 'v', semantic_model_file: '@f' },
    ],
    ['warehouse_list_search_services', ['schema_name required'], { database_name: 'd' }],
    ['warehouse_search', ['limit maximum'], { ...SERVICE, limit: 101 }],
    ['warehouse_search', ['filter type'], { ...SERVICE, filter: 'x' }],
  ])('%s reports the violations %j: %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it.each<[string, string[], object]>([
    ['warehouse_describe_semantic_view', ['view_name name'], { ...PLACE, view_name: '""' }],
    [
      'warehouse_ask_analyst',
      ['history pairs'],
      { question: 'x', semantic_view: 'v', history: ['a', 'b', 'c'] },
    ],
    ['warehouse_list_search_services', ['database_name path'], { ...PLACE, database_name: '../x' }],
    ['warehouse_search', ['service_name path'], { ...SERVICE, service_name: 'a/../b' }],
    ['warehouse_search', ['schema_name name'], { ...SERVICE, schema_name: '""' }],
  ])('%s reports before anything is sent the violations %j: %j', async (name, expected, input) => {
    expect(await callRefusals(name, input)).toEqual(expected);
  });
});
