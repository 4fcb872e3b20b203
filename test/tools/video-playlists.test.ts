/** YouTube toolset playlists: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { callTool, refusals, requestOf, shippedTool } from './tool-request.ts';
import { data, expectYouTubeRequest } from './video-request.ts';

const part = 'snippet';
const resourceId = { kind: 'youtube#video', videoId: 'v1' };

describe('video tools for playlists: requests', () => {
  it.each([
    [
      'video_playlists_list',
      { part, channel_id: 'UC1' },
      data('GET', '/playlists', { part, channelId: 'UC1', maxResults: '5' }),
    ],
    ['video_playlists_list', { part, id: 'PL1,PL2' }, data('GET', '/playlists', { part, id: 'PL1,PL2' })],
    [
      'video_playlists_list',
      { part, id: 'PL1', mine: false, max_results: 50 },
      data('GET', '/playlists', { part, id: 'PL1', maxResults: '50' }),
    ],
    [
      'video_playlists_list',
      { part, mine: true, max_results: 0, page_token: 'P' },
      data('GET', '/playlists', { part, mine: 'true', maxResults: '0', pageToken: 'P' }),
    ],
    [
      'video_playlist_insert',
      { title: 'Songs' },
      data('POST', '/playlists', { part: 'snippet' }, { snippet: { title: 'Songs' } }),
    ],
    [
      'video_playlist_insert',
      { title: 'Songs', privacy_status: 'unlisted' },
      data(
        'POST',
        '/playlists',
        { part: 'snippet,status' },
        { snippet: { title: 'Songs' }, status: { privacyStatus: 'unlisted' } },
      ),
    ],
    [
      'video_playlist_insert',
      { title: 'Songs', description: '', default_language: 'de', tags: [] },
      data(
        'POST',
        '/playlists',
        { part: 'snippet' },
        { snippet: { title: 'Songs', description: '', defaultLanguage: 'de', tags: [] } },
      ),
    ],
    [
      'video_playlist_insert',
      { title: 'Songs', tags: ['a', 'b, c'] },
      data('POST', '/playlists', { part: 'snippet' }, { snippet: { title: 'Songs', tags: ['a', 'b, c'] } }),
    ],
    ['video_playlist_delete', { playlist_id: 'PL1' }, data('DELETE', '/playlists', { id: 'PL1' })],
    [
      'video_playlist_items_list',
      { part: 'contentDetails,id', playlist_id: 'PL1' },
      data('GET', '/playlistItems', { part: 'contentDetails,id', playlistId: 'PL1', maxResults: '5' }),
    ],
    [
      'video_playlist_items_list',
      { part, playlist_id: 'PL1', video_id: 'v1', max_results: 50, page_token: 'P' },
      data('GET', '/playlistItems', {
        part,
        playlistId: 'PL1',
        videoId: 'v1',
        maxResults: '50',
        pageToken: 'P',
      }),
    ],
    [
      'video_playlist_items_insert',
      { playlist_id: 'PL1', video_id: 'v1' },
      data('POST', '/playlistItems', { part: 'snippet' }, { snippet: { playlistId: 'PL1', resourceId } }),
    ],
    // 0 is the first place, not none
    [
      'video_playlist_items_insert',
      { playlist_id: 'PL1', video_id: 'v1', position: 0 },
      data(
        'POST',
        '/playlistItems',
        { part: 'snippet' },
        { snippet: { playlistId: 'PL1', position: 0, resourceId } },
      ),
    ],
    [
      'video_playlist_items_insert',
      { playlist_id: 'PL1', video_id: 'v1', note: 'From 1:00' },
      data(
        'POST',
        '/playlistItems',
        { part: 'snippet,contentDetails' },
        { snippet: { playlistId: 'PL1', resourceId }, contentDetails: { note: 'From 1:00' } },
      ),
    ],
    [
      'video_playlist_items_insert',
      { playlist_id: 'PL1', video_id: 'v1', position: 3, note: '' },
      data(
        'POST',
        '/playlistItems',
        { part: 'snippet,contentDetails' },
        { snippet: { playlistId: 'PL1', position: 3, resourceId }, contentDetails: { note: '' } },
      ),
    ],
    [
      'video_playlist_items_delete',
      { playlist_item_id: 'i1' },
      data('DELETE', '/playlistItems', { id: 'i1' }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('video tools for playlists: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_playlists_list', ['part required', 'channel_id exactly_one_of'], {}],
    ['video_playlists_list', ['channel_id exactly_one_of'], { part, mine: false }],
    ['video_playlists_list', ['id exactly_one_of'], { part, channel_id: 'UC1', id: 'PL1' }],
    ['video_playlists_list', ['mine exactly_one_of'], { part, id: 'PL1', mine: true }],
    ['video_playlists_list', ['max_results maximum'], { part, mine: true, max_results: 51 }],
    ['video_playlists_list', ['max_results minimum'], { part, mine: true, max_results: -1 }],
    ['video_playlists_list', ['part pattern'], { part: 'snippet;status', mine: true }],
    ['video_playlist_insert', ['title required'], {}],
    ['video_playlist_insert', ['title min_length'], { title: '' }],
    ['video_playlist_insert', ['privacy_status enum'], { title: 'T', privacy_status: 'hidden' }],
    ['video_playlist_insert', ['tags type'], { title: 'T', tags: 'a,b' }],
    ['video_playlist_insert', ['tags[1] type'], { title: 'T', tags: ['a', 2] }],
    ['video_playlist_insert', ['description type'], { title: 'T', description: null }],
    ['video_playlist_update', ['playlist_id required', 'title at_least_one_of'], {}],
    ['video_playlist_update', ['title at_least_one_of'], { playlist_id: 'PL1' }],
    ['video_playlist_update', ['title min_length'], { playlist_id: 'PL1', title: '' }],
    ['video_playlist_update', ['privacy_status enum'], { playlist_id: 'PL1', privacy_status: 'Public' }],
    ['video_playlist_update', ['tags unknown'], { playlist_id: 'PL1', title: 'T', tags: [] }],
    ['video_playlist_delete', ['playlist_id required'], {}],
    ['video_playlist_delete', ['playlist_id min_length'], { playlist_id: '' }],
    ['video_playlist_items_list', ['part required', 'playlist_id required'], {}],
    ['video_playlist_items_list', ['max_results maximum'], { part, playlist_id: 'PL1', max_results: 51 }],
    ['video_playlist_items_list', ['id unknown'], { part, playlist_id: 'PL1', id: 'i1' }],
    ['video_playlist_items_insert', ['playlist_id required', 'video_id required'], {}],
    [
      'video_playlist_items_insert',
      ['position minimum'],
      { playlist_id: 'PL1', video_id: 'v1', position: -1 },
    ],
    [
      'video_playlist_items_insert',
      ['note max_length'],
      { playlist_id: 'PL1', video_id: 'v1', note: 'x'.repeat(281) },
    ],
    ['video_playlist_items_delete', ['playlist_item_id required'], {}],
    ['video_playlist_items_update', ['playlist_item_id required', 'position at_least_one_of'], {}],
    ['video_playlist_items_update', ['position at_least_one_of'], { playlist_item_id: 'i1' }],
    ['video_playlist_items_update', ['position minimum'], { playlist_item_id: 'i1', position: -1 }],
    ['video_playlist_items_update', ['note max_length'], { playlist_item_id: 'i1', note: 'x'.repeat(281) }],
    ['video_playlist_items_delete', ['video_id unknown', 'playlist_item_id required'], { video_id: 'v1' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it('accept a note of 280 characters', () => {
    const input = { playlist_id: 'PL1', video_id: 'v1', note: 'x'.repeat(280) };
    expect(refusals('video_playlist_items_insert', input)).toEqual([]);
  });
});

describe('tool video_playlist_update', () => {
  const present = {
    kind: 'youtube#playlist',
    etag: 'e',
    id: 'PL1',
    snippet: {
      publishedAt: '2026-01-01T00:00:00Z',
      channelId: 'UC1',
      channelTitle: 'Ada',
      title: 'Songs',
      description: 'Old ones',
      defaultLanguage: 'en',
      tags: ['a'],
      localized: { title: 'Songs', description: 'Old ones' },
    },
    status: { privacyStatus: 'public', podcastStatus: 'enabled' },
  };
  const snippet = { title: 'Songs', description: 'Old ones', defaultLanguage: 'en', tags: ['a'] };
  const status = { privacyStatus: 'public', podcastStatus: 'enabled' };
  const read = data('GET', '/playlists', { part: 'snippet,status', id: 'PL1' });
  const written = (content: object) =>
    data('PUT', '/playlists', { part: 'snippet,status' }, { id: 'PL1', ...content });

  it.each([
    [{ title: 'Tunes' }, { snippet: { ...snippet, title: 'Tunes' }, status }],
    [{ description: '' }, { snippet: { ...snippet, description: '' }, status }],
    [{ default_language: 'de' }, { snippet: { ...snippet, defaultLanguage: 'de' }, status }],
    [{ privacy_status: 'private' }, { snippet, status: { ...status, privacyStatus: 'private' } }],
    [
      { title: 'T', description: 'D', default_language: 'fr', privacy_status: 'unlisted' },
      {
        snippet: { title: 'T', description: 'D', defaultLanguage: 'fr', tags: ['a'] },
        status: { privacyStatus: 'unlisted', podcastStatus: 'enabled' },
      },
    ],
  ])('changes only %j and keeps everything else', async (change, content) => {
    const answers: unknown[] = [{ items: [present] }, { id: 'PL1' }];
    const { requests, data: result } = await callTool(
      'video_playlist_update',
      { playlist_id: 'PL1', ...change },
      () => answers.shift(),
    );
    expect(requests).toEqual([read, written(content)]);
    expect(result).toEqual({ id: 'PL1' });
    for (const request of requests) expectYouTubeRequest(request);
  });

  it('sends no member that the playlist does not have', async () => {
    const answers: unknown[] = [
      { items: [{ id: 'PL1', snippet: { title: 'Songs', description: null }, status: null }] },
      {},
    ];
    const input = { playlist_id: 'PL1', privacy_status: 'private' };
    const { requests } = await callTool('video_playlist_update', input, () => answers.shift());
    expect(requests[1]).toEqual(
      written({ snippet: { title: 'Songs' }, status: { privacyStatus: 'private' } }),
    );
  });

  it.each([[{ items: [] }], [{}], [null], [{ items: [{ id: 'PL2' }] }], [{ items: [null] }]])(
    'writes nothing where the playlist does not exist: %j',
    async (answer) => {
      const sent: string[] = [];
      const call = callTool('video_playlist_update', { playlist_id: 'PL1', title: 'T' }, ({ method }) => {
        sent.push(method);
        return answer;
      });
      await expect(call).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
        message:
          'YouTube shows this account no playlist with this id, so nothing was changed. Check playlist_id.',
      });
      expect(sent).toEqual(['GET']);
    },
  );

  it.each([0, 1])('passes on a failure of request %i', async (failing) => {
    const failure = new Error('broken');
    let step = -1;
    const call = callTool('video_playlist_update', { playlist_id: 'PL1', title: 'T' }, () => {
      step += 1;
      if (step === failing) throw failure;
      return { items: [present] };
    });
    await expect(call).rejects.toBe(failure);
    expect(step).toBe(failing);
  });
});

describe('tool video_playlist_items_update', () => {
  const resource = { kind: 'youtube#video', videoId: 'v1' };
  const present = {
    id: 'i1',
    snippet: { playlistId: 'PL1', channelId: 'UC1', title: 'Song', position: 3, resourceId: resource },
    contentDetails: { videoId: 'v1', note: 'Old', startAt: '5' },
  };
  const place = { playlistId: 'PL1', resourceId: resource };
  const details = 'snippet,contentDetails';
  const read = (of: string) => data('GET', '/playlistItems', { part: of, id: 'i1' });
  const written = (of: string, content: object) =>
    data('PUT', '/playlistItems', { part: of }, { id: 'i1', ...content });
  const call = (change: object, answer: (method: string) => unknown) =>
    callTool('video_playlist_items_update', { playlist_item_id: 'i1', ...change }, ({ method }) =>
      answer(method),
    );

  it.each([
    // 0 is the first place, not none
    [{ position: 0 }, part, { snippet: { ...place, position: 0 } }],
    [
      { note: 'New' },
      details,
      { snippet: { ...place, position: 3 }, contentDetails: { note: 'New', startAt: '5' } },
    ],
    [
      { position: 7, note: '' },
      details,
      { snippet: { ...place, position: 7 }, contentDetails: { note: '', startAt: '5' } },
    ],
  ])('changes only %j and keeps the rest', async (change, of, content) => {
    const { requests } = await call(change, () => ({ items: [present] }));
    expect(requests).toEqual([read(of), written(of, content)]);
    for (const request of requests) expectYouTubeRequest(request);
  });

  const unsorted = new ServiceError('TOOL_ERROR', 'Refused.', {
    details: { tool_error: { provider_status: 400, code: 'manualSortRequired' } },
  });

  it('changes a note without a position where YouTube sorts the playlist', async () => {
    const answers: unknown[] = [{ items: [present] }, unsorted, { id: 'i1' }];
    const { requests } = await call({ note: 'New' }, () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const contentDetails = { note: 'New', startAt: '5' };
    expect(requests.slice(1)).toEqual([
      written(details, { snippet: { ...place, position: 3 }, contentDetails }),
      written(details, { snippet: place, contentDetails }),
    ]);
  });

  it.each([
    [{ position: 1 }, unsorted],
    [{ note: 'New' }, new Error('broken')],
  ])('writes once more after no other failure: %j', async (change, failure) => {
    const sent: string[] = [];
    const failed = call(change, (method) => {
      sent.push(method);
      if (method === 'PUT') throw failure;
      return { items: [present] };
    });
    await expect(failed).rejects.toBe(failure);
    expect(sent).toEqual(['GET', 'PUT']);
  });

  it('writes nothing where the item does not exist', async () => {
    await expect(call({ position: 1 }, () => ({ items: [] }))).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message:
        'YouTube shows this account no playlist item with this id, so nothing was changed. Check playlist_item_id.',
    });
  });

  it('answers over MCP with the id, the video, the note and the new place', () => {
    const rules = shippedTool('video_playlist_items_update').result!;
    expect(compacted(rules, { kind: 'youtube#playlistItem', etag: 'e', ...present })?.value).toEqual({
      id: 'i1',
      playlistId: 'PL1',
      videoId: 'v1',
      title: 'Song',
      position: 3,
      note: 'Old',
    });
  });
});
