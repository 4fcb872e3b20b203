/** What the stand-in YouTube refuses with the statuses and reasons that the catalog and its handlers rely on. */
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
const snippet = { title: 'T', categoryId: '28' };

describe('video stand-in: errors that the catalog names', () => {
  it.each([
    [400, 'missingRequiredParameter', 'GET', `${DATA}/channels?part=id`],
    [400, 'invalidPageToken', 'GET', `${DATA}/channels?part=id&mine=true&pageToken=7`],
    [403, 'insufficientPermissions', 'GET', `${DATA}/channels?part=auditDetails&mine=true`],
    [404, 'videoNotFound', 'GET', `${DATA}/captions?part=snippet&videoId=nothing`],
    [403, 'forbidden', 'PUT', `${DATA}/videos?part=snippet`, { id: '{foreign}', snippet }],
    [403, 'commentsDisabled', 'GET', `${THREADS}&videoId={short}`],
    [400, 'commentTextTooLong', 'POST', THREADS, thread('a'.repeat(10_001))],
    [400, 'channelOrVideoIdMissing', 'POST', THREADS, { snippet: { topLevelComment: { snippet: {} } } }],
    [404, 'playlistNotFound', 'GET', `${DATA}/playlistItems?part=id&playlistId=nothing`],
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
    [
      400,
      'badRequest',
      'GET',
      `/v2/reports?ids=channel==MINE&startDate=2026-10-01&endDate=2026-10-31&metrics=views&dimensions=month`,
    ],
    [400, 'badRequest', 'GET', `${REPORT}&metrics=views&dimensions=ageGroup`],
    [400, 'subscriptionDuplicate', 'POST', `${DATA}/subscriptions?part=snippet`, subscription('{almanac}')],
    [403, 'forbidden', 'GET', `${REPORT}&metrics=estimatedRevenue`],
    [409, 'alreadyExists', 'POST', '/v1/jobs', { name: 'J', reportTypeId: 'channel_basic_a2' }],
  ] as const)('answers %i %s to %s %s', async (status, reason, method, path, body?: object) => {
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
  ])('answers 403 insufficientPermissions with only the scope %s: %s %s', async (scope, method, path) => {
    const fresh = await startSandbox({ clock: fixedClock() });
    const poor = await videoClient(fresh, scopes(scope));
    const answer = await poor(method, fill(path));
    expect(answer.body).toMatchObject({
      error: { code: 403, status: 'PERMISSION_DENIED', errors: [{ reason: 'insufficientPermissions' }] },
    });
    await fresh.close();
  });

  it('answers 401 youtubeSignupRequired to an account without a channel, except for reads', async () => {
    const refusal = await withoutChannel('GET', `${DATA}/subscriptions?part=id&mine=true`);
    expect(refusal.status).toBe(401);
    expect(reasonsOf(refusal)).toEqual(['youtubeSignupRequired']);
    const own = await withoutChannel('GET', `${DATA}/channels?part=id&mine=true`);
    expect(own.body.pageInfo?.totalResults).toBe(0);
    expect((await withoutChannel('GET', `${DATA}/search?part=snippet&q=tide`)).status).toBe(200);
  });

  it('hides private videos and playlists from other accounts', async () => {
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

  it('answers 401 to a missing and an unknown token', async () => {
    for (const headers of [{}, { authorization: 'Bearer ya29.unknown' }]) {
      const response = await fetch(`${sandbox.url}/v1/jobs`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        error: { status: 'UNAUTHENTICATED', errors: [{ reason: 'authError' }] },
      });
    }
  });
});
