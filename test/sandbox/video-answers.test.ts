import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { readAnswerDescription } from './answer-description.ts';
import { ids, videoClient, type Answer } from './video-client.ts';

const problemsOf = readAnswerDescription('video-answers.json');

const DATA = '/youtube/v3';
const REPORT = '/v2/reports?ids=channel==MINE&startDate=2026-11-01&endDate=2026-11-10';
const CHANNEL_PARTS =
  'brandingSettings,contentDetails,contentOwnerDetails,id,localizations,snippet,statistics,status,topicDetails';
const PUBLIC_PARTS =
  'contentDetails,id,liveStreamingDetails,localizations,paidProductPlacementDetails,player,recordingDetails,snippet,statistics,status,topicDetails';

describe("video stand-in: answers by the provider's description", () => {
  let sandbox: Sandbox;
  let call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Ids of what is there at the start, by the words in braces of the paths below. */
  const known: Record<string, string> = {};

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: fixedClock() });
    call = await videoClient(sandbox);
    const first = async (name: string, path: string): Promise<void> => {
      known[name] = ids((await call('GET', path)).body)[0]!;
    };
    await first('own', `${DATA}/channels?part=id&mine=true`);
    await first('other', `${DATA}/channels?part=id&forHandle=fernwayrobotics`);
    await first('playlist', `${DATA}/playlists?part=id&mine=true`);
    await first('group', '/v2/groups?mine=true');
    await first('groupItem', `/v2/groupItems?groupId=${known.group}`);
    const uploads = `${DATA}/playlistItems?part=contentDetails&maxResults=50&playlistId=`;
    const { items } = (await call('GET', uploads + known.own!.replace(/^UC/, 'UU'))).body;
    known.draft = items![0]!.contentDetails!.videoId!;
    known.video = items!.at(-1)!.contentDetails!.videoId!;
    const listed = `${DATA}/playlistItems?part=contentDetails&playlistId=${known.playlist}`;
    const [item] = (await call('GET', listed)).body.items!;
    [known.item, known.itemVideo] = [item!.id, item!.contentDetails!.videoId!];
    await first('thread', `${DATA}/commentThreads?part=id&order=relevance&videoId=${known.video}`);
    known.job = '7f2c1f0e-5a3b-4c7d-9e6f-2b8a4d1c0e5f';
  });

  afterAll(async () => {
    await sandbox?.close();
  });

  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? name);
  const comment = { snippet: { videoId: '{video}', topLevelComment: { snippet: { textOriginal: 'Ahoy' } } } };

  it.each([
    ['youtube.channels.list', 'GET', `${DATA}/channels?part=${CHANNEL_PARTS}&mine=true`],
    ['youtube.channels.list', 'GET', `${DATA}/channels?part=id&forHandle=nobody`],
    ['youtube.search.list', 'GET', `${DATA}/search?part=snippet&maxResults=50`],
    ['youtube.search.list', 'GET', `${DATA}/search?part=snippet&maxResults=0&q=tide`],
    ['youtube.videoCategories.list', 'GET', `${DATA}/videoCategories?part=snippet&regionCode=NO`],
    ['youtube.captions.list', 'GET', `${DATA}/captions?part=snippet&videoId={video}`],
    ['youtube.videos.list', 'GET', `${DATA}/videos?part=${PUBLIC_PARTS}&chart=mostPopular&maxResults=50`],
    [
      'youtube.videos.list',
      'GET',
      `${DATA}/videos?part=fileDetails,processingDetails,suggestions&id={draft}`,
    ],
    ['youtube.videos.list', 'GET', `${DATA}/videos?part=${PUBLIC_PARTS}&id={video},{draft}`],
    ['youtube.videos.list', 'GET', `${DATA}/videos?part=id&id=nothing`],
    ['youtube.videos.getRating', 'GET', `${DATA}/videos/getRating?id={video}`],
    ['youtube.commentThreads.list', 'GET', `${DATA}/commentThreads?part=id,replies,snippet&videoId={video}`],
    [
      'youtube.commentThreads.list',
      'GET',
      `${DATA}/commentThreads?part=snippet&allThreadsRelatedToChannelId={own}&maxResults=1`,
    ],
    ['youtube.commentThreads.list', 'GET', `${DATA}/commentThreads?part=snippet&id={thread}`],
    ['youtube.comments.list', 'GET', `${DATA}/comments?part=snippet&parentId={thread}`],
    ['youtube.comments.list', 'GET', `${DATA}/comments?part=snippet&id={thread}&textFormat=plainText`],
    [
      'youtube.comments.insert',
      'POST',
      `${DATA}/comments?part=snippet`,
      { snippet: { parentId: '{thread}', textOriginal: 'Ahoy' } },
    ],
    ['youtube.commentThreads.insert', 'POST', `${DATA}/commentThreads?part=snippet`, comment],
    [
      'youtube.playlists.list',
      'GET',
      `${DATA}/playlists?part=contentDetails,id,localizations,player,snippet,status&mine=true`,
    ],
    ['youtube.playlists.list', 'GET', `${DATA}/playlists?part=snippet&channelId={other}`],
    [
      'youtube.playlists.insert',
      'POST',
      `${DATA}/playlists?part=snippet,status`,
      { snippet: { title: 'A', tags: ['b'], defaultLanguage: 'en' }, status: { privacyStatus: 'private' } },
    ],
    [
      'youtube.playlists.update',
      'PUT',
      `${DATA}/playlists?part=snippet,status`,
      {
        id: '{playlist}',
        snippet: { title: 'B' },
        status: { privacyStatus: 'public', podcastStatus: 'enabled' },
      },
    ],
    [
      'youtube.playlistItems.list',
      'GET',
      `${DATA}/playlistItems?part=contentDetails,id,snippet,status&playlistId={playlist}&maxResults=2`,
    ],
    [
      'youtube.playlistItems.insert',
      'POST',
      `${DATA}/playlistItems?part=snippet,contentDetails`,
      {
        snippet: { playlistId: '{playlist}', resourceId: { kind: 'youtube#video', videoId: '{video}' } },
        contentDetails: { note: 'n' },
      },
    ],
    [
      'youtube.playlistItems.update',
      'PUT',
      `${DATA}/playlistItems?part=snippet,contentDetails`,
      {
        id: '{item}',
        snippet: {
          playlistId: '{playlist}',
          resourceId: { kind: 'youtube#video', videoId: '{itemVideo}' },
        },
        contentDetails: { note: 'n' },
      },
    ],
    [
      'youtube.channels.update',
      'PUT',
      `${DATA}/channels?part=brandingSettings`,
      { id: '{own}', brandingSettings: { channel: { description: 'D', country: 'NO' } } },
    ],
    ['youtube.channelSections.list', 'GET', `${DATA}/channelSections?part=contentDetails,snippet&mine=true`],
    [
      'youtube.liveBroadcasts.list',
      'GET',
      `${DATA}/liveBroadcasts?part=contentDetails,snippet,status&broadcastStatus=all&maxResults=2`,
    ],
    [
      'youtube.subscriptions.list',
      'GET',
      `${DATA}/subscriptions?part=contentDetails,id,snippet,subscriberSnippet&mine=true&maxResults=1`,
    ],
    [
      'youtube.subscriptions.insert',
      'POST',
      `${DATA}/subscriptions?part=snippet`,
      { snippet: { resourceId: { kind: 'youtube#channel', channelId: '{other}' } } },
    ],
    [
      'youtube.videos.update',
      'PUT',
      `${DATA}/videos?part=snippet,status`,
      {
        id: '{video}',
        snippet: { title: 'T', categoryId: '28' },
        status: {
          privacyStatus: 'private',
          publishAt: '2027-01-01T00:00:00Z',
          containsSyntheticMedia: false,
        },
      },
    ],
    [
      'youtubeAnalytics.reports.query',
      'GET',
      `${REPORT}&metrics=views,averageViewPercentage&dimensions=day,country`,
    ],
    ['youtubeAnalytics.reports.query', 'GET', `${REPORT}&metrics=views&filters=country==XX`],
    ['youtubeAnalytics.groups.list', 'GET', '/v2/groups?id={group}'],
    [
      'youtubeAnalytics.groups.insert',
      'POST',
      '/v2/groups',
      { snippet: { title: 'A' }, contentDetails: { itemType: 'youtube#channel' } },
    ],
    ['youtubeAnalytics.groups.update', 'PUT', '/v2/groups', { id: '{group}', snippet: { title: 'B' } }],
    ['youtubeAnalytics.groupItems.list', 'GET', '/v2/groupItems?groupId={group}'],
    [
      'youtubeAnalytics.groupItems.insert',
      'POST',
      '/v2/groupItems',
      { groupId: '{group}', resource: { kind: 'youtube#video', id: '{draft}' } },
    ],
    ['youtubereporting.reportTypes.list', 'GET', '/v1/reportTypes?includeSystemManaged=true&pageSize=3'],
    ['youtubereporting.jobs.list', 'GET', '/v1/jobs'],
    ['youtubereporting.jobs.reports.list', 'GET', '/v1/jobs/{job}/reports?pageSize=2'],
    ['youtubereporting.jobs.create', 'POST', '/v1/jobs', { name: 'A', reportTypeId: 'channel_device_os_a2' }],
    ['youtubereporting.jobs.delete', 'DELETE', '/v1/jobs/{job}'],
    ['youtubereporting.jobs.list', 'GET', '/v1/jobs'],
  ] as const)('match the description: %s by %s %s', async (operation, method, path, body?: object) => {
    const sent = body && (JSON.parse(fill(JSON.stringify(body))) as unknown);
    const answer = await call(method, fill(path), sent);
    expect(answer.status).toBe(200);
    expect(problemsOf(operation, answer.body)).toEqual([]);
  });

  it.each([
    ['DELETE', `${DATA}/playlists?id={playlist}`],
    ['DELETE', '/v2/groupItems?id={groupItem}'],
    ['DELETE', '/v2/groups?id={group}'],
    ['POST', `${DATA}/videos/rate?id={other}&rating=like`, 404],
    ['DELETE', `${DATA}/videos?id={video}`],
  ] as const)('have no body after %s %s', async (method, path, status: 204 | 404 = 204) => {
    const answer = await call(method, fill(path));
    expect(answer.status).toBe(status);
    if (status === 204) expect(answer.body).toEqual({});
    else expect(problemsOf('error', answer.body)).toEqual([]);
  });

  it('fail the check with an invented member, at any depth', async () => {
    const { body } = await call('GET', `${DATA}/search?part=snippet`);
    Object.assign(body.items![0]!.snippet!, { invented: 1 });
    expect(problemsOf('youtube.search.list', body)).not.toEqual([]);
    expect(problemsOf('youtube.videos.list', [])).not.toEqual([]);
  });
});
