/** YouTube toolset channels: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { refusals, requestOf } from './tool-request.ts';
import { data, expectYouTubeRequest } from './video-request.ts';

const part = 'snippet,statistics';

describe('video tools for channels, search, categories and captions: requests', () => {
  it.each([
    // no default with ids: YouTube gives all of them
    ['video_channels_list', { part, id: 'UC1,UC2' }, data('GET', '/channels', { part, id: 'UC1,UC2' })],
    [
      'video_channels_list',
      { part, id: 'UC1', max_results: 50 },
      data('GET', '/channels', { part, id: 'UC1', maxResults: '50' }),
    ],
    [
      'video_channels_list',
      { part, mine: true },
      data('GET', '/channels', { part, mine: 'true', maxResults: '5' }),
    ],
    [
      'video_channels_list',
      { part, for_handle: '@GoogleDevelopers' },
      data('GET', '/channels', { part, forHandle: '@GoogleDevelopers', maxResults: '5' }),
    ],
    [
      'video_channels_list',
      { part, for_username: 'google' },
      data('GET', '/channels', { part, forUsername: 'google', maxResults: '5' }),
    ],
    [
      'video_channels_list',
      { part, managed_by_me: true, max_results: 0, page_token: 'P' },
      data('GET', '/channels', { part, managedByMe: 'true', maxResults: '0', pageToken: 'P' }),
    ],
    // a false chooses nothing and is not sent
    [
      'video_channels_list',
      { part, id: 'UC1', mine: false, managed_by_me: false },
      data('GET', '/channels', { part, id: 'UC1' }),
    ],
    ['video_search', {}, data('GET', '/search', { part: 'snippet', maxResults: '10' })],
    [
      'video_search',
      { q: 'boating|sailing -fishing' },
      data('GET', '/search', { part: 'snippet', q: 'boating|sailing -fishing', maxResults: '10' }),
    ],
    ['video_search', { q: '' }, data('GET', '/search', { part: 'snippet', q: '', maxResults: '10' })],
    [
      'video_search',
      { channel_id: 'UC1', type: 'video,playlist', order: 'viewCount', safe_search: 'strict' },
      data('GET', '/search', {
        part: 'snippet',
        channelId: 'UC1',
        type: 'video,playlist',
        order: 'viewCount',
        safeSearch: 'strict',
        maxResults: '10',
      }),
    ],
    [
      'video_search',
      { type: 'video', video_duration: 'medium', max_results: 0, page_token: 'P' },
      data('GET', '/search', {
        part: 'snippet',
        type: 'video',
        videoDuration: 'medium',
        maxResults: '0',
        pageToken: 'P',
      }),
    ],
    [
      'video_search',
      { published_after: '2026-11-01T00:00:00Z', published_before: '2026-11-20T09:30:00.5+02:00' },
      data('GET', '/search', {
        part: 'snippet',
        publishedAfter: '2026-11-01T00:00:00Z',
        publishedBefore: '2026-11-20T09:30:00.5+02:00',
        maxResults: '10',
      }),
    ],
    [
      'video_video_categories_list',
      { id: '1,22' },
      data('GET', '/videoCategories', { part: 'snippet', id: '1,22' }),
    ],
    [
      'video_video_categories_list',
      { region_code: 'DE', hl: 'zh-Hant-TW' },
      data('GET', '/videoCategories', { part: 'snippet', regionCode: 'DE', hl: 'zh-Hant-TW' }),
    ],
    ['video_captions_list', { video_id: 'v1' }, data('GET', '/captions', { part: 'snippet', videoId: 'v1' })],
    [
      'video_captions_list',
      { video_id: 'v1', id: 'c1,c2' },
      data('GET', '/captions', { part: 'snippet', videoId: 'v1', id: 'c1,c2' }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('video tools for channels, search, categories and captions: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_channels_list', ['part required', 'id exactly_one_of'], {}],
    ['video_channels_list', ['part pattern'], { part: 'snippet, status', mine: true }],
    ['video_channels_list', ['part pattern'], { part: '', mine: true }],
    ['video_channels_list', ['part type'], { part: ['snippet'], mine: true }],
    ['video_channels_list', ['id exactly_one_of'], { part, mine: false }],
    ['video_channels_list', ['mine exactly_one_of'], { part, id: 'UC1', mine: true }],
    ['video_channels_list', ['for_username exactly_one_of'], { part, for_handle: '@a', for_username: 'a' }],
    ['video_channels_list', ['managed_by_me exactly_one_of'], { part, mine: true, managed_by_me: true }],
    ['video_channels_list', ['id min_length'], { part, id: '' }],
    ['video_channels_list', ['max_results minimum'], { part, mine: true, max_results: -1 }],
    ['video_channels_list', ['max_results maximum'], { part, mine: true, max_results: 51 }],
    ['video_channels_list', ['managed_by_me type'], { part, managed_by_me: 1 }],
    [
      'video_channels_list',
      ['on_behalf_of_content_owner unknown'],
      { part, managed_by_me: true, on_behalf_of_content_owner: 'o' },
    ],
    ['video_search', ['part unknown'], { part: 'snippet' }],
    ['video_search', ['type pattern'], { type: 'movie' }],
    ['video_search', ['type pattern'], { type: 'video, channel' }],
    ['video_search', ['order enum'], { order: 'views' }],
    ['video_search', ['safe_search enum'], { safe_search: 'off' }],
    ['video_search', ['video_duration enum'], { type: 'video', video_duration: '10m' }],
    ['video_search', ['type require_value'], { video_duration: 'short' }],
    ['video_search', ['type require_value'], { type: 'video,channel', video_duration: 'short' }],
    ['video_search', ['published_after format'], { published_after: '2026-11-01' }],
    ['video_search', ['published_before format'], { published_before: '2026-11-01T00:00:00' }],
    ['video_search', ['max_results maximum'], { max_results: 51 }],
    ['video_search', ['max_results minimum'], { max_results: -1 }],
    ['video_search', ['max_results type'], { max_results: '10' }],
    ['video_search', ['channel_id min_length'], { channel_id: '' }],
    ['video_search', ['q type'], { q: 5 }],
    ['video_video_categories_list', ['id exactly_one_of'], {}],
    ['video_video_categories_list', ['region_code exactly_one_of'], { id: '1', region_code: 'DE' }],
    ['video_video_categories_list', ['region_code pattern'], { region_code: 'DEU' }],
    ['video_video_categories_list', ['region_code pattern'], { region_code: 'de' }],
    ['video_video_categories_list', ['hl pattern'], { id: '1', hl: 'German language' }],
    ['video_video_categories_list', ['page_token unknown'], { id: '1', page_token: 'P' }],
    ['video_captions_list', ['video_id required'], { id: 'c1' }],
    ['video_captions_list', ['video_id min_length'], { video_id: '' }],
    ['video_captions_list', ['max_results unknown'], { video_id: 'v1', max_results: 5 }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});
