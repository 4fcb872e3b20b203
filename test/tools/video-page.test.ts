/** YouTube tools for a channel's page, captions and broadcasts: requests, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { callTool, refusals, requestOf, shippedTool } from './tool-request.ts';
import { data, expectYouTubeRequest } from './video-request.ts';

const sections = { part: 'snippet,contentDetails' };
const broadcasts = { part: 'snippet,status,contentDetails' };
const file = (query: Record<string, string>) => ({
  ...data('GET', '/captions/c%2F1', query),
  answer: 'text',
});

describe('video tools for channels, captions and broadcasts: requests', () => {
  it.each([
    ['video_captions_download', { caption_id: 'c/1' }, file({ tfmt: 'srt' })],
    [
      'video_captions_download',
      { caption_id: 'c/1', format: 'vtt', language: 'pt-BR' },
      file({ tfmt: 'vtt', tlang: 'pt-BR' }),
    ],
    [
      'video_channel_sections_list',
      { channel_id: 'UC1', mine: false },
      data('GET', '/channelSections', { channelId: 'UC1', ...sections }),
    ],
    [
      'video_channel_sections_list',
      { id: 's1,s2' },
      data('GET', '/channelSections', { id: 's1,s2', ...sections }),
    ],
    [
      'video_channel_sections_list',
      { mine: true },
      data('GET', '/channelSections', { mine: 'true', ...sections }),
    ],
    [
      'video_live_broadcasts_list',
      { broadcast_status: 'upcoming', max_results: 0, page_token: 'P' },
      data('GET', '/liveBroadcasts', {
        broadcastStatus: 'upcoming',
        maxResults: '0',
        pageToken: 'P',
        ...broadcasts,
      }),
    ],
    [
      'video_live_broadcasts_list',
      { mine: true },
      data('GET', '/liveBroadcasts', { mine: 'true', maxResults: '5', ...broadcasts }),
    ],
    ['video_live_broadcasts_list', { id: 'b1' }, data('GET', '/liveBroadcasts', { id: 'b1', ...broadcasts })],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(sorted(request)).toEqual(sorted(expected));
    expectYouTubeRequest(request);
  });
});

/** The order of a query means nothing. */
function sorted<Request extends { query: readonly (readonly [string, string])[] }>(request: Request) {
  return { ...request, query: Object.fromEntries(request.query) };
}

describe('video tools for channels, captions and broadcasts: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_captions_download', ['caption_id required'], {}],
    ['video_captions_download', ['format enum'], { caption_id: 'c1', format: 'txt' }],
    ['video_captions_download', ['language pattern'], { caption_id: 'c1', language: 'German language' }],
    ['video_channels_update', ['channel_id required', 'description at_least_one_of'], {}],
    [
      'video_channels_update',
      ['title unknown', 'description at_least_one_of'],
      { channel_id: 'UC1', title: 'T' },
    ],
    ['video_channels_update', ['country pattern'], { channel_id: 'UC1', country: 'Norway' }],
    ['video_channel_sections_list', ['channel_id exactly_one_of'], {}],
    ['video_channel_sections_list', ['mine exactly_one_of'], { id: 's1', mine: true }],
    ['video_live_broadcasts_list', ['id exactly_one_of'], {}],
    ['video_live_broadcasts_list', ['broadcast_status enum'], { broadcast_status: 'live' }],
    ['video_live_broadcasts_list', ['max_results maximum'], { mine: true, max_results: 51 }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('tool video_captions_download', () => {
  it('returns the file as text, which a model reads in parts', async () => {
    const answer = await callTool(
      'video_captions_download',
      { caption_id: 'c1' },
      '1\n00:00 --> 00:04\nAhoy\n',
    );
    expect(answer.data).toEqual({ text: '1\n00:00 --> 00:04\nAhoy\n' });
    const { result } = shippedTool('video_captions_download');
    expect(compacted(result!, answer.data, { offset: 18 })?.value).toEqual({ text: 'Ahoy\n' });
  });

  it.each(['.', '..'])('refuses the id %s, which would be another path', async (caption_id) => {
    await expect(callTool('video_captions_download', { caption_id })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field: 'caption_id' }] },
    });
  });
});

