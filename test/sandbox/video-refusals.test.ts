/** What the stand-in YouTube refuses, with the provider's statuses and reasons. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { readAnswerDescription } from './answer-description.ts';
import { scopes, videoClient, type Answer } from './video-client.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

const problemsOf = readAnswerDescription('video-answers.json');

const DATA = '/youtube/v3';
const REPORT = '/v2/reports?ids=channel==MINE&startDate=2026-11-01&endDate=2026-11-10';
const THREADS = `${DATA}/commentThreads?part=snippet`;

/** By title: of the account unless said otherwise. */
const VIDEOS = {
  own: 'How a harbour beacon works',
  short: 'Unboxing the new beacon (short)',
  unrated: 'Reading lamps for archives',
  foreign: 'Robot versus hail',
};

const reasonsOf = ({ body }: Answer) => body.error?.errors.map(({ reason }) => reason);

let sandbox: Sandbox;
let call: Call;
let withoutChannel: Call;
const known: Record<string, string> = { job: '7f2c1f0e-5a3b-4c7d-9e6f-2b8a4d1c0e5f' };

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  call = await videoClient(sandbox);
  withoutChannel = await videoClient(sandbox, undefined, 1);
  const firstOf = async (path: string) => (await call('GET', DATA + path)).body.items![0]!;
  for (const [name, title] of Object.entries(VIDEOS)) {
    const { id } = await firstOf(`/search?part=snippet&type=video&q=${encodeURIComponent(title)}`);
    known[name] = (id as unknown as { videoId: string }).videoId;
  }
  const channels = { me: 'northlightsupply', fernway: 'fernwayrobotics', almanac: 'harbouralmanac' };
  for (const [name, handle] of Object.entries(channels))
    known[name] = (await firstOf(`/channels?part=id&forHandle=${handle}`)).id;
  known.theirs = (await firstOf(`/playlists?part=id&channelId=${known.almanac}`)).id;
  const { items } = (await call('GET', `${DATA}/playlists?part=snippet&mine=true`)).body;
  known.unsorted = items![0]!.id;
  known.unrepeated = items![1]!.id;
  const inIt = await firstOf(`/playlistItems?part=contentDetails&playlistId=${known.unrepeated}`);
  known.repeated = inIt.contentDetails!.videoId!;
  known.group = (await call('GET', '/v2/groups?mine=true')).body.items![0]!.id;
  known.follower = (await firstOf('/subscriptions?part=id&mySubscribers=true')).id;
  known.followed = (await firstOf('/subscriptions?part=snippet&mine=true')).id;
});

afterAll(async () => {
  await sandbox?.close();
});

const fill = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? name);

const thread = (textOriginal: string, videoId = '{own}') => ({
  snippet: { videoId, topLevelComment: { snippet: { textOriginal } } },
});
const item = (playlistId: string, videoId: string, more: object = {}) => ({
  snippet: { playlistId, resourceId: { kind: 'youtube#video', videoId }, ...more },
});
const subscription = (channelId: string) => ({
  snippet: { resourceId: { kind: 'youtube#channel', channelId } },
});
const video = (more: object) => ({ id: '{own}', ...more });
const snippet = { title: 'T', categoryId: '28' };
const group = { kind: 'youtube#channel', id: '{me}' };

