/** YouTube toolset subscriptions: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { refusals, requestOf } from './tool-request.ts';
import { data, expectYouTubeRequest } from './video-request.ts';

const part = 'snippet';
const list = (query: Record<string, string>) => data('GET', '/subscriptions', { part, ...query });

describe('video tools for subscriptions: requests', () => {
  it.each([
    ['video_subscriptions_list', { part, channel_id: 'UC1' }, list({ channelId: 'UC1', maxResults: '5' })],
    ['video_subscriptions_list', { part, id: 's1,s2' }, list({ id: 's1,s2' })],
    ['video_subscriptions_list', { part, id: 's1', max_results: 7 }, list({ id: 's1', maxResults: '7' })],
    ['video_subscriptions_list', { part, mine: true }, list({ mine: 'true', maxResults: '5' })],
    [
      'video_subscriptions_list',
      { part, my_recent_subscribers: true, mine: false },
      list({ myRecentSubscribers: 'true', maxResults: '5' }),
    ],
    [
      'video_subscriptions_list',
      { part, my_subscribers: true, max_results: 0 },
      list({ mySubscribers: 'true', maxResults: '0' }),
    ],
    [
      'video_subscriptions_list',
      { part, mine: true, for_channel_id: 'UC1,UC2', order: 'alphabetical', page_token: 'P' },
      list({
        mine: 'true',
        forChannelId: 'UC1,UC2',
        order: 'alphabetical',
        maxResults: '5',
        pageToken: 'P',
      }),
    ],
    [
      'video_subscriptions_list',
      { part, id: 's1', mine: false, my_subscribers: false, my_recent_subscribers: false },
      list({ id: 's1' }),
    ],
    [
      'video_subscriptions_insert',
      { channel_id: 'UC1' },
      data(
        'POST',
        '/subscriptions',
        { part },
        { snippet: { resourceId: { kind: 'youtube#channel', channelId: 'UC1' } } },
      ),
    ],
    ['video_subscriptions_delete', { subscription_id: 's1' }, data('DELETE', '/subscriptions', { id: 's1' })],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('video tools for subscriptions: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_subscriptions_list', ['part required', 'channel_id exactly_one_of'], {}],
    ['video_subscriptions_list', ['channel_id exactly_one_of'], { part, for_channel_id: 'UC1' }],
    ['video_subscriptions_list', ['channel_id exactly_one_of'], { part, mine: false }],
    ['video_subscriptions_list', ['id exactly_one_of'], { part, channel_id: 'UC1', id: 's1' }],
    [
      'video_subscriptions_list',
      ['my_subscribers exactly_one_of'],
      { part, mine: true, my_subscribers: true },
    ],
    [
      'video_subscriptions_list',
      ['my_recent_subscribers exactly_one_of'],
      { part, mine: true, my_recent_subscribers: true },
    ],
    ['video_subscriptions_list', ['order enum'], { part, mine: true, order: 'newest' }],
    ['video_subscriptions_list', ['max_results maximum'], { part, mine: true, max_results: 51 }],
    ['video_subscriptions_list', ['max_results minimum'], { part, mine: true, max_results: -1 }],
    ['video_subscriptions_list', ['my_subscribers type'], { part, my_subscribers: 'true' }],
    ['video_subscriptions_list', ['part pattern'], { part: 'snippet ', mine: true }],
    ['video_subscriptions_list', ['for_channel_id min_length'], { part, mine: true, for_channel_id: '' }],
    ['video_subscriptions_insert', ['channel_id required'], {}],
    ['video_subscriptions_insert', ['channel_id min_length'], { channel_id: '' }],
    ['video_subscriptions_delete', ['subscription_id required'], {}],
    ['video_subscriptions_delete', ['channel_id unknown', 'subscription_id required'], { channel_id: 'UC1' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});
