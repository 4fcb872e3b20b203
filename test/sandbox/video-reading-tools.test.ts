/** Every video tool that reads, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';
import { ALL_SCOPES, ids, READING, titles, type Listing } from './video-client.ts';

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const { access_token } = await standInClient(sandbox, 'video').connect({ scope: ALL_SCOPES });
  tools = await openSandboxTools(sandbox, 'video', String(access_token));
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const list = async (name: string, input: Record<string, unknown> = {}): Promise<Listing> =>
  (await tools.call(name, input)) as Listing;

async function findVideo(q: string): Promise<string> {
  const { items = [] } = await list('video_search', { q, type: 'video', max_results: 1 });
  return (items[0]!.id as unknown as { videoId: string }).videoId;
}

describe('reading video tools against the stand-in', () => {
  it('find the channel of the account, and others by handle, old name and id', async () => {
    const [own] = (await list('video_channels_list', { part: 'snippet,contentDetails', mine: true })).items!;
    expect(own).toMatchObject({
      snippet: { title: 'Northlight Supply', customUrl: '@northlightsupply' },
      contentDetails: { relatedPlaylists: { uploads: own!.id.replace(/^UC/, 'UU') } },
    });
    const part = 'snippet';
    const byHandle = await list('video_channels_list', { part, for_handle: 'slowcup' });
    expect(titles(byHandle)).toEqual(['Slow Cup']);
    const byName = await list('video_channels_list', { part, for_username: 'HarbourAlmanac' });
    expect(titles(byName)).toEqual(['Harbour Almanac']);
    const byId = await list('video_channels_list', { part, id: [...ids(byHandle), ...ids(byName)].join() });
    expect(titles(byId)).toEqual(['Harbour Almanac', 'Slow Cup']);
    expect(await list('video_channels_list', { part, for_handle: '@nobody' })).not.toHaveProperty('items');
  });

  it.each([
    ['words', { q: 'beacon works' }, ['How a harbour beacon works']],
    ['one of two words', { q: 'hail|kettle', order: 'title' }, ['Robot versus hail', 'Water for coffee']],
    [
      'words and none of another',
      { q: 'Fedje -battery', type: 'video', order: 'viewCount' },
      ['Coffee at sea', 'Night tour of Fedje harbour'],
    ],
    [
      'kind',
      { q: 'tide', type: 'channel,playlist', order: 'title' },
      ['Harbour Almanac', 'Tides for beginners'],
    ],
    ['length', { q: 'robot', type: 'video', video_duration: 'short' }, ['Robot versus hail']],
    [
      'time',
      { published_after: '2026-10-30T00:00:00Z', type: 'video', order: 'date' },
      ['Reading lamps for archives', 'Tide gauges, old and new', 'Fire tests in the old boathouse'],
    ],
  ])('search videos by %s', async (_, input, expected) => {
    expect(titles(await list('video_search', input))).toEqual(expected);
  });

  it('show the videos of a chart, page by page, and those with a rating', async () => {
    const first = await list('video_videos_list', { part: 'snippet', chart: 'mostPopular', max_results: 2 });
    expect(titles(first)).toEqual(['Espresso by the gram', 'A night with the weeding robots']);
    const page_token = first.nextPageToken;
    const second = await list('video_videos_list', {
      part: 'snippet',
      chart: 'mostPopular',
      max_results: 2,
      page_token,
    });
    expect(titles(second)).toEqual(['Water for coffee', 'Robot versus hail']);
    expect(second.prevPageToken).toBeDefined();
    const liked = await list('video_videos_list', { part: 'snippet', my_rating: 'dislike' });
    expect(titles(liked)).toEqual(['Robot versus hail']);
  });

  it('name the categories of videos in two languages', async () => {
    const all = await list('video_video_categories_list', { region_code: 'NO' });
    expect(titles(all)).toHaveLength(17);
    const one = await list('video_video_categories_list', { id: '28', hl: 'de' });
    expect(titles(one)).toEqual(['Wissenschaft & Technik']);
  });

  it('list captions, threads and replies', async () => {
    const video_id = await findVideo('beacon works');
    const captions = await list('video_captions_list', { video_id });
    expect(captions.items).toMatchObject([
      { snippet: { language: 'en', trackKind: 'standard' } },
      { snippet: { language: 'no' } },
      { snippet: { trackKind: 'ASR' } },
    ]);
    const threads = await list('video_comment_threads_list', { part: 'snippet,replies', video_id });
    expect(threads.items).toHaveLength(3);
    const asked = { part: 'snippet,replies', video_id, search_terms: '1968' };
    const [thread] = (await list('video_comment_threads_list', asked)).items!;
    expect(thread).toMatchObject({ snippet: { totalReplyCount: 6 }, replies: { comments: { length: 5 } } });
    const replies = await list('video_comments_list', { parent_id: thread!.id, text_format: 'plainText' });
    expect(replies.items).toHaveLength(6);
    expect(replies.items![0]).toMatchObject({
      snippet: { textDisplay: 'In a cellar in Bergen, under a sail.' },
    });
  });

  it('answer analytics by day, by video and by country, and the sums agree', async () => {
    const query = {
      ids: 'channel==MINE',
      start_date: '2026-11-01',
      end_date: '2026-11-07',
      metrics: 'views',
    };
    const rowsOf = async (more: object) =>
      ((await tools.call('video_analytics_query', { ...query, ...more })) as { rows?: [string, number][] })
        .rows;
    const sum = (rows: [string, number][] = []): number =>
      rows.reduce((total, [, views]) => total + views, 0);
    const byDay = await rowsOf({ dimensions: 'day' });
    expect(byDay?.map(([day]) => day)).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `2026-11-0${day}`));
    const byVideo = await rowsOf({ dimensions: 'video', sort: '-views', max_results: 200 });
    expect(sum(byVideo)).toBe(sum(byDay));
    expect(byVideo?.map(([, views]) => views)).toEqual(
      byVideo?.map(([, views]) => views).toSorted((a, b) => b - a),
    );
    const byCountry = await rowsOf({ dimensions: 'country' });
    expect(sum(byCountry)).toBe(sum(byDay));
    const [norway] = (await rowsOf({ dimensions: 'country', filters: 'country==NO' })) ?? [];
    expect(norway).toEqual(byCountry?.find(([country]) => country === 'NO'));
    expect(await rowsOf({ start_date: '2030-01-01', end_date: '2030-01-02' })).toBeUndefined();
  });

  it('answer the common questions about figures, and the sums agree', async () => {
    const period = { start_date: '2026-09-10', end_date: '2026-10-20' };
    const table = async (name: string, input: object) => {
      const { columnHeaders, rows = [] } = (await tools.call(name, { ...period, ...input })) as {
        columnHeaders: { name: string }[];
        rows?: (string | number)[][];
      };
      const place = columnHeaders.findIndex((header) => header.name === 'views');
      return { first: rows.map(([name]) => name), views: rows.map((row) => Number(row[place])), rows };
    };
    const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
    const total = await table('video_analytics_overview', {});
    expect(total.rows).toHaveLength(1);
    const daily = await table('video_analytics_overview', { by: 'day' });
    expect(daily.first).toHaveLength(41);
    expect(sum(daily.views)).toBe(total.views[0]);
    expect((await table('video_analytics_overview', { by: 'month' })).first).toEqual(['2026-09', '2026-10']);
    for (const by of ['country', 'device', 'traffic_source'])
      expect(sum((await table('video_analytics_audience', { by })).views), by).toBe(total.views[0]);
    const people = await table('video_analytics_audience', { by: 'age_gender' });
    expect(sum(people.rows.map((row) => Number(row[2])))).toBeCloseTo(100, 0);
    const top = await table('video_analytics_top_videos', { max_results: 2 });
    expect(top.views).toHaveLength(2);
    const video_id = top.first[0];
    expect((await table('video_analytics_video', { video_id })).views).toEqual([top.views[0]]);
  });

  it('read the text of captions of own videos only', async () => {
    const captions = await list('video_captions_list', { video_id: await findVideo('beacon works') });
    const [english, norwegian] = ids(captions);
    expect(await tools.call('video_captions_download', { caption_id: english })).toEqual({
      text: [
        '1\n00:00:00,000 --> 00:00:04,000\nHow a harbour beacon works.\n',
        '2\n00:00:04,000 --> 00:00:08,000\nWe open a beacon from 1968 and a new one, and compare.\n',
      ].join('\n'),
    });
    const asked = { caption_id: norwegian, format: 'vtt', language: 'de' };
    expect(await tools.call('video_captions_download', asked)).toEqual({
      text: expect.stringMatching(/^WEBVTT\n\n00:00:00.000 --> .*\n\[de] How a/) as unknown,
    });
    expect(await tools.refusal('video_captions_download', { caption_id: 'none' })).toMatchObject({
      details: { tool_error: { provider_status: 404, code: 'captionNotFound' } },
    });
  });

  it("list the sections of a channel's page and its broadcasts", async () => {
    const sections = await list('video_channel_sections_list', { mine: true });
    expect(sections.items).toMatchObject([
      { snippet: { type: 'recentUploads', position: 0 } },
      { snippet: { type: 'singlePlaylist' }, contentDetails: { playlists: { length: 1 } } },
      { snippet: { type: 'multiplePlaylists', title: 'By the sea' } },
    ]);
    const planned = await list('video_live_broadcasts_list', { broadcast_status: 'upcoming' });
    expect(titles(planned)).toEqual(['Lighting the harbour for winter', 'Rehearsal on the pier']);
    const all = await list('video_live_broadcasts_list', { mine: true, max_results: 2 });
    expect(all).toMatchObject({ items: { length: 2 }, nextPageToken: expect.any(String) as unknown });
  });

  it('list report types and jobs, and read the file of the newest report', async () => {
    const types = (await tools.call('video_reporting_list_report_types')) as {
      reportTypes: { id: string }[];
    };
    expect(types.reportTypes.map(({ id }) => id)).toEqual([
      'channel_annotations_a1',
      'channel_basic_a2',
      'channel_device_os_a2',
    ]);
    const { jobs } = (await tools.call('video_reporting_list_jobs')) as { jobs: { id: string }[] };
    expect(jobs).toMatchObject([{ name: 'Daily activity', reportTypeId: 'channel_basic_a2' }]);
    const input = { job_id: jobs[0]!.id, page_size: 1 };
    const answer = (await tools.call('video_reporting_list_reports', input)) as {
      csv: string;
      reports: { download_path: string; downloadUrl: string }[];
    };
    expect(answer.reports).toMatchObject([
      { startTime: '2026-11-18T08:00:00Z', endTime: '2026-11-19T08:00:00Z' },
    ]);
    const [{ downloadUrl, download_path }] = answer.reports as [(typeof answer.reports)[0]];
    expect(downloadUrl).toBe(sandbox.url + download_path);
    expect(answer.csv).toMatch(/^date,channel_id,video_id,.*\n20261118,UC/);
  });

  it('list playlists with their items, subscriptions, ratings and groups', async () => {
    const own = await list('video_playlists_list', { part: 'snippet', mine: true });
    expect(titles(own)).toEqual(['Ideas', 'To watch with the dealers', 'Beacons and lamps']);
    const inIdeas = { part: 'snippet', playlist_id: ids(own)[0], max_results: 3 };
    const items = await list('video_playlist_items_list', inIdeas);
    expect(titles(items)).toEqual([
      'A night with the weeding robots',
      'Reading a tide table in three minutes',
      'Espresso by the gram',
    ]);
    expect(items.pageInfo).toEqual({ totalResults: 4, resultsPerPage: 3 });
    const mine = { part: 'snippet', mine: true, order: 'alphabetical' };
    const subscriptions = await list('video_subscriptions_list', mine);
    expect(titles(subscriptions)).toEqual(['Harbour Almanac', 'Marrowlight', 'Slow Cup']);
    const id = [await findVideo('Espresso'), await findVideo('Water for')].join();
    const { items: ratings } = await list('video_videos_get_rating', { id });
    expect(ratings).toMatchObject([{ rating: 'like' }, { rating: 'none' }]);
    const groups = await list('video_analytics_groups_list', { mine: true });
    expect(titles(groups)).toEqual(['Beacons']);
    const inGroup = await list('video_analytics_group_items_list', { group_id: ids(groups)[0] });
    expect(inGroup.items).toHaveLength(2);
  });

  it('appear completely in these tests', () => {
    const all = tools.all.filter((name) => READING.test(name));
    expect(all).toHaveLength(24);
    expect(all.filter((name) => !tools.called.has(name))).toEqual([]);
  });
});