describe('tool video_channels_update', () => {
  const part = 'brandingSettings';
  const channel = {
    title: 'Ada',
    description: 'Old',
    keywords: 'tea "green tea"',
    country: 'NO',
    defaultLanguage: 'en',
    trackingAnalyticsAccountId: 'UA-1',
    unsubscribedTrailer: 'v1',
  };
  const image = { bannerExternalUrl: 'https://pictures.example/b' };
  const present = {
    id: 'UC1',
    brandingSettings: {
      channel: { ...channel, moderateComments: true },
      image: { ...image, bannerImageUrl: 'x' },
    },
  };

  it.each([
    [{ description: '' }, { ...channel, description: '' }],
    [
      { keywords: 'lamp', country: 'DE' },
      { ...channel, keywords: 'lamp', country: 'DE' },
    ],
    [
      { default_language: 'de', trailer_video_id: '' },
      { ...channel, defaultLanguage: 'de', unsubscribedTrailer: '' },
    ],
  ])('changes only %j and keeps everything else', async (change, content) => {
    const input = { channel_id: 'UC1', ...change };
    const { requests } = await callTool('video_channels_update', input, { items: [present] });
    expect(requests).toEqual([
      data('GET', '/channels', { part, id: 'UC1' }),
      data('PUT', '/channels', { part }, { id: 'UC1', brandingSettings: { channel: content, image } }),
    ]);
    for (const request of requests) expectYouTubeRequest(request);
  });

  it('sends no banner where the channel has none', async () => {
    const bare = { items: [{ id: 'UC1', brandingSettings: { channel: { title: 'Ada' } } }] };
    const { requests } = await callTool('video_channels_update', { channel_id: 'UC1', country: 'DE' }, bare);
    expect(requests[1]!.body).toEqual({
      id: 'UC1',
      brandingSettings: { channel: { title: 'Ada', country: 'DE' } },
    });
  });

  it('writes nothing where YouTube shows no such channel', async () => {
    const sent: string[] = [];
    const call = callTool('video_channels_update', { channel_id: 'UC1', country: 'DE' }, ({ method }) => {
      sent.push(method);
      return {};
    });
    await expect(call).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(sent).toEqual(['GET']);
  });
});

describe('compact results of video tools for channels and broadcasts', () => {
  it.each([
    [
      'video_channels_update',
      { id: 'UC1', etag: 'e', brandingSettings: { channel: { title: 'Ada', country: 'DE' }, image: {} } },
      { id: 'UC1', title: 'Ada', country: 'DE' },
    ],
    [
      'video_channel_sections_list',
      {
        kind: 'youtube#channelSectionListResponse',
        items: [
          {
            id: 's1',
            snippet: { type: 'singlePlaylist', style: 'horizontalRow', channelId: 'UC1', position: 0 },
            contentDetails: { playlists: ['PL1'] },
          },
        ],
      },
      { items: [{ id: 's1', type: 'singlePlaylist', position: 0, playlists: ['PL1'] }] },
    ],
    [
      'video_live_broadcasts_list',
      {
        nextPageToken: 'P',
        pageInfo: { totalResults: 9, resultsPerPage: 1 },
        items: [
          {
            id: 'b1',
            snippet: {
              title: 'Live',
              thumbnails: {},
              liveChatId: 'x',
              scheduledStartTime: '2026-12-01T09:00:00Z',
            },
            status: { lifeCycleStatus: 'ready', privacyStatus: 'public', recordingStatus: 'notRecording' },
            contentDetails: { boundStreamId: 'st1', enableDvr: true },
          },
        ],
      },
      {
        nextPageToken: 'P',
        pageInfo: { totalResults: 9 },
        items: [
          {
            id: 'b1',
            title: 'Live',
            scheduledStartTime: '2026-12-01T09:00:00Z',
            lifeCycleStatus: 'ready',
            privacyStatus: 'public',
            boundStreamId: 'st1',
          },
        ],
      },
    ],
  ])('have what later calls need, and little else, for %s', (name, answer, expected) => {
    expect(compacted(shippedTool(name).result!, answer)?.value).toEqual(expected);
  });
});
