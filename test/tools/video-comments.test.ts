/** YouTube toolset comments: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { callTool, refusals, requestOf, shippedTool } from './tool-request.ts';
import { data, expectYouTubeRequest } from './video-request.ts';

const part = 'snippet';
const comment = { video_id: 'v1', text: 'Nice.' };
const posted = (channelId: { channelId?: string } = {}) =>
  data(
    'POST',
    '/commentThreads',
    { part },
    { snippet: { ...channelId, videoId: 'v1', topLevelComment: { snippet: { textOriginal: 'Nice.' } } } },
  );

describe('video tools for comments: requests', () => {
  it.each([
    ['video_comment_threads_insert', comment, posted()],
    [
      'video_comment_threads_list',
      { part, video_id: 'v1' },
      data('GET', '/commentThreads', { part, videoId: 'v1', maxResults: '20' }),
    ],
    [
      'video_comment_threads_list',
      { part: 'id,replies', all_threads_related_to_channel_id: 'UC1', max_results: 1 },
      data('GET', '/commentThreads', {
        part: 'id,replies',
        allThreadsRelatedToChannelId: 'UC1',
        maxResults: '1',
      }),
    ],
    [
      'video_comment_threads_list',
      { part, video_id: 'v1', order: 'relevance', search_terms: 'cats & dogs', page_token: 'P' },
      data('GET', '/commentThreads', {
        part,
        videoId: 'v1',
        maxResults: '20',
        order: 'relevance',
        pageToken: 'P',
        searchTerms: 'cats & dogs',
      }),
    ],
    [
      'video_comment_threads_list',
      { part, id: 't1,t2' },
      data('GET', '/commentThreads', { part, id: 't1,t2' }),
    ],
    [
      'video_comment_threads_list',
      { part, id: 't1', max_results: 100 },
      data('GET', '/commentThreads', { part, id: 't1', maxResults: '100' }),
    ],
    [
      'video_comment_threads_list',
      { part, video_id: 'v1', moderation_status: 'heldForReview' },
      data('GET', '/commentThreads', {
        part,
        videoId: 'v1',
        maxResults: '20',
        moderationStatus: 'heldForReview',
      }),
    ],
    [
      'video_comments_insert',
      { parent_id: 't1', text: ' Yes. ' },
      data('POST', '/comments', { part }, { snippet: { parentId: 't1', textOriginal: ' Yes. ' } }),
    ],
    [
      'video_comments_update',
      { comment_id: 't1.r1', text: 'No.' },
      data('PUT', '/comments', { part }, { id: 't1.r1', snippet: { textOriginal: 'No.' } }),
    ],
    ['video_comments_delete', { comment_id: 't1.r1' }, data('DELETE', '/comments', { id: 't1.r1' })],
    [
      'video_comments_set_moderation_status',
      { comment_id: 't1,t2', moderation_status: 'published', ban_author: false },
      data('POST', '/comments/setModerationStatus', {
        id: 't1,t2',
        moderationStatus: 'published',
        banAuthor: 'false',
      }),
    ],
    [
      'video_comments_set_moderation_status',
      { comment_id: 't1', moderation_status: 'rejected', ban_author: true },
      data('POST', '/comments/setModerationStatus', {
        id: 't1',
        moderationStatus: 'rejected',
        banAuthor: 'true',
      }),
    ],
    [
      'video_comments_list',
      { parent_id: 'c1' },
      data('GET', '/comments', { part, parentId: 'c1', maxResults: '20' }),
    ],
    [
      'video_comments_list',
      { parent_id: 'c1', max_results: 100, page_token: 'P', text_format: 'plainText' },
      data('GET', '/comments', {
        part,
        parentId: 'c1',
        maxResults: '100',
        pageToken: 'P',
        textFormat: 'plainText',
      }),
    ],
    // YouTube refuses maxResults together with ids: not even the default is sent
    ['video_comments_list', { id: 'c1.x,c2' }, data('GET', '/comments', { part, id: 'c1.x,c2' })],
    [
      'video_comments_list',
      { id: 'c1', text_format: 'html' },
      data('GET', '/comments', { part, id: 'c1', textFormat: 'html' }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('compact results of video tools for comments', () => {
  it('have the id of a reply, of its comment, and when it was written', () => {
    const snippet = { parentId: 't1', textOriginal: 'Yes.', likeCount: 0, updatedAt: '2026-11-23T09:00:00Z' };
    const reply = { kind: 'youtube#comment', etag: 'e', id: 't1.r1', snippet };
    expect(compacted(shippedTool('video_comments_insert').result!, reply)?.value).toEqual({
      id: 't1.r1',
      parentId: 't1',
      updatedAt: '2026-11-23T09:00:00Z',
    });
  });

  it('have of a thread who wrote what and when, and its replies', () => {
    const comment = (id: string, authorDisplayName: string, textDisplay: string) => ({
      kind: 'youtube#comment',
      etag: 'e',
      id,
      snippet: {
        authorDisplayName,
        authorProfileImageUrl: 'https://images.example/1',
        textDisplay,
        textOriginal: textDisplay,
        likeCount: 2,
        publishedAt: '2026-11-23T09:00:00Z',
      },
    });
    const thread = {
      kind: 'youtube#commentThread',
      etag: 'e',
      id: 't1',
      snippet: {
        channelId: 'UC1',
        videoId: 'v1',
        topLevelComment: comment('t1', '@ada', 'Why?'),
        canReply: true,
        totalReplyCount: 1,
        isPublic: true,
      },
      replies: { comments: [comment('t1.r1', '@bob', 'Because.')] },
    };
    const page = { kind: 'youtube#commentThreadListResponse', etag: 'e', items: [thread] };
    expect(compacted(shippedTool('video_comment_threads_list').result!, page)?.value).toEqual({
      items: [
        {
          id: 't1',
          video_id: 'v1',
          author: '@ada',
          text: 'Why?',
          published_at: '2026-11-23T09:00:00Z',
          likes: 2,
          reply_count: 1,
          reply_ids: ['t1.r1'],
          reply_authors: ['@bob'],
          replies: ['Because.'],
        },
      ],
    });
  });
});

describe('video tools for comments: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_comment_threads_insert', ['video_id required', 'text required'], {}],
    ['video_comment_threads_insert', ['text min_length'], { ...comment, text: '' }],
    ['video_comment_threads_insert', ['video_id type'], { ...comment, video_id: 1 }],
    ['video_comment_threads_insert', ['channel_id unknown'], { ...comment, channel_id: 'UC1' }],
    ['video_comment_threads_list', ['part required', 'video_id exactly_one_of'], {}],
    ['video_comment_threads_list', ['id exactly_one_of'], { part, video_id: 'v1', id: 't1' }],
    [
      'video_comment_threads_list',
      ['all_threads_related_to_channel_id exactly_one_of'],
      { part, video_id: 'v1', all_threads_related_to_channel_id: 'UC1' },
    ],
    ['video_comment_threads_list', ['search_terms forbid'], { part, id: 't1', search_terms: 'cats' }],
    ['video_comment_threads_list', ['max_results minimum'], { part, video_id: 'v1', max_results: 0 }],
    ['video_comment_threads_list', ['max_results maximum'], { part, video_id: 'v1', max_results: 101 }],
    ['video_comment_threads_list', ['order enum'], { part, video_id: 'v1', order: 'date' }],
    ['video_comment_threads_list', ['text_format unknown'], { part, video_id: 'v1', text_format: 'html' }],
    [
      'video_comment_threads_list',
      ['moderation_status forbid'],
      { part, id: 't1', moderation_status: 'published' },
    ],
    ['video_comments_insert', ['parent_id required', 'text required'], {}],
    ['video_comments_insert', ['parent_id min_length', 'text min_length'], { parent_id: '', text: '' }],
    ['video_comments_update', ['comment_id required', 'text required'], {}],
    ['video_comments_delete', ['comment_id min_length'], { comment_id: '' }],
    ['video_comments_set_moderation_status', ['comment_id required', 'moderation_status required'], {}],
    [
      'video_comments_set_moderation_status',
      ['moderation_status enum'],
      { comment_id: 't1', moderation_status: 'likelySpam' },
    ],
    [
      'video_comments_set_moderation_status',
      ['comment_id pattern'],
      {
        comment_id: Array.from({ length: 51 }, (_, index) => `t${index}`).join(),
        moderation_status: 'published',
      },
    ],
    [
      'video_comments_set_moderation_status',
      ['moderation_status require_value'],
      { comment_id: 't1', moderation_status: 'published', ban_author: true },
    ],
    ['video_comments_list', ['parent_id exactly_one_of'], {}],
    ['video_comments_list', ['id exactly_one_of'], { parent_id: 'c1', id: 'c2' }],
    ['video_comments_list', ['max_results forbid'], { id: 'c1', max_results: 20 }],
    ['video_comments_list', ['page_token forbid'], { id: 'c1', page_token: 'P' }],
    ['video_comments_list', ['max_results maximum'], { parent_id: 'c1', max_results: 101 }],
    ['video_comments_list', ['max_results minimum'], { parent_id: 'c1', max_results: 0 }],
    ['video_comments_list', ['text_format enum'], { parent_id: 'c1', text_format: 'text' }],
    ['video_comments_list', ['part unknown'], { parent_id: 'c1', part }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('tool video_comment_threads_insert without a channel', () => {
  const refusal = (provider_status: number, code: string) =>
    new ServiceError('TOOL_ERROR', 'Refused.', { details: { tool_error: { provider_status, code } } });
  const missing = refusal(400, 'channelOrVideoIdMissing');
  const lookup = data('GET', '/videos', { part, id: 'v1' });

  it('looks up the channel of the video and posts once more', async () => {
    const answers: unknown[] = [
      missing,
      { items: [{ id: 'v1', snippet: { channelId: 'UC1' } }] },
      { id: 't1' },
    ];
    const { requests, data: result } = await callTool('video_comment_threads_insert', comment, () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    expect(requests).toEqual([posted(), lookup, posted({ channelId: 'UC1' })]);
    expect(result).toEqual({ id: 't1' });
    for (const request of requests) expectYouTubeRequest(request);
  });

  it.each([
    [{ items: [] }],
    [{ items: [{ id: 'other', snippet: { channelId: 'UC2' } }] }],
    [{ items: [{ id: 'v1', snippet: {} }] }],
    [null],
  ])('returns the first error where the video cannot be seen: %j', async (seen) => {
    let sent = 0;
    const call = callTool('video_comment_threads_insert', comment, () => {
      sent += 1;
      if (sent === 1) throw missing;
      return seen;
    });
    await expect(call).rejects.toBe(missing);
    expect(sent).toBe(2);
  });

  it.each([
    refusal(403, 'channelOrVideoIdMissing'),
    refusal(400, 'commentTextTooLong'),
    refusal(400, 'processingFailure'),
    new Error('broken'),
  ])('posts nothing more after any other failure: %s', async (failure) => {
    let sent = 0;
    const call = callTool('video_comment_threads_insert', comment, () => {
      sent += 1;
      throw failure;
    });
    await expect(call).rejects.toBe(failure);
    expect(sent).toBe(1);
  });
});
