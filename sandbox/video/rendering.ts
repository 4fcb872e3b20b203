/** Renders channels, videos, playlists and their items for answers, part by part. */
import { withParts, etagOf } from './answers.ts';
import type { Library, Viewer } from './library.ts';
import { isListed } from './library.ts';
import { timestamp, uploadsOf, type Channel, type Playlist, type PlaylistItem, type Video } from './model.ts';

/** Parts of each resource known to the stand-in. Some need a special right, or are empty here. */
export const PARTS = {
  channel:
    'auditDetails,brandingSettings,contentDetails,contentOwnerDetails,id,localizations,snippet,statistics,status,topicDetails'.split(
      ',',
    ),
  video:
    'ageGating,brandPartner,contentDetails,fileDetails,id,liveStreamingDetails,localizations,monetizationDetails,paidProductPlacementDetails,player,processingDetails,projectDetails,recordingDetails,snippet,statistics,status,suggestions,topicDetails'.split(
      ',',
    ),
  playlist: ['contentDetails', 'id', 'localizations', 'player', 'snippet', 'status'],
  playlistItem: ['contentDetails', 'id', 'snippet', 'status'],
};

const TOPICS = 'https://en.wikipedia.org/wiki/Technology';
const SIZES = { default: [120, 90], medium: [320, 180], high: [480, 360] } as const;

/** Images that do not exist; the host is reserved. */
export function thumbnails(id: string): object {
  return Object.fromEntries(
    Object.entries(SIZES).map(([name, [width, height]]) => [
      name,
      { url: `https://pictures.example/${id}/${name}.jpg`, width, height },
    ]),
  );
}

/** Resource of a channel. */
export function renderChannel(library: Library, channel: Channel, parts: readonly string[]) {
  const { id, title, description, country } = channel;
  const localized = { title, description };
  return withParts({ kind: 'channel', id }, parts, {
    snippet: () => ({
      ...localized,
      customUrl: channel.handle,
      publishedAt: timestamp(channel.publishedAt),
      thumbnails: thumbnails(id),
      localized,
      country,
    }),
    statistics: () => {
      const videos = library.videosOf(id, undefined);
      return {
        viewCount: String(videos.reduce((sum, { views }) => sum + views, 0)),
        subscriberCount: String(channel.subscribers),
        hiddenSubscriberCount: false,
        videoCount: String(videos.length),
      };
    },
    contentDetails: () => ({ relatedPlaylists: { likes: '', uploads: uploadsOf(id) } }),
    brandingSettings: () => ({
      channel: { ...localized, keywords: channel.keywords, country, ...channel.branding },
      ...(channel.bannerUrl !== undefined && { image: { bannerExternalUrl: channel.bannerUrl } }),
    }),
    status: () => ({
      privacyStatus: 'public',
      isLinked: true,
      longUploadsStatus: 'allowed',
      madeForKids: false,
    }),
    topicDetails: () => ({ topicCategories: [TOPICS] }),
    contentOwnerDetails: () => ({}),
  });
}

/** Resource of a video. The parts about its file are only for its owner; routes refuse them to others. */
export function renderVideo(library: Library, video: Video, parts: readonly string[]) {
  const { id, snippet, status } = video;
  const localized = { title: snippet.title, description: snippet.description };
  return withParts({ kind: 'video', id }, parts, {
    snippet: () => ({
      publishedAt: timestamp(video.publishedAt),
      channelId: video.channelId,
      channelTitle: library.channels.get(video.channelId)?.title ?? '',
      ...snippet,
      thumbnails: thumbnails(id),
      liveBroadcastContent: 'none',
      localized,
    }),
    contentDetails: () => ({
      duration: duration(video.seconds),
      dimension: '2d',
      definition: 'hd',
      caption: String(library.captions.some((track) => track.videoId === id)),
      licensedContent: false,
      contentRating: {},
      projection: 'rectangular',
    }),
    status: () => {
      const { containsSyntheticMedia: _, ...shown } = status;
      return { uploadStatus: 'processed', ...shown, madeForKids: status.selfDeclaredMadeForKids };
    },
    statistics: () => ({
      viewCount: String(video.views),
      ...(video.allowsRatings && { likeCount: String(video.likes) }),
      favoriteCount: '0',
      ...(video.allowsComments && { commentCount: String(library.commentsOn(id)) }),
    }),
    player: () => ({
      embedHtml: `<iframe width="480" height="270" src="//www.youtube.com/embed/${id}"></iframe>`,
    }),
    topicDetails: () => ({ topicCategories: [TOPICS] }),
    recordingDetails: () => ({}),
    paidProductPlacementDetails: () => ({ hasPaidProductPlacement: false }),
    fileDetails: () => ({
      fileName: `${id}.mp4`,
      fileType: 'video',
      container: 'mov,mp4,m4a',
      durationMs: String(video.seconds * 1000),
    }),
    processingDetails: () => ({ processingStatus: 'succeeded', fileDetailsAvailability: 'available' }),
    suggestions: () => ({ tagSuggestions: [{ tag: 'harbour' }] }),
  });
}

