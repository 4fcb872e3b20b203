/** What is in the stand-in YouTube, as it is stored; rendering.ts turns it into what answers show. */
import { createHash } from 'node:crypto';

export type Privacy = 'public' | 'unlisted' | 'private';
export type Rating = 'like' | 'dislike' | 'none';

/** A channel. Its uploads are a playlist that is made up from its videos. */
export interface Channel {
  id: string;
  title: string;
  description: string;
  /** With `@`. */
  handle: string;
  /** From the time before handles. */
  username?: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  keywords: string;
  /** Unix milliseconds, as every time here. */
  publishedAt: number;
  subscribers: number;
  /** Whether everybody sees what it subscribes to. */
  showsSubscriptions: boolean;
}

/** A video with everything an owner may set. */
export interface Video {
  id: string;
  channelId: string;
  publishedAt: number;
  seconds: number;
  /** Part `snippet`, as far as it can be set. */
  snippet: {
    title: string;
    description: string;
    categoryId: string;
    tags?: readonly string[];
    defaultLanguage?: string;
    defaultAudioLanguage?: string;
  };
  /** Part `status`, as far as it can be set. */
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

/** A playlist that somebody made. */
export interface Playlist {
  id: string;
  channelId: string;
  publishedAt: number;
  snippet: { title: string; description: string; defaultLanguage?: string; tags?: readonly string[] };
  status: { privacyStatus: Privacy; podcastStatus?: string };
  /** Sorted by hand; otherwise an item cannot be put at a place. */
  isManual: boolean;
  /** Whether a video may be in it twice. */
  allowsRepeats: boolean;
  items: PlaylistItem[];
}

/** A video in a playlist; its position is its place in `items`. */
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
}

/** That one channel follows another. */
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

/** Who may be signed in on the consent page. */
export interface Member {
  id: string;
  name: string;
  email: string;
  /** Google accounts may have none. */
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

/** As YouTube writes times. @param unixMs Unix milliseconds */
export function timestamp(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('.000Z', 'Z');
}

/** The playlist of a channel's uploads; its id follows from the channel's. */
export function uploadsOf(channelId: string): string {
  return `UU${channelId.slice(2)}`;
}
