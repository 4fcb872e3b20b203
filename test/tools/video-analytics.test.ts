/** YouTube toolset analytics: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { callTool, refusals, requestOf } from './tool-request.ts';
import { analytics, expectYouTubeRequest } from './video-request.ts';

const query = {
  ids: 'channel==MINE',
  metrics: 'views,likes',
  start_date: '2026-10-01',
  end_date: '2026-10-31',
};
const sent = {
  ids: 'channel==MINE',
  metrics: 'views,likes',
  startDate: '2026-10-01',
  endDate: '2026-10-31',
};
const OWNER = { on_behalf_of_content_owner: 'owner' };
const owner = { onBehalfOfContentOwner: 'owner' };

describe('video tools for analytics: requests', () => {
  it.each([
    ['video_analytics_query', query, analytics('GET', '/reports', sent)],
    [
      'video_analytics_query',
      { ...query, ids: 'contentOwner==Owner_1+x-y' },
      analytics('GET', '/reports', { ...sent, ids: 'contentOwner==Owner_1+x-y' }),
    ],
    [
      'video_analytics_query',
      { ...query, dimensions: 'video', sort: '-views,day', max_results: 200, start_index: 1 },
      analytics('GET', '/reports', {
        ...sent,
        dimensions: 'video',
        sort: '-views,day',
        maxResults: '200',
        startIndex: '1',
      }),
    ],
    [
      'video_analytics_query',
      { ...query, filters: 'video==a,b;country==DE', currency: 'EUR' },
      analytics('GET', '/reports', { ...sent, filters: 'video==a,b;country==DE', currency: 'EUR' }),
    ],
    [
      'video_analytics_query',
      { ...query, include_historical_channel_data: false },
      analytics('GET', '/reports', { ...sent, includeHistoricalChannelData: 'false' }),
    ],
    ['video_analytics_groups_list', { id: 'g1,g2' }, analytics('GET', '/groups', { id: 'g1,g2' })],
    ['video_analytics_groups_list', { mine: true }, analytics('GET', '/groups', { mine: 'true' })],
    // together with an id, false says nothing
    ['video_analytics_groups_list', { id: 'g1', mine: false }, analytics('GET', '/groups', { id: 'g1' })],
    [
      'video_analytics_groups_list',
      { id: 'g1', mine: true },
      analytics('GET', '/groups', { id: 'g1', mine: 'true' }),
    ],
    [
      'video_analytics_groups_list',
      { mine: true, page_token: 'P', ...OWNER },
      analytics('GET', '/groups', { mine: 'true', pageToken: 'P', ...owner }),
    ],
    [
      'video_analytics_group_create',
      { title: 'Best', item_type: 'youtube#video' },
      analytics(
        'POST',
        '/groups',
        {},
        { snippet: { title: 'Best' }, contentDetails: { itemType: 'youtube#video' } },
      ),
    ],
    [
      'video_analytics_group_create',
      { title: 'Assets', item_type: 'youtubePartner#asset', ...OWNER },
      analytics('POST', '/groups', owner, {
        snippet: { title: 'Assets' },
        contentDetails: { itemType: 'youtubePartner#asset' },
      }),
    ],
    [
      'video_analytics_groups_update',
      { group_id: 'g1', title: 'Better' },
      analytics('PUT', '/groups', {}, { id: 'g1', snippet: { title: 'Better' } }),
    ],
    [
      'video_analytics_groups_update',
      { group_id: 'g1', title: 'Better', ...OWNER },
      analytics('PUT', '/groups', owner, { id: 'g1', snippet: { title: 'Better' } }),
    ],
    ['video_analytics_groups_delete', { group_id: 'g1' }, analytics('DELETE', '/groups', { id: 'g1' })],
    [
      'video_analytics_groups_delete',
      { group_id: 'g1', ...OWNER },
      analytics('DELETE', '/groups', { id: 'g1', ...owner }),
    ],
    [
      'video_analytics_group_items_list',
      { group_id: 'g1' },
      analytics('GET', '/groupItems', { groupId: 'g1' }),
    ],
    [
      'video_analytics_group_items_list',
      { group_id: 'g1', ...OWNER },
      analytics('GET', '/groupItems', { groupId: 'g1', ...owner }),
    ],
    [
      'video_analytics_group_item_insert',
      { group_id: 'g1', resource_id: 'UC1', resource_kind: 'youtube#channel' },
      analytics(
        'POST',
        '/groupItems',
        {},
        { groupId: 'g1', resource: { id: 'UC1', kind: 'youtube#channel' } },
      ),
    ],
    [
      'video_analytics_group_item_insert',
      { group_id: 'g1', resource_id: 'PL1', resource_kind: 'youtube#playlist', ...OWNER },
      analytics('POST', '/groupItems', owner, {
        groupId: 'g1',
        resource: { id: 'PL1', kind: 'youtube#playlist' },
      }),
    ],
    ['video_analytics_group_items_delete', { id: 'i1' }, analytics('DELETE', '/groupItems', { id: 'i1' })],
    [
      'video_analytics_group_items_delete',
      { id: 'i1', ...OWNER },
      analytics('DELETE', '/groupItems', { id: 'i1', ...owner }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('video tools for analytics: invalid input', () => {
  it.each<[string, string[], object]>([
    [
      'video_analytics_query',
      ['ids required', 'metrics required', 'start_date required', 'end_date required'],
      {},
    ],
    ['video_analytics_query', ['ids pattern'], { ...query, ids: 'UC123' }],
    ['video_analytics_query', ['ids pattern'], { ...query, ids: 'channel=UC123' }],
    ['video_analytics_query', ['ids pattern'], { ...query, ids: 'video==abc' }],
    ['video_analytics_query', ['ids type'], { ...query, ids: 7 }],
    ['video_analytics_query', ['metrics pattern'], { ...query, metrics: 'views, likes' }],
    ['video_analytics_query', ['metrics type'], { ...query, metrics: ['views'] }],
    ['video_analytics_query', ['start_date format'], { ...query, start_date: '01.10.2026' }],
    ['video_analytics_query', ['start_date format'], { ...query, start_date: '2026-02-29' }],
    ['video_analytics_query', ['end_date format'], { ...query, end_date: '2026-10-31T00:00:00Z' }],
    ['video_analytics_query', ['dimensions pattern'], { ...query, dimensions: 'day;video' }],
    ['video_analytics_query', ['filters type'], { ...query, filters: { country: 'DE' } }],
    ['video_analytics_query', ['sort pattern'], { ...query, sort: '+views' }],
    ['video_analytics_query', ['max_results maximum'], { ...query, max_results: 201 }],
    ['video_analytics_query', ['max_results minimum'], { ...query, max_results: 0 }],
    ['video_analytics_query', ['max_results type'], { ...query, max_results: 1.5 }],
    ['video_analytics_query', ['start_index minimum'], { ...query, start_index: 0 }],
    ['video_analytics_query', ['currency pattern'], { ...query, currency: 'eur' }],
    [
      'video_analytics_query',
      ['include_historical_channel_data type'],
      { ...query, include_historical_channel_data: 'yes' },
    ],
    ['video_analytics_query', ['on_behalf_of_content_owner unknown'], { ...query, ...OWNER }],
    ['video_analytics_groups_list', ['id at_least_one_of'], {}],
    ['video_analytics_groups_list', ['id at_least_one_of'], { mine: false }],
    ['video_analytics_groups_list', ['id min_length'], { id: '' }],
    ['video_analytics_groups_list', ['mine type'], { mine: 'true' }],
    ['video_analytics_groups_list', ['page_token type'], { mine: true, page_token: 2 }],
    ['video_analytics_group_create', ['title required', 'item_type required'], {}],
    ['video_analytics_group_create', ['title min_length'], { title: '', item_type: 'youtube#video' }],
    ['video_analytics_group_create', ['item_type enum'], { title: 'T', item_type: 'video' }],
    [
      'video_analytics_group_create',
      ['on_behalf_of_content_owner type'],
      { title: 'T', item_type: 'youtube#video', on_behalf_of_content_owner: true },
    ],
    ['video_analytics_groups_update', ['group_id required', 'title required'], {}],
    ['video_analytics_groups_update', ['item_type unknown'], { group_id: 'g', title: 'T', item_type: 'x' }],
    ['video_analytics_groups_delete', ['id unknown', 'group_id required'], { id: 'g1' }],
    ['video_analytics_groups_delete', ['group_id min_length'], { group_id: '' }],
    ['video_analytics_group_items_list', ['group_id required'], {}],
    ['video_analytics_group_items_list', ['page_token unknown'], { group_id: 'g1', page_token: 'P' }],
    [
      'video_analytics_group_item_insert',
      ['group_id required', 'resource_id required', 'resource_kind required'],
      {},
    ],
    [
      'video_analytics_group_item_insert',
      ['resource_kind enum'],
      { group_id: 'g1', resource_id: 'v', resource_kind: 'youtube#asset' },
    ],
    ['video_analytics_group_items_delete', ['id required'], {}],
    ['video_analytics_group_items_delete', ['id type'], { id: ['i1'] }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('video tools for analytics: answers', () => {
  it('return the answer of YouTube unchanged', async () => {
    const table = { kind: 'youtubeAnalytics#resultTable', columnHeaders: [{ name: 'views' }] };
    expect((await callTool('video_analytics_query', query, table)).data).toEqual(table);
  });

  it.each([null, {}])('return %j where the provider sends nothing else', async (answer) => {
    const member = { group_id: 'g1', resource_id: 'v', resource_kind: 'youtube#video' };
    expect((await callTool('video_analytics_group_item_insert', member, answer)).data).toEqual(answer);
    expect((await callTool('video_analytics_groups_delete', { group_id: 'g1' }, answer)).data).toEqual(
      answer,
    );
  });
});