/** ISO 8601, as YouTube writes it: PT1H2M3S. */
function duration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `PT${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${rest > 0 ? `${rest}S` : ''}`;
}

/** Resource of a playlist. */
export function renderPlaylist(library: Library, playlist: Playlist, parts: readonly string[]) {
  const { id, channelId, snippet, status } = playlist;
  const localized = { title: snippet.title, description: snippet.description };
  return withParts({ kind: 'playlist', id }, parts, {
    snippet: () => ({
      publishedAt: timestamp(playlist.publishedAt),
      channelId,
      channelTitle: library.channels.get(channelId)?.title ?? '',
      ...snippet,
      thumbnails: thumbnails(playlist.items[0]?.videoId ?? 'none'),
      localized,
    }),
    status: () => status,
    contentDetails: () => ({ itemCount: playlist.items.length }),
    player: () => ({
      embedHtml: `<iframe width="640" height="360" src="//www.youtube.com/embed/videoseries?list=${id}"></iframe>`,
    }),
    localizations: () => undefined,
  });
}

/** Resource of an item of a playlist. */
export function renderItem(
  library: Library,
  { playlist, item, viewer }: { playlist: Playlist; item: PlaylistItem; viewer: Viewer },
  parts: readonly string[],
) {
  const { id, videoId } = item;
  const video = library.videos.get(videoId);
  const isShown = video !== undefined && isListed(video, viewer);
  const owner = video === undefined ? undefined : library.channels.get(video.channelId);
  return withParts({ kind: 'playlistItem', id }, parts, {
    snippet: () => ({
      publishedAt: timestamp(item.addedAt),
      channelId: playlist.channelId,
      channelTitle: library.channels.get(playlist.channelId)?.title ?? '',
      playlistId: playlist.id,
      position: playlist.items.indexOf(item),
      resourceId: { kind: 'youtube#video', videoId },
      title: isShown ? video.snippet.title : 'Private video',
      description: isShown ? video.snippet.description : 'This video is private.',
      ...(isShown && {
        thumbnails: thumbnails(videoId),
        videoOwnerChannelId: video.channelId,
        videoOwnerChannelTitle: owner?.title ?? '',
      }),
    }),
    contentDetails: () => ({
      videoId,
      ...(item.note !== undefined && { note: item.note }),
      ...(isShown && { videoPublishedAt: timestamp(video.publishedAt) }),
    }),
    status: () => ({ privacyStatus: video?.status.privacyStatus ?? 'private' }),
  });
}

/** A search result. */
export function renderFound(
  library: Library,
  found: { kind: 'video' | 'channel' | 'playlist'; thing: Channel | Playlist | Video },
) {
  const { kind, thing } = found;
  const { title, description } = 'snippet' in thing ? thing.snippet : thing;
  const channelId = 'channelId' in thing ? thing.channelId : thing.id;
  const id = { kind: `youtube#${kind}`, [`${kind}Id`]: thing.id };
  const snippet = {
    publishedAt: timestamp(thing.publishedAt),
    channelId,
    title,
    description: description.slice(0, 160),
    thumbnails: thumbnails(thing.id),
    channelTitle: library.channels.get(channelId)?.title ?? '',
    liveBroadcastContent: 'none',
  };
  return { kind: 'youtube#searchResult', etag: etagOf([id, snippet]), id, snippet };
}