describe('YouTube refuses', () => {
  it.each([
    [400, 'missingRequiredParameter', 'GET', `${DATA}/channels?part=id`],
    [400, 'missingRequiredParameter', 'GET', `${DATA}/channels?mine=true`],
    [400, 'incompatibleParameters', 'GET', `${DATA}/channels?part=id&mine=true&id=a`],
    [400, 'unknownPart', 'GET', `${DATA}/channels?part=id,looks&mine=true`],
    [400, 'invalidParameter', 'GET', `${DATA}/channels?part=id&mine=true&maxResults=51`],
    [400, 'invalidPageToken', 'GET', `${DATA}/channels?part=id&mine=true&pageToken=7`],
    [400, 'unexpectedParameter', 'GET', `${DATA}/channels?part=id&mine=true&colour=red`],
    [403, 'insufficientPermissions', 'GET', `${DATA}/channels?part=auditDetails&mine=true`],
    [403, 'forbidden', 'GET', `${DATA}/channels?part=id&managedByMe=true`],
    [400, 'invalidSearchFilter', 'GET', `${DATA}/search?part=snippet&videoDuration=short`],
    [400, 'invalidRegionCode', 'GET', `${DATA}/videoCategories?part=snippet&regionCode=ZZ`],
    [404, 'videoCategoryNotFound', 'GET', `${DATA}/videoCategories?part=snippet&id=99`],
    [404, 'videoNotFound', 'GET', `${DATA}/captions?part=snippet&videoId=nothing`],
    [404, 'captionNotFound', 'GET', `${DATA}/captions?part=snippet&videoId={own}&id=nothing`],
    [400, 'incompatibleParameters', 'GET', `${DATA}/videos?part=id&id={own}&maxResults=5`],
    [400, 'incompatibleParameters', 'GET', `${DATA}/videos?part=id&myRating=like&regionCode=NO`],
    [400, 'videoChartNotFound', 'GET', `${DATA}/videos?part=id&chart=mostPopular&videoCategoryId=29`],
    [403, 'forbidden', 'GET', `${DATA}/videos?part=fileDetails&id={foreign}`],
    [403, 'videoRatingDisabled', 'POST', `${DATA}/videos/rate?id={unrated}&rating=like`],
    [400, 'invalidParameter', 'POST', `${DATA}/videos/rate?id={own}&rating=love`],
    [404, 'videoNotFound', 'PUT', `${DATA}/videos?part=snippet`, { id: 'nothing', snippet }],
    [403, 'forbidden', 'PUT', `${DATA}/videos?part=snippet`, { id: '{foreign}', snippet }],
    [400, 'invalidTitle', 'PUT', `${DATA}/videos?part=snippet`, video({ snippet: { categoryId: '28' } })],
    [
      400,
      'invalidCategoryId',
      'PUT',
      `${DATA}/videos?part=snippet`,
      video({ snippet: { title: 'T', categoryId: '18' } }),
    ],
    [
      400,
      'invalidDescription',
      'PUT',
      `${DATA}/videos?part=snippet`,
      video({ snippet: { ...snippet, description: '<b>' } }),
    ],
    [
      400,
      'invalidTags',
      'PUT',
      `${DATA}/videos?part=snippet`,
      video({ snippet: { ...snippet, tags: ['a'.repeat(501)] } }),
    ],
    [
      400,
      'invalidPublishAt',
      'PUT',
      `${DATA}/videos?part=status`,
      video({ status: { publishAt: '2027-01-01T00:00:00Z' } }),
    ],
    [403, 'forbidden', 'DELETE', `${DATA}/videos?id={foreign}`],
    [403, 'commentsDisabled', 'GET', `${THREADS}&videoId={short}`],
    [404, 'videoNotFound', 'GET', `${THREADS}&videoId=nothing`],
    [404, 'channelNotFound', 'GET', `${THREADS}&allThreadsRelatedToChannelId=nothing`],
    [404, 'commentThreadNotFound', 'GET', `${THREADS}&id=nothing`],
    [400, 'commentTextRequired', 'POST', THREADS, thread(' ')],
    [400, 'commentTextTooLong', 'POST', THREADS, thread('a'.repeat(10_001))],
    [403, 'commentsDisabled', 'POST', THREADS, thread('a', '{short}')],
    [400, 'channelOrVideoIdMissing', 'POST', THREADS, { snippet: { topLevelComment: { snippet: {} } } }],
    [404, 'commentNotFound', 'GET', `${DATA}/comments?part=snippet&parentId=nothing`],
    [404, 'channelNotFound', 'GET', `${DATA}/playlists?part=id&channelId=nothing`],
    [400, 'playlistTitleRequired', 'POST', `${DATA}/playlists?part=snippet`, { snippet: {} }],
    [400, 'invalidPlaylistSnippet', 'POST', `${DATA}/playlists?part=snippet`, { snippet: { title: '<' } }],
    [
      404,
      'playlistNotFound',
      'PUT',
      `${DATA}/playlists?part=snippet`,
      { id: 'nothing', snippet: { title: 'T' } },
    ],
    [403, 'playlistForbidden', 'DELETE', `${DATA}/playlists?id={theirs}`],
    [403, 'watchLaterNotAccessible', 'GET', `${DATA}/playlistItems?part=id&playlistId=WL`],
    [404, 'playlistNotFound', 'GET', `${DATA}/playlistItems?part=id&playlistId=nothing`],
    [404, 'videoNotFound', 'POST', `${DATA}/playlistItems?part=snippet`, item('{unrepeated}', 'nothing')],
    [
      403,
      'playlistItemsNotAccessible',
      'POST',
      `${DATA}/playlistItems?part=snippet`,
      item('{theirs}', '{own}'),
    ],
    [
      400,
      'manualSortRequired',
      'POST',
      `${DATA}/playlistItems?part=snippet`,
      item('{unsorted}', '{own}', { position: 0 }),
    ],
    [
      409,
      'videoAlreadyInPlaylist',
      'POST',
      `${DATA}/playlistItems?part=snippet`,
      item('{unrepeated}', '{repeated}'),
    ],
    [403, 'subscriptionForbidden', 'GET', `${DATA}/subscriptions?part=id&channelId={fernway}`],
    [404, 'publisherNotFound', 'POST', `${DATA}/subscriptions?part=snippet`, subscription('nothing')],
    [400, 'subscriptionForbidden', 'POST', `${DATA}/subscriptions?part=snippet`, subscription('{me}')],
    [400, 'subscriptionDuplicate', 'POST', `${DATA}/subscriptions?part=snippet`, subscription('{almanac}')],
    [403, 'subscriptionForbidden', 'DELETE', `${DATA}/subscriptions?id={follower}`],
    [404, 'subscriptionNotFound', 'DELETE', `${DATA}/subscriptions?id=nothing`],
    [404, 'notFound', 'GET', `${DATA}/nothing`],
    [400, 'badRequest', 'GET', `${REPORT}&metrics=beauty`],
    [400, 'badRequest', 'GET', `${REPORT}&metrics=views&dimensions=video`],
    [400, 'badRequest', 'GET', `${REPORT}&metrics=views&filters=mood==good`],
    [403, 'forbidden', 'GET', `${REPORT}&metrics=estimatedRevenue`],
    [403, 'forbidden', 'GET', `${REPORT.replace('MINE', '{fernway}')}&metrics=views`],
    [404, 'groupNotFound', 'PUT', '/v2/groups', { id: 'nothing', snippet: { title: 'T' } }],
    [404, 'groupItemNotFound', 'DELETE', '/v2/groupItems?id=nothing'],
    [400, 'invalid', 'POST', '/v2/groupItems', { groupId: '{group}', resource: group }],
    [403, 'forbidden', 'GET', '/v2/groups?mine=true&onBehalfOfContentOwner=somebody'],
    [400, 'badRequest', 'POST', '/v1/jobs', { name: 'J', reportTypeId: 'channel_annotations_a1' }],
    [403, 'forbidden', 'POST', '/v1/jobs', { name: 'J', reportTypeId: 'content_owner_ad_revenue_raw_a1' }],
    [409, 'alreadyExists', 'POST', '/v1/jobs', { name: 'J', reportTypeId: 'channel_basic_a2' }],
    [404, 'notFound', 'GET', '/v1/jobs/nothing/reports'],
    [404, 'notFound', 'GET', '/v1/media/CHANNEL/{me}/jobs/{job}/reports/nothing?alt=media'],
  ] as const)('with %i %s: %s %s', async (status, reason, method, path, body?: object) => {
    const answer = await call(method, fill(path), body && JSON.parse(fill(JSON.stringify(body))));
    expect({ status: answer.status, reasons: reasonsOf(answer) }).toEqual({ status, reasons: [reason] });
    expect(problemsOf('error', answer.body)).toEqual([]);
  });

  it.each([
    ['youtube.readonly', 'GET', `${DATA}/commentThreads?part=snippet&videoId={own}`],
    ['youtube.readonly', 'POST', `${DATA}/playlists?part=snippet`],
    ['youtube', 'GET', `${DATA}/captions?part=snippet&videoId={own}`],
    ['youtube', 'GET', '/v1/jobs'],
    ['yt-analytics.readonly', 'GET', `${REPORT}&metrics=views`],
    ['yt-analytics.readonly', 'DELETE', '/v2/groups?id=a'],
  ])('who has only %s: %s %s', async (scope, method, path) => {
    const fresh = await startSandbox({ clock: fixedClock() });
    const poor = await videoClient(fresh, scopes(scope));
    const answer = await poor(method, fill(path));
    expect(answer.body).toMatchObject({
      error: { code: 403, status: 'PERMISSION_DENIED', errors: [{ reason: 'insufficientPermissions' }] },
    });
    await fresh.close();
  });

  it('what needs a channel to an account that has none, and reads on', async () => {
    const refusal = await withoutChannel('GET', `${DATA}/subscriptions?part=id&mine=true`);
    expect(refusal.status).toBe(401);
    expect(reasonsOf(refusal)).toEqual(['youtubeSignupRequired']);
    const own = await withoutChannel('GET', `${DATA}/channels?part=id&mine=true`);
    expect(own.body.pageInfo?.totalResults).toBe(0);
    expect((await withoutChannel('GET', `${DATA}/search?part=snippet&q=tide`)).status).toBe(200);
  });

  it('to show what is private to others', async () => {
    const mine = await call(
      'GET',
      `${DATA}/playlistItems?part=contentDetails&playlistId=${known.me!.replace('UC', 'UU')}`,
    );
    const draft = mine.body.items![0]!.contentDetails!.videoId!;
    expect((await call('GET', `${DATA}/videos?part=id&id=${draft}`)).body.items).toHaveLength(1);
    expect((await withoutChannel('GET', `${DATA}/videos?part=id&id=${draft}`)).body.items).toEqual([]);
    const theirs = await withoutChannel('GET', `${DATA}/playlists?part=id&channelId=${known.me}`);
    expect(theirs.body.items).toHaveLength(1);
  });

  it('a missing and an unknown token alike', async () => {
    for (const headers of [{}, { authorization: 'Bearer ya29.unknown' }]) {
      const response = await fetch(`${sandbox.url}/v1/jobs`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        error: { status: 'UNAUTHENTICATED', errors: [{ reason: 'authError' }] },
      });
    }
  });
});
