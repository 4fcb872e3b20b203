/** Stored data of the stand-in YouTube; rendering.ts turns it into answers. */
import { createHash } from 'node:crypto';

export type Privacy = 'public' | 'unlisted' | 'private';
export type Rating = 'like' | 'dislike' | 'none';

/** A channel. Its playlist of uploads is computed from its videos. */
export interface Channel {
  id: string;
  title: string;
  description: string;
  /** Begins with `@`. */
  handle: string;
  /** Name from the time before handles. */
  username?: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  keywords: string;
  /** Further settings that its owner has made. */
  branding?: {
    defaultLanguage?: string | undefined;
    trackingAnalyticsAccountId?: string | undefined;
    unsubscribedTrailer?: string | undefined;
  };
  bannerUrl?: string | undefined;
  /** Unix milliseconds, like every time here. */
  publishedAt: number;
  subscribers: number;
  /** Whether everybody can see its subscriptions. */
  showsSubscriptions: boolean;
}

/** A video with all members that an owner may set. */
export interface Video {
  id: string;
  channelId: string;
  publishedAt: number;
  seconds: number;
  /** The writable members of part `snippet`. */
  snippet: {
    title: string;
    description: string;
    categoryId: string;
    tags?: readonly string[];
    defaultLanguage?: string;
    defaultAudioLanguage?: string;
  };
  /** The writable members of part `status`. */
  status: {
    privacyStatus: Privacy;
    license: string;
    embeddable: boolean;
    publicStatsViewable: boolean;
    selfDeclaredMadeForKids: boolean;
    publishAt?: string;
    containsSyntheticMedia?: boolean;
  };
  views: number;
  likes: number;
  dislikes: number;
  allowsComments: boolean;
  allowsRatings: boolean;
}

/** A playlist that a person created. */
export interface Playlist {
  id: string;
  channelId: string;
  publishedAt: number;
  snippet: { title: string; description: string; defaultLanguage?: string; tags?: readonly string[] };
  status: { privacyStatus: Privacy; podcastStatus?: string };
  /** Sorted by hand; otherwise an item cannot be placed at a position. */
  isManual: boolean;
  /** Whether it may contain a video twice. */
  allowsRepeats: boolean;
  items: PlaylistItem[];
}

/** A video in a playlist; its position is its index in `items`. */
export interface PlaylistItem {
  id: string;
  videoId: string;
  addedAt: number;
  note?: string;
}

/** A comment; one without `parentId` is the top of a thread and gives the thread its id. */
export interface Comment {
  id: string;
  videoId: string;
  parentId?: string;
  authorChannelId: string;
  text: string;
  likes: number;
  publishedAt: number;
  /** When its text was last changed, if ever. */
  updatedAt?: number;
  /** Hidden until the owner of the video decides. */
  isHeld?: boolean;
}

/** A subscription of one channel to another. */
export interface Subscription {
  id: string;
  subscriberId: string;
  channelId: string;
  publishedAt: number;
}

/** A caption track. */
export interface CaptionTrack {
  id: string;
  videoId: string;
  language: string;
  name: string;
  trackKind: 'standard' | 'ASR';
  status: 'serving' | 'failed';
  updatedAt: number;
}

/** A section of a channel's page. */
export interface Section {
  id: string;
  channelId: string;
  type: string;
  position: number;
  /** Only sections with several playlists or channels have one. */
  title?: string;
  /** Ids of playlists. */
  playlists?: readonly string[];
}

/** A live broadcast; one that has ended began when it was planned. */
export interface Broadcast {
  id: string;
  channelId: string;
  title: string;
  state: 'created' | 'ready' | 'live' | 'complete';
  privacyStatus: Privacy;
  publishedAt: number;
  startsAt: number;
  endsAt?: number;
  /** The stream that is bound to it. */
  streamId?: string;
}

/** An analytics group of one channel's owner. */
export interface Group {
  id: string;
  channelId: string;
  title: string;
  itemType: string;
  publishedAt: number;
  items: { id: string; kind: string; resourceId: string }[];
}

/** A reporting job of one channel's owner. */
export interface Job {
  id: string;
  channelId: string;
  name: string;
  reportTypeId: string;
  createdAt: number;
}

/** People who may be signed in on the consent page. */
export interface Member {
  id: string;
  name: string;
  email: string;
  /** Google accounts may have no channel. */
  channelId?: string;
}

/** A text that looks random and is the same on every run, in the alphabet of YouTube's ids. */
export function stableId(kind: string, key: string | number, length: number): string {
  return createHash('sha512').update(`${kind}:${key}`).digest('base64url').slice(0, length);
}

/** A whole number from 0 below `limit` that looks random and is the same on every run. */
export function stableNumber(key: string, limit: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0) % limit;
}

/** A time as YouTube writes it. @param unixMs Unix milliseconds */
export function timestamp(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('.000Z', 'Z');
}

/** The playlist of a channel's uploads; its id is derived from the channel's. */
export function uploadsOf(channelId: string): string {
  return `UU${channelId.slice(2)}`;
}
