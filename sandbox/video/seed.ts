/**
 * Initial data of the stand-in YouTube. Times count back from the start, so that there are always figures of
 * last week.
 */
import { DAY_MS } from './figures.ts';
import type { Library } from './library.ts';
import {
  stableId,
  stableNumber,
  type Broadcast,
  type CaptionTrack,
  type Channel,
  type Playlist,
  type Section,
  type Video,
} from './model.ts';
import { CHANNELS } from './seed-channels.ts';
import { HELD_THREADS, THREADS } from './seed-comments.ts';
import { VIDEOS, type SeedVideo } from './seed-videos.ts';

/**
 * People who may be signed in on the consent page; the second shows the limits of an account without a
 * channel.
 */
export const MEMBERS = [
  { id: 'robin', name: 'Robin Vale', email: 'robin@northlight.example', channelId: channelId('northlight') },
  { id: 'sanna', name: 'Sanna Holm', email: 'sanna@northlight.example' },
];

/** Fills an empty library; ids are the same on every run. */
export function seedLibrary(library: Library): void {
  const midnight = Math.floor(library.now() / DAY_MS) * DAY_MS;
  const daysAgo = (days: number): number => midnight - days * DAY_MS + 9 * 3_600_000;
  library.members.push(...MEMBERS);
  for (const { key, daysOld, showsSubscriptions = false, ...seed } of CHANNELS) {
    const channel: Channel = {
      id: channelId(key),
      publishedAt: daysAgo(daysOld),
      showsSubscriptions,
      ...seed,
    };
    library.channels.set(channel.id, channel);
  }
  const videos = VIDEOS.map((seed) => videoOf(seed, daysAgo));
  for (const video of videos) library.videos.set(video.id, video);
  seedComments(library, videos);
  seedPlaylists(library, { videos, daysAgo });
  seedSubscriptions(library, daysAgo);
  seedPage(library, daysAgo);
  const [beacon, gauge, harbour] = videos;
  if (beacon === undefined || gauge === undefined || harbour === undefined) return;
  library.captions.push(
    caption(beacon, { language: 'en', name: '', trackKind: 'standard' }),
    caption(beacon, { language: 'no', name: 'Norsk', trackKind: 'standard' }),
    caption(beacon, { language: 'en', name: '', trackKind: 'ASR' }),
    { ...caption(gauge, { language: 'de', name: 'Deutsch', trackKind: 'standard' }), status: 'failed' },
  );
  const robin = MEMBERS[0]?.id ?? '';
  for (const [place, rating] of [
    [8, 'like'],
    [14, 'like'],
    [18, 'like'],
    [13, 'dislike'],
  ] as const) {
    const video = videos[place];
    if (video !== undefined) library.rate(robin, video, rating);
  }
  const own = { channelId: channelId('northlight') };
  library.groups.set(stableId('group', 'beacons', 11), {
    ...own,
    id: stableId('group', 'beacons', 11),
    title: 'Beacons',
    itemType: 'youtube#video',
    publishedAt: daysAgo(30),
    items: [beacon, harbour].map(({ id }) => ({
      id: stableId('group item', id, 22),
      kind: 'youtube#video',
      resourceId: id,
    })),
  });
  const job = { ...own, name: 'Daily activity', reportTypeId: 'channel_basic_a2', createdAt: daysAgo(20) };
  const id = '7f2c1f0e-5a3b-4c7d-9e6f-2b8a4d1c0e5f';
  library.jobs.set(id, { id, ...job });
}

function channelId(key: string): string {
  return `UC${stableId('channel', key, 22)}`;
}

function videoOf(seed: SeedVideo, daysAgo: (days: number) => number): Video {
  const [channel, title, description, tags, categoryId, seconds, daysOld, views, options = {}] = seed;
  const { defaultLanguage, privacyStatus = 'public', publishInDays, containsSyntheticMedia } = options;
  return {
    id: stableId('video', title, 11),
    channelId: channelId(channel),
    publishedAt: daysAgo(daysOld),
    seconds,
    snippet: {
      title,
      description,
      categoryId,
      tags: tags.split(','),
      ...(defaultLanguage !== undefined && { defaultLanguage, defaultAudioLanguage: defaultLanguage }),
    },
    status: {
      privacyStatus,
      license: 'youtube',
      embeddable: true,
      publicStatsViewable: true,
      selfDeclaredMadeForKids: false,
      ...(publishInDays !== undefined && {
        publishAt: new Date(daysAgo(-publishInDays)).toISOString().replace('.000Z', 'Z'),
      }),
      ...(containsSyntheticMedia !== undefined && { containsSyntheticMedia }),
    },
    views,
    likes: Math.floor(views / 27),
    dislikes: Math.floor(views / 900),
    allowsComments: options.allowsComments ?? true,
    allowsRatings: options.allowsRatings ?? true,
  };
}

