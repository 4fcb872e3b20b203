/** YouTube toolset videos: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { callTool, refusals, requestOf } from './tool-request.ts';
import { data, expectYouTubeRequest } from './video-request.ts';

const part = 'snippet,statistics';
const text = { title: 'T', category_id: '22' };

describe('video tools for videos: requests', () => {
  it.each([
    // YouTube refuses maxResults together with ids: not even the default is sent
    ['video_videos_list', { part, id: 'v1,v2' }, data('GET', '/videos', { part, id: 'v1,v2' })],
    [
      'video_videos_list',
      { part, chart: 'mostPopular' },
      data('GET', '/videos', { part, chart: 'mostPopular', maxResults: '5' }),
    ],
    [
      'video_videos_list',
      {
        part,
        chart: 'mostPopular',
        max_results: 50,
        page_token: 'P',
        region_code: 'DE',
        video_category_id: '10',
      },
      data('GET', '/videos', {
        part,
        chart: 'mostPopular',
        maxResults: '50',
        pageToken: 'P',
        regionCode: 'DE',
        videoCategoryId: '10',
      }),
    ],
    ['video_videos_list', { part, my_rating: 'like' }, data('GET', '/videos', { part, myRating: 'like' })],
    [
      'video_videos_list',
      { part, my_rating: 'dislike', page_token: 'P' },
      data('GET', '/videos', { part, myRating: 'dislike', pageToken: 'P' }),
    ],
    ['video_videos_get_rating', { id: 'v1,v2' }, data('GET', '/videos/getRating', { id: 'v1,v2' })],
    [
      'video_videos_rate',
      { video_id: 'v1', rating: 'like' },
      data('POST', '/videos/rate', { id: 'v1', rating: 'like' }),
    ],
    [
      'video_videos_rate',
      { video_id: 'v1', rating: 'none' },
      data('POST', '/videos/rate', { id: 'v1', rating: 'none' }),
    ],
    ['video_videos_delete', { video_id: 'v1' }, data('DELETE', '/videos', { id: 'v1' })],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('video tools for videos: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_videos_list', ['part required', 'id exactly_one_of'], {}],
    ['video_videos_list', ['chart exactly_one_of'], { part, id: 'v1', chart: 'mostPopular' }],
    ['video_videos_list', ['my_rating exactly_one_of'], { part, id: 'v1', my_rating: 'like' }],
    ['video_videos_list', ['chart enum'], { part, chart: 'trending' }],
    ['video_videos_list', ['my_rating enum'], { part, my_rating: 'none' }],
    ['video_videos_list', ['max_results minimum'], { part, chart: 'mostPopular', max_results: 0 }],
    ['video_videos_list', ['max_results maximum'], { part, chart: 'mostPopular', max_results: 51 }],
    ['video_videos_list', ['max_results forbid'], { part, id: 'v1', max_results: 5 }],
    ['video_videos_list', ['max_results forbid'], { part, my_rating: 'like', max_results: 5 }],
    ['video_videos_list', ['region_code forbid'], { part, my_rating: 'like', region_code: 'DE' }],
    ['video_videos_list', ['video_category_id forbid'], { part, id: 'v1', video_category_id: '10' }],
    ['video_videos_list', ['page_token forbid'], { part, id: 'v1', page_token: 'P' }],
    ['video_videos_list', ['region_code pattern'], { part, chart: 'mostPopular', region_code: 'Germany' }],
    ['video_videos_list', ['part pattern'], { part: 'snippet,', id: 'v1' }],
    ['video_videos_get_rating', ['id required'], {}],
    ['video_videos_get_rating', ['id type'], { id: ['v1', 'v2'] }],
    ['video_videos_get_rating', ['part unknown'], { id: 'v1', part: 'id' }],
    ['video_videos_rate', ['video_id required', 'rating required'], {}],
    ['video_videos_rate', ['rating enum'], { video_id: 'v1', rating: 'love' }],
    ['video_videos_delete', ['video_id required'], {}],
    ['video_videos_delete', ['video_id min_length'], { video_id: '' }],
    ['video_videos_update', ['video_id required'], {}],
    ['video_videos_update', ['category_id require'], { video_id: 'v1', title: 'T' }],
    ['video_videos_update', ['title require'], { video_id: 'v1', category_id: '22' }],
    ['video_videos_update', ['title require'], { video_id: 'v1', tags: [], license: 'youtube' }],
    ['video_videos_update', ['title require'], { video_id: 'v1', description: '', embeddable: true }],
    ['video_videos_update', ['title require'], { video_id: 'v1', default_language: 'de', embeddable: true }],
    ['video_videos_update', ['title min_length'], { video_id: 'v1', ...text, title: '' }],
    ['video_videos_update', ['privacy_status enum'], { video_id: 'v1', privacy_status: 'hidden' }],
    ['video_videos_update', ['license enum'], { video_id: 'v1', license: 'CC-BY' }],
    ['video_videos_update', ['embeddable type'], { video_id: 'v1', embeddable: 'no' }],
    ['video_videos_update', ['public_stats_viewable type'], { video_id: 'v1', public_stats_viewable: 0 }],
    ['video_videos_update', ['tags type'], { video_id: 'v1', ...text, tags: 'a,b' }],
    ['video_videos_update', ['publish_at unknown'], { video_id: 'v1', ...text, publish_at: 'x' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('tool video_videos_update', () => {
  const present = {
    kind: 'youtube#video',
    etag: 'e',
    id: 'v1',
    snippet: {
      publishedAt: '2026-01-01T00:00:00Z',
      channelId: 'UC1',
      channelTitle: 'Ada',
      title: 'Old',
      description: 'Old text',
      tags: ['a', 'b'],
      categoryId: '10',
      defaultLanguage: 'en',
      defaultAudioLanguage: 'fr',
      liveBroadcastContent: 'none',
      localized: { title: 'Old', description: 'Old text' },
    },
    status: {
      uploadStatus: 'processed',
      privacyStatus: 'private',
      publishAt: '2026-12-24T18:00:00Z',
      license: 'youtube',
      embeddable: true,
      publicStatsViewable: false,
      madeForKids: false,
      selfDeclaredMadeForKids: false,
      containsSyntheticMedia: true,
    },
  };
  const snippet = {
    title: 'T',
    categoryId: '22',
    description: 'Old text',
    tags: ['a', 'b'],
    defaultLanguage: 'en',
    defaultAudioLanguage: 'fr',
  };
  const status = {
    privacyStatus: 'private',
    license: 'youtube',
    embeddable: true,
    publicStatsViewable: false,
    selfDeclaredMadeForKids: false,
    containsSyntheticMedia: true,
  };
  const publishAt = '2026-12-24T18:00:00Z';

  it.each([
    [text, 'snippet', { snippet }],
    [
      { ...text, description: '', tags: [] },
      'snippet',
      { snippet: { ...snippet, description: '', tags: [] } },
    ],
    [{ ...text, default_language: 'de' }, 'snippet', { snippet: { ...snippet, defaultLanguage: 'de' } }],
    [{ embeddable: false }, 'status', { status: { ...status, embeddable: false, publishAt } }],
    [
      { public_stats_viewable: true },
      'status',
      { status: { ...status, publicStatsViewable: true, publishAt } },
    ],
    [
      { license: 'creativeCommon' },
      'status',
      { status: { ...status, license: 'creativeCommon', publishAt } },
    ],
    [{ privacy_status: 'private' }, 'status', { status: { ...status, publishAt } }],
    // only a private video can be scheduled
    [{ privacy_status: 'public' }, 'status', { status: { ...status, privacyStatus: 'public' } }],
    [{ privacy_status: 'unlisted' }, 'status', { status: { ...status, privacyStatus: 'unlisted' } }],
    [
      { ...text, privacy_status: 'public', embeddable: false },
      'snippet,status',
      { snippet, status: { ...status, privacyStatus: 'public', embeddable: false } },
    ],
  ])('with %j writes only the changed parts and keeps the rest of them', async (change, parts, content) => {
    const answers: unknown[] = [{ items: [present] }, { id: 'v1' }];
    const { requests, data: result } = await callTool(
      'video_videos_update',
      { video_id: 'v1', ...change },
      () => answers.shift(),
    );
    expect(requests).toEqual([
      data('GET', '/videos', { part: parts, id: 'v1' }),
      data('PUT', '/videos', { part: parts }, { id: 'v1', ...content }),
    ]);
    expect(result).toEqual({ id: 'v1' });
    for (const request of requests) expectYouTubeRequest(request);
  });

  it('makes a public video private without a time of publication', async () => {
    const video = { id: 'v1', status: { privacyStatus: 'public', embeddable: true } };
    const answers: unknown[] = [{ items: [video] }, {}];
    const input = { video_id: 'v1', privacy_status: 'private' };
    const { requests } = await callTool('video_videos_update', input, () => answers.shift());
    expect(requests[1]!.body).toEqual({ id: 'v1', status: { privacyStatus: 'private', embeddable: true } });
  });

  it.each([[{ items: [] }], [{ items: [{ id: 'v2' }] }], [{}], [null]])(
    'writes nothing where the video does not exist: %j',
    async (answer) => {
      const sent: string[] = [];
      const call = callTool('video_videos_update', { video_id: 'v1', ...text }, ({ method }) => {
        sent.push(method);
        return answer;
      });
      await expect(call).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
        message: 'YouTube shows this account no video with this id, so nothing was changed. Check video_id.',
      });
      expect(sent).toEqual(['GET']);
    },
  );

  it('refuses a call that changes nothing, and sends nothing', async () => {
    let sent = 0;
    const call = callTool('video_videos_update', { video_id: 'v1' }, () => (sent += 1));
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field: '', constraint: 'at_least_one_of' }] },
    });
    expect(sent).toBe(0);
  });

  it('refuses two ids instead of one', async () => {
    const call = callTool('video_videos_update', { video_id: 'v1,v2', ...text }, () => ({
      items: [present, { ...present, id: 'v2' }],
    }));
    await expect(call).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });
});
