/** Every video tool that changes something, through a real installation, against the sandbox. */
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

const refused = (provider_status: number, code: string) => ({
  code: 'TOOL_ERROR',
  details: { tool_error: { provider_status, code } },
});

describe('writing video tools against the stand-in', () => {
  it('make, change, fill, empty and delete a playlist', async () => {
    const made = (await tools.call('video_playlist_insert', {
      title: 'Winter',
      privacy_status: 'private',
    })) as {
      id: string;
    };
    const playlist_id = made.id;
    await tools.call('video_playlist_update', {
      playlist_id,
      description: 'Cold.',
      privacy_status: 'unlisted',
    });
    const mine = { part: 'snippet,status,contentDetails', id: playlist_id };
    expect((await list('video_playlists_list', mine)).items).toMatchObject([
      {
        snippet: { title: 'Winter', description: 'Cold.' },
        status: { privacyStatus: 'unlisted' },
        contentDetails: { itemCount: 0 },
      },
    ]);
    const put = (video_id: string, more: object = {}) =>
      tools.call('video_playlist_items_insert', { playlist_id, video_id, ...more });
    const [first, second] = [await findVideo('beacon works'), await findVideo('Espresso')];
    await put(first, { note: 'Begin here' });
    await put(second, { position: 0 });
    const items = await list('video_playlist_items_list', { part: 'contentDetails', playlist_id });
    expect(items.items).toMatchObject([
      { contentDetails: { videoId: second } },
      { contentDetails: { videoId: first, note: 'Begin here' } },
    ]);
    const gone = { playlist_item_id: ids(items)[0] };
    expect(await tools.call('video_playlist_items_delete', gone)).toBeNull();
    expect(await tools.refusal('video_playlist_items_delete', gone)).toMatchObject(
      refused(404, 'playlistItemNotFound'),
    );
    expect(ids(await list('video_playlist_items_list', { part: 'id', playlist_id }))).toEqual(
      ids(items).slice(1),
    );
    expect(await tools.call('video_playlist_delete', { playlist_id })).toBeNull();
    expect(await tools.refusal('video_playlist_items_list', { part: 'id', playlist_id })).toMatchObject(
      refused(404, 'playlistNotFound'),
    );
  });

  it('move an item of a playlist and change its note', async () => {
    const lists = (await list('video_playlists_list', { part: 'snippet', mine: true })).items!;
    const listed = (title: string) => lists.find(({ snippet }) => snippet?.title === title)!.id;
    const items = async (title: string) =>
      (
        await list('video_playlist_items_list', {
          part: 'contentDetails',
          playlist_id: listed(title),
        })
      ).items!.map(({ id, contentDetails }) => ({ id, ...contentDetails }));
    const before = await items('Beacons and lamps');
    const last = before.at(-1)!;
    const move = { playlist_item_id: last.id, position: 0 };
    expect(await tools.call('video_playlist_items_update', { ...move, note: 'First' })).toMatchObject({
      id: last.id,
      snippet: { position: 0 },
    });
    const after = await items('Beacons and lamps');
    expect(after).toEqual([{ ...last, note: 'First' }, ...before.slice(0, -1)]);
    await tools.call('video_playlist_items_update', { ...move, position: before.length - 1 });
    expect((await items('Beacons and lamps')).at(-1)).toEqual({ ...last, note: 'First' });
    expect(
      await tools.refusal('video_playlist_items_update', { ...move, position: before.length }),
    ).toMatchObject(refused(400, 'invalidPlaylistItemPosition'));
    const [unsorted] = await items('Ideas');
    const noted = { playlist_item_id: unsorted!.id, note: 'Try' };
    await tools.call('video_playlist_items_update', noted);
    expect((await items('Ideas'))[0]).toEqual({ ...unsorted, note: 'Try' });
    expect(await tools.refusal('video_playlist_items_update', { ...noted, position: 1 })).toMatchObject(
      refused(400, 'manualSortRequired'),
    );
  });

  it("change the account's channel and keep the rest", async () => {
    const [own] = ids(await list('video_channels_list', { part: 'id', mine: true }));
    const trailer_video_id = await findVideo('beacon works');
    await tools.call('video_channels_update', { channel_id: own, description: 'Lamps.', trailer_video_id });
    const seen = { part: 'brandingSettings', id: own };
    expect((await list('video_channels_list', seen)).items).toMatchObject([
      {
        brandingSettings: {
          channel: {
            title: 'Northlight Supply',
            description: 'Lamps.',
            keywords: 'harbour beacon lamp battery',
            country: 'NO',
            unsubscribedTrailer: trailer_video_id,
          },
          image: { bannerExternalUrl: 'https://pictures.example/northlight/banner.jpg' },
        },
      },
    ]);
    const [other] = ids(await list('video_channels_list', { part: 'id', for_handle: 'slowcup' }));
    expect(await tools.refusal('video_channels_update', { channel_id: other, country: 'DE' })).toMatchObject(
      refused(403, 'channelForbidden'),
    );
  });

  it("change one of the account's videos and keep the rest", async () => {
    const video_id = await findVideo('Reading lamps');
    const input = { video_id, title: 'Reading lamps', category_id: '26', privacy_status: 'unlisted' };
    await tools.call('video_videos_update', input);
    const [video] = (await list('video_videos_list', { part: 'snippet,status', id: video_id })).items!;
    expect(video).toMatchObject({
      snippet: {
        title: 'Reading lamps',
        description: 'Why paper likes warm light.',
        tags: ['lamp', 'archive'],
        categoryId: '26',
      },
      status: { privacyStatus: 'unlisted', embeddable: true },
    });
    expect(titles(await list('video_search', { q: 'reading lamps' }))).toEqual([]);
  });

  it('rate a video, and the rating and its count are there', async () => {
    const video_id = await findVideo('Fire tests');
    const likes = async () =>
      (await list('video_videos_list', { part: 'statistics', id: video_id })).items![0]!.statistics!
        .likeCount;
    const before = Number(await likes());
    expect(await tools.call('video_videos_rate', { video_id, rating: 'like' })).toBeNull();
    expect(Number(await likes())).toBe(before + 1);
    expect(await list('video_videos_get_rating', { id: video_id })).toMatchObject({
      items: [{ videoId: video_id, rating: 'like' }],
    });
    await tools.call('video_videos_rate', { video_id, rating: 'none' });
    expect(Number(await likes())).toBe(before);
  });

  it('post a comment, which is then the newest', async () => {
    const video_id = await findVideo('Coffee at sea');
    await tools.call('video_comment_threads_insert', { video_id, text: 'A <b>good</b> swell' });
    const { items } = await list('video_comment_threads_list', { part: 'snippet', video_id });
    expect(items).toMatchObject([
      {
        snippet: {
          topLevelComment: {
            snippet: {
              textOriginal: 'A <b>good</b> swell',
              textDisplay: 'A &lt;b&gt;good&lt;/b&gt; swell',
              authorDisplayName: '@northlightsupply',
            },
          },
        },
      },
      {},
    ]);
  });

  it('reply to a comment, change the reply and delete it', async () => {
    const video_id = await findVideo('beacon works');
    const [newest] = ids(await list('video_comment_threads_list', { part: 'snippet', video_id }));
    const texts = async () =>
      (await list('video_comments_list', { parent_id: newest, max_results: 9 })).items!.map(
        ({ snippet }) => (snippet as unknown as { textOriginal: string }).textOriginal,
      );
    expect(await texts()).toEqual(['We do.']);
    const reply = { parent_id: newest, text: 'By ship.' };
    const { id: comment_id } = (await tools.call('video_comments_insert', reply)) as { id: string };
    await tools.call('video_comments_update', { comment_id, text: 'By train.' });
    expect(await texts()).toEqual(['We do.', 'By train.']);
    expect(await tools.refusal('video_comments_insert', { ...reply, parent_id: comment_id })).toMatchObject(
      refused(404, 'parentCommentNotFound'),
    );
    expect(await tools.call('video_comments_delete', { comment_id })).toBeNull();
    expect(await texts()).toEqual(['We do.']);
    for (const [tool, input] of [
      ['video_comments_delete', { comment_id: newest }],
      ['video_comments_update', { comment_id: newest, text: 'x' }],
    ] as const)
      expect(await tools.refusal(tool, input)).toMatchObject(refused(403, 'forbidden'));
  });

  it('publish a comment that was held, and reject it for good', async () => {
    const video_id = await findVideo('beacon works');
    const held = { part: 'id', video_id, moderation_status: 'heldForReview' };
    const [comment_id] = ids(await list('video_comment_threads_list', held));
    const shown = async () => ids(await list('video_comment_threads_list', { part: 'id', video_id }));
    const decide = { comment_id, moderation_status: 'published' };
    expect(await tools.call('video_comments_set_moderation_status', decide)).toBeNull();
    expect(ids(await list('video_comment_threads_list', held))).toEqual([]);
    expect(await shown()).toContain(comment_id);
    const reject = { comment_id, moderation_status: 'rejected', ban_author: true };
    expect(await tools.call('video_comments_set_moderation_status', reject)).toBeNull();
    expect(await shown()).not.toContain(comment_id);
    expect(await tools.refusal('video_comments_set_moderation_status', decide)).toMatchObject(
      refused(403, 'forbidden'),
    );
    const other = { ...held, video_id: await findVideo('Coffee at sea') };
    expect(await tools.refusal('video_comment_threads_list', other)).toMatchObject(refused(403, 'forbidden'));
  });

  it('delete a video and everything that depends on it', async () => {
    const video_id = await findVideo('Lamp oil');
    const playlist = (await list('video_playlists_list', { part: 'snippet', mine: true })).items!.find(
      ({ snippet }) => snippet?.title === 'Beacons and lamps',
    );
    const inList = { part: 'id', playlist_id: playlist!.id };
    const before = ids(await list('video_playlist_items_list', inList)).length;
    expect(await tools.call('video_videos_delete', { video_id })).toBeNull();
    expect(ids(await list('video_videos_list', { part: 'id', id: video_id }))).toEqual([]);
    expect(ids(await list('video_playlist_items_list', inList))).toHaveLength(before - 1);
    expect(await tools.refusal('video_videos_get_rating', { id: video_id })).toMatchObject(
      refused(404, 'videoNotFound'),
    );
  });

  it('subscribe and unsubscribe a channel', async () => {
    const [fernway] = ids(await list('video_channels_list', { part: 'id', for_handle: 'fernwayrobotics' }));
    const mine = async () =>
      titles(await list('video_subscriptions_list', { part: 'snippet', mine: true, order: 'alphabetical' }));
    expect(await mine()).toEqual(['Harbour Almanac', 'Marrowlight', 'Slow Cup']);
    const made = (await tools.call('video_subscriptions_insert', { channel_id: fernway })) as { id: string };
    expect(await mine()).toContain('Fernway Robotics');
    expect(await tools.refusal('video_subscriptions_insert', { channel_id: fernway })).toMatchObject(
      refused(400, 'subscriptionDuplicate'),
    );
    expect(await tools.call('video_subscriptions_delete', { subscription_id: made.id })).toBeNull();
    expect(await mine()).not.toContain('Fernway Robotics');
    const followers = { part: 'subscriberSnippet', my_recent_subscribers: true };
    expect((await list('video_subscriptions_list', followers)).items).toMatchObject([
      { subscriberSnippet: { title: 'Slow Cup' } },
      { subscriberSnippet: { title: 'Marrowlight' } },
      { subscriberSnippet: { title: 'Harbour Almanac' } },
    ]);
  });

  it('make, rename, fill, empty and delete an analytics group', async () => {
    const input = { title: 'Nights', item_type: 'youtube#video' };
    const { id: group_id } = (await tools.call('video_analytics_group_create', input)) as { id: string };
    await tools.call('video_analytics_groups_update', { group_id, title: 'Nights by the sea' });
    expect(titles(await list('video_analytics_groups_list', { mine: true }))).toEqual([
      'Beacons',
      'Nights by the sea',
    ]);
    const member = { group_id, resource_id: await findVideo('Night tour'), resource_kind: 'youtube#video' };
    const item = (await tools.call('video_analytics_group_item_insert', member)) as { id: string };
    expect(await tools.call('video_analytics_group_item_insert', member)).toBeNull();
    expect(ids(await list('video_analytics_group_items_list', { group_id }))).toEqual([item.id]);
    const views = (await tools.call('video_analytics_query', {
      ids: 'channel==MINE',
      metrics: 'views',
      dimensions: 'video',
      sort: '-views',
      max_results: 10,
      start_date: '2026-11-01',
      end_date: '2026-11-07',
      filters: `group==${group_id}`,
    })) as { rows: unknown[][] };
    expect(views.rows).toEqual([[member.resource_id, expect.any(Number)]]);
    expect(await tools.call('video_analytics_group_items_delete', { id: item.id })).toBeNull();
    expect(ids(await list('video_analytics_group_items_list', { group_id }))).toEqual([]);
    expect(await tools.call('video_analytics_groups_delete', { group_id })).toBeNull();
    expect(titles(await list('video_analytics_groups_list', { mine: true }))).toEqual(['Beacons']);
  });

  it('create a reporting job, which has no reports yet, and delete it', async () => {
    const input = { name: 'Devices', report_type_id: 'channel_device_os_a2' };
    const { id: job_id } = (await tools.call('video_reporting_create_job', input)) as { id: string };
    expect(await tools.refusal('video_reporting_create_job', input)).toMatchObject(
      refused(409, 'alreadyExists'),
    );
    expect(await tools.call('video_reporting_list_reports', { job_id })).toEqual({});
    expect(await tools.call('video_reporting_jobs_delete', { job_id })).toEqual({});
    expect(await tools.refusal('video_reporting_list_reports', { job_id })).toMatchObject(
      refused(404, 'notFound'),
    );
  });

  it('appear completely in these tests', () => {
    const all = tools.all.filter((name) => !READING.test(name));
    expect(all).toHaveLength(24);
    expect(all.filter((name) => !tools.called.has(name))).toEqual([]);
  });
});