function seedComments(library: Library, videos: readonly Video[]): void {
  for (const thread of [...THREADS, ...HELD_THREADS]) {
    const [place, author, days, text, ...replies] = thread;
    const video = videos[place];
    if (video === undefined) continue;
    const id = `Ug${stableId('thread', text, 24)}`;
    const publishedAt = video.publishedAt + days * DAY_MS;
    const likes = stableNumber(`likes:${id}`, 40);
    const common = { videoId: video.id };
    const top = { ...common, id, authorChannelId: channelId(author), text, likes, publishedAt };
    library.comments.set(id, { ...top, isHeld: HELD_THREADS.includes(thread) });
    for (const [index, [replier, reply]] of replies.entries()) {
      const replyId = `${id}.${stableId('reply', reply, 22)}`;
      library.comments.set(replyId, {
        ...common,
        id: replyId,
        parentId: id,
        authorChannelId: channelId(replier),
        text: reply,
        likes: stableNumber(`likes:${replyId}`, 9),
        publishedAt: publishedAt + (index + 1) * 3_600_000,
      });
    }
  }
}

/** Channel, title, description, privacy, videos by index, age in days, and special properties. */
const PLAYLISTS = [
  ['northlight', 'Beacons and lamps', 'Everything that shines.', 'public', [0, 3, 4, 5, 2], 120, {}],
  ['northlight', 'To watch with the dealers', '', 'unlisted', [7, 8], 30, { allowsRepeats: false }],
  ['northlight', 'Ideas', 'Not for others.', 'private', [11, 14, 18, 20], 14, { isManual: false }],
  ['almanac', 'Tides for beginners', 'Start here.', 'public', [14, 15, 17], 300, {}],
  ['slowcup', 'Coffee outdoors', '', 'public', [20, 18], 20, {}],
] as const;

function seedPlaylists(
  library: Library,
  { videos, daysAgo }: { videos: readonly Video[]; daysAgo: (days: number) => number },
): void {
  for (const [channel, title, description, privacyStatus, places, days, special] of PLAYLISTS) {
    const playlist: Playlist = {
      id: `PL${stableId('playlist', title, 32)}`,
      channelId: channelId(channel),
      publishedAt: daysAgo(days),
      snippet: { title, description },
      status: { privacyStatus },
      isManual: true,
      allowsRepeats: true,
      ...special,
      items: [],
    };
    library.playlists.set(playlist.id, playlist);
    for (const place of places) {
      const videoId = videos[place]?.id ?? '';
      library.addItem(playlist, { videoId, addedAt: daysAgo(days - 1) });
    }
  }
}

const SUBSCRIPTIONS = [
  ['northlight', 'almanac', 700],
  ['northlight', 'marrowlight', 400],
  ['northlight', 'slowcup', 35],
  ['almanac', 'northlight', 650],
  ['almanac', 'slowcup', 200],
  ['marrowlight', 'northlight', 390],
  ['slowcup', 'northlight', 28],
] as const;

function seedSubscriptions(library: Library, daysAgo: (days: number) => number): void {
  for (const [subscriber, publisher, days] of SUBSCRIPTIONS) {
    const id = stableId('subscription', `${subscriber}/${publisher}`, 43);
    const [subscriberId, channel] = [channelId(subscriber), channelId(publisher)];
    library.subscriptions.set(id, { id, subscriberId, channelId: channel, publishedAt: daysAgo(days) });
  }
}

/** Sections and broadcasts of the account's channel. */
function seedPage(library: Library, daysAgo: (days: number) => number): void {
  const own = { channelId: channelId('northlight') };
  const playlist = `PL${stableId('playlist', 'Beacons and lamps', 32)}`;
  const section = (position: number, content: Pick<Section, 'type' | 'title' | 'playlists'>): Section => ({
    ...own,
    id: `${own.channelId}.${stableId('section', position, 11)}`,
    position,
    ...content,
  });
  library.sections.push(
    section(0, { type: 'recentUploads' }),
    section(1, { type: 'singlePlaylist', playlists: [playlist] }),
    section(2, { type: 'multiplePlaylists', title: 'By the sea', playlists: [playlist] }),
  );
  const broadcast = (
    title: string,
    days: number,
    content: Pick<Broadcast, 'state' | 'privacyStatus' | 'endsAt' | 'streamId'>,
  ): Broadcast => ({
    ...own,
    id: stableId('broadcast', title, 11),
    title,
    publishedAt: daysAgo(40),
    startsAt: daysAgo(days),
    ...content,
  });
  library.broadcasts.push(
    broadcast('Lighting the harbour for winter', -6, {
      state: 'ready',
      privacyStatus: 'public',
      streamId: stableId('stream', 'pier', 22),
    }),
    broadcast('Rehearsal on the pier', -5, { state: 'created', privacyStatus: 'private' }),
    broadcast('Questions about beacons', 12, {
      state: 'complete',
      privacyStatus: 'public',
      endsAt: daysAgo(12) + 3_600_000,
    }),
  );
}

function caption(
  { id: videoId, publishedAt }: Video,
  track: Pick<CaptionTrack, 'language' | 'name' | 'trackKind'>,
): CaptionTrack {
  const id = stableId('caption', `${videoId}/${track.language}/${track.trackKind}`, 38);
  return { id, videoId, ...track, status: 'serving', updatedAt: publishedAt + 3_600_000 };
}
