/** What changes, extends and repeats websets: for each input the exact provider request, and refusals. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, del, get, patch, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('websearch');

const WEBSET = '/websets/v0/websets/ws_1';
const ids = { webset_id: 'ws_1' };
const column = { ...ids, enrichment_id: 'e/1' };
const search = { ...ids, search_id: 's_1' };
const item = { ...ids, item_id: 'i_1' };
const withoutBody = (path: string) => ({ ...get(path), method: 'POST' });

describe('web-search tools for websets: requests', () => {
  it.each([
    ['websearch_cancel_webset', ids, withoutBody(`${WEBSET}/cancel`)],
    [
      'websearch_update_webset',
      { ...ids, metadata: { owner: 'sales' } },
      post(WEBSET, { metadata: { owner: 'sales' } }),
    ],
    ['websearch_update_webset', { ...ids, metadata: {} }, post(WEBSET, { metadata: null })],
    [
      'websearch_preview_webset',
      { query: 'q', entity_type: 'Research paper', count: 10 },
      {
        ...post('/websets/v0/websets/preview', {
          search: { query: 'q', entity: { type: 'research_paper' }, count: 10 },
        }),
        query: [['search', 'true']],
      },
    ],
    ['websearch_get_webset_item', item, get(`${WEBSET}/items/i_1`)],
    ['websearch_delete_webset_item', item, del(`${WEBSET}/items/i_1`)],
    [
      'websearch_create_webset_search',
      { ...ids, query: 'q', count: 5 },
      post(`${WEBSET}/searches`, { query: 'q', count: 5, behavior: 'append' }),
    ],
    [
      'websearch_create_webset_search',
      {
        ...ids,
        query: 'q',
        count: 5,
        entity_type: 'podcast episode',
        criteria: ['is new'],
        behavior: 'override',
        exclude_webset_ids: ['ws_2'],
      },
      post(`${WEBSET}/searches`, {
        query: 'q',
        count: 5,
        entity: { type: 'custom', description: 'podcast episode' },
        criteria: [{ description: 'is new' }],
        behavior: 'override',
        exclude: [{ source: 'webset', id: 'ws_2' }],
      }),
    ],
    ['websearch_get_webset_search', search, get(`${WEBSET}/searches/s_1`)],
    ['websearch_cancel_webset_search', search, withoutBody(`${WEBSET}/searches/s_1/cancel`)],
    [
      'websearch_create_webset_enrichment',
      { ...ids, description: 'd', format: 'options', options: ['a', 'b'] },
      post(`${WEBSET}/enrichments`, {
        description: 'd',
        format: 'options',
        options: [{ label: 'a' }, { label: 'b' }],
      }),
    ],
    [
      'websearch_create_webset_enrichment',
      { ...ids, description: 'd' },
      post(`${WEBSET}/enrichments`, { description: 'd' }),
    ],
    ['websearch_get_webset_enrichment', column, get(`${WEBSET}/enrichments/e%2F1`)],
    [
      'websearch_update_webset_enrichment',
      { ...column, description: 'd' },
      patch(`${WEBSET}/enrichments/e%2F1`, { description: 'd' }),
    ],
    ['websearch_delete_webset_enrichment', column, del(`${WEBSET}/enrichments/e%2F1`)],
    ['websearch_cancel_webset_enrichment', column, withoutBody(`${WEBSET}/enrichments/e%2F1/cancel`)],
    [
      'websearch_create_webset_monitor',
      { ...ids, cron: '0 9 * * 1', count: 5 },
      post('/websets/v0/monitors', {
        websetId: 'ws_1',
        cadence: { cron: '0 9 * * 1', timezone: 'Etc/UTC' },
        behavior: { type: 'search', config: { count: 5, behavior: 'append' } },
      }),
    ],
    [
      'websearch_create_webset_monitor',
      {
        ...ids,
        cron: '0 9 * * 1',
        count: 5,
        timezone: 'Europe/Oslo',
        query: 'qq',
        criteria: ['is new'],
        entity_type: 'company',
        behavior: 'override',
      },
      post('/websets/v0/monitors', {
        websetId: 'ws_1',
        cadence: { cron: '0 9 * * 1', timezone: 'Europe/Oslo' },
        behavior: {
          type: 'search',
          config: {
            query: 'qq',
            count: 5,
            entity: { type: 'company' },
            criteria: [{ description: 'is new' }],
            behavior: 'override',
          },
        },
      }),
    ],
    ['websearch_list_webset_monitors', {}, get('/websets/v0/monitors', [['limit', '25']])],
    [
      'websearch_list_webset_monitors',
      { ...ids, limit: 200, cursor: 'c' },
      get('/websets/v0/monitors', [
        ['websetId', 'ws_1'],
        ['limit', '200'],
        ['cursor', 'c'],
      ]),
    ],
    ['websearch_get_webset_monitor', { monitor_id: 'm_1' }, get('/websets/v0/monitors/m_1')],
    [
      'websearch_update_webset_monitor',
      { monitor_id: 'm_1', status: 'disabled' },
      patch('/websets/v0/monitors/m_1', { status: 'disabled' }),
    ],
    [
      'websearch_update_webset_monitor',
      { monitor_id: 'm_1', cron: '0 9 * * 1', timezone: 'Etc/UTC' },
      patch('/websets/v0/monitors/m_1', { cadence: { cron: '0 9 * * 1', timezone: 'Etc/UTC' } }),
    ],
    ['websearch_delete_webset_monitor', { monitor_id: 'm_1' }, del('/websets/v0/monitors/m_1')],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it('give a webset that is stopped or labeled its status in the four words', async () => {
    const webset = { id: 'ws_1', status: 'idle', searches: [{ status: 'canceled' }] };
    const { data } = await callTool('websearch_cancel_webset', ids, webset);
    expect(data).toEqual({ ...webset, status: 'cancelled', provider_status: 'idle' });
  });
});

describe('web-search tools for websets: invalid input', () => {
  it.each([
    ['websearch_update_webset', ['metadata required'], ids],
    ['websearch_preview_webset', ['query required', 'count maximum'], { count: 11 }],
    ['websearch_create_webset_search', ['query required', 'count required'], ids],
    [
      'websearch_create_webset_search',
      ['count minimum', 'criteria max_items', 'behavior enum'],
      { ...ids, query: 'q', count: 0, criteria: ['a', 'b', 'c', 'd', 'e', 'f'], behavior: 'replace' },
    ],
    ['websearch_get_webset_search', ['search_id required'], ids],
    ['websearch_cancel_webset_search', ['search_id path'], { ...ids, search_id: '..' }],
    ['websearch_delete_webset_item', ['item_id path'], { ...ids, item_id: '.' }],
    [
      'websearch_create_webset_enrichment',
      ['format require_value'],
      { ...ids, description: 'd', options: ['a'] },
    ],
    [
      'websearch_create_webset_enrichment',
      ['options require'],
      { ...ids, description: 'd', format: 'options' },
    ],
    ['websearch_delete_webset_enrichment', ['enrichment_id required'], ids],
    [
      'websearch_create_webset_monitor',
      ['cron pattern', 'count required', 'query min_length'],
      { ...ids, cron: '0 9 * *', query: 'q' },
    ],
    ['websearch_update_webset_monitor', ['timezone together'], { monitor_id: 'm', cron: '0 9 * * 1' }],
    ['websearch_list_webset_monitors', ['limit maximum'], { limit: 201 }],
    ['websearch_delete_webset_monitor', ['monitor_id path'], { monitor_id: 'a/../b' }],
    ['websearch_get_webset_monitor', ['monitor_id required'], {}],
    ['websearch_get_webset_item', ['item_id path'], { ...ids, item_id: '..' }],
    ['websearch_get_webset_enrichment', ['enrichment_id required'], ids],
    ['websearch_cancel_webset_enrichment', ['enrichment_id path'], { ...ids, enrichment_id: 'a/../b' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it.each([
    [
      'websearch_update_webset',
      { ...ids, metadata: { a: 1, b: 'x'.repeat(1001) } },
      ['metadata.a type', 'metadata.b max_length'],
    ],
    ['websearch_cancel_webset', { webset_id: '..' }, ['webset_id path']],
    ['websearch_create_webset_search', { webset_id: '..', query: 'q', count: 1 }, ['webset_id path']],
    ['websearch_create_webset_enrichment', { webset_id: '..', description: 'd' }, ['webset_id path']],
    [
      'websearch_update_webset_enrichment',
      { webset_id: '..', enrichment_id: 'a/../b', description: 'd' },
      ['webset_id path', 'enrichment_id path'],
    ],
  ])('%s refuses %j before anything is sent', async (name, input, expected) => {
    expect(await callRefusals(name, input)).toEqual(expected);
  });
});
