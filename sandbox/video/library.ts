/**
 * The state of one stand-in YouTube, kept in memory, and the rules for every change: visibility, lookup by
 * id, and what is deleted together with a video.
 */
import type { Clock } from '../../src/core/clock.ts';
import {
  stableId,
  uploadsOf,
  type Broadcast,
  type CaptionTrack,
  type Channel,
  type Comment,
  type Group,
  type Job,
  type Member,
  type Playlist,
  type PlaylistItem,
  type Privacy,
  type Rating,
  type Section,
  type Subscription,
  type Video,
} from './model.ts';
import { notFound } from './refusal.ts';

/** The channel of the account that asks; `undefined` for an account without one. */
export type Viewer = Channel | undefined;

/** All data of one stand-in. */
export class Library {
  readonly members: Member[] = [];
  readonly channels = new Map<string, Channel>();
  readonly videos = new Map<string, Video>();
  readonly playlists = new Map<string, Playlist>();
  readonly comments = new Map<string, Comment>();
  /** Channels and the authors whose comments they no longer take, as `channel/author`. */
  readonly banned = new Set<string>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly captions: CaptionTrack[] = [];
  readonly sections: Section[] = [];
  readonly broadcasts: Broadcast[] = [];
  readonly groups = new Map<string, Group>();
  readonly jobs = new Map<string, Job>();
  readonly #ratings = new Map<string, Rating>();
  readonly #clock: Clock;
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Unix milliseconds, without a fraction of a second. */
  now(): number {
    return Math.floor(this.#clock.now() / 1000) * 1000;
  }

  /** Id of a new resource. */
  newId(prefix: string, length: number): string {
    return prefix + stableId('created', ++this.#created, length);
  }

  /** @param parameter that contains the id. @throws VideoRefusal channelNotFound */
  channel(id: string, parameter: string): Channel {
    const found = this.channels.get(id);
    if (found === undefined) throw notFound('channel', parameter);
    return found;
  }

  /** @throws VideoRefusal videoNotFound, also for a private video of another channel */
  video(id: string, viewer: Viewer, parameter: string): Video {
    const found = this.videos.get(id);
    if (found === undefined || !isVisible(found, viewer)) throw notFound('video', parameter);
    return found;
  }

  /** Newest first. @param viewer sees private and unlisted ones of their own */
  videosOf(channelId: string, viewer: Viewer): Video[] {
    return [...this.videos.values()]
      .filter((video) => video.channelId === channelId && isListed(video, viewer))
      .sort((one, other) => other.publishedAt - one.publishedAt);
  }

  /** Finds created playlists and uploads. @throws VideoRefusal playlistNotFound */
  playlist(id: string, viewer: Viewer, parameter: string): Playlist {
    const uploader = [...this.channels.values()].find((channel) => uploadsOf(channel.id) === id);
    const found = uploader === undefined ? this.playlists.get(id) : this.#uploads(uploader, viewer);
    if (found === undefined || !isVisible(found, viewer)) throw notFound('playlist', parameter);
    return found;
  }

  /** The playlist that contains an item. @throws VideoRefusal playlistItemNotFound */
  holderOf(itemId: string): { playlist: Playlist; index: number } {
    for (const playlist of this.playlists.values()) {
      const index = playlist.items.findIndex(({ id }) => id === itemId);
      if (index >= 0) return { playlist, index };
    }
    throw notFound('playlistItem', 'id');
  }

  addItem(
    playlist: Playlist,
    item: Omit<PlaylistItem, 'id'>,
    position = playlist.items.length,
  ): PlaylistItem {
    const id = Buffer.from(`${playlist.id}.${stableId('item', ++this.#created, 16)}`).toString('base64url');
    const added = { id, ...item };
    playlist.items.splice(position, 0, added);
    return added;
  }

  /** Removes it with its comments, captions, ratings, and its places in playlists and groups. */
  removeVideo(id: string): void {
    this.videos.delete(id);
    for (const [key, comment] of this.comments) if (comment.videoId === id) this.comments.delete(key);
    for (const playlist of this.playlists.values())
      playlist.items = playlist.items.filter((item) => item.videoId !== id);
    for (const group of this.groups.values())
      group.items = group.items.filter(({ resourceId }) => resourceId !== id);
    for (const key of this.#ratings.keys()) if (key.endsWith(`/${id}`)) this.#ratings.delete(key);
    this.captions.splice(0, Infinity, ...this.captions.filter(({ videoId }) => videoId !== id));
  }

  /** Newest first. */
  threadsOf(isMeant: (comment: Comment) => boolean): Comment[] {
    return [...this.comments.values()]
      .filter((comment) => comment.parentId === undefined && isMeant(comment))
      .sort((one, other) => other.publishedAt - one.publishedAt);
  }

  /** Oldest first. */
  repliesTo(threadId: string): Comment[] {
    return [...this.comments.values()]
      .filter(({ parentId, isHeld }) => parentId === threadId && isHeld !== true)
      .sort((one, other) => one.publishedAt - other.publishedAt);
  }

  commentsOn(videoId: string): number {
    const shown = [...this.comments.values()].filter(({ isHeld }) => isHeld !== true);
    return shown.filter((comment) => comment.videoId === videoId).length;
  }

  /** Removes it with its replies. */
  removeComment(id: string): void {
    this.comments.delete(id);
    for (const [key, { parentId }] of this.comments) if (parentId === id) this.comments.delete(key);
  }

  /** @param who id of a member */
  ratingBy(who: string, videoId: string): Rating {
    return this.#ratings.get(`${who}/${videoId}`) ?? 'none';
  }

  /** The counts of the video change too. @param who id of a member */
  rate(who: string, video: Video, rating: Rating): void {
    const key = `${who}/${video.id}`;
    const before = this.ratingBy(who, video.id);
    video.likes += Number(rating === 'like') - Number(before === 'like');
    video.dislikes += Number(rating === 'dislike') - Number(before === 'dislike');
    this.#ratings.set(key, rating);
  }

  /** Videos with a rating, the latest first. @param who id of a member */
  ratedBy(who: string, rating: Rating): Video[] {
    return [...this.#ratings]
      .filter(([key, given]) => key.startsWith(`${who}/`) && given === rating)
      .flatMap(([key]) => this.videos.get(key.slice(who.length + 1)) ?? [])
      .toReversed();
  }

  #uploads(channel: Channel, viewer: Viewer): Playlist {
    const items = this.videosOf(channel.id, viewer).map(({ id: videoId, publishedAt: addedAt }) => ({
      id: Buffer.from(`${uploadsOf(channel.id)}.${videoId}`).toString('base64url'),
      videoId,
      addedAt,
    }));
    return {
      id: uploadsOf(channel.id),
      channelId: channel.id,
      publishedAt: channel.publishedAt,
      snippet: { title: `Uploads from ${channel.title}`, description: '' },
      status: { privacyStatus: 'public' },
      isManual: false,
      allowsRepeats: false,
      items,
    };
  }
}

/** Anyone who knows the id of an unlisted resource can see it. */
export function isVisible(thing: PrivateThing, viewer: Viewer): boolean {
  return thing.status.privacyStatus !== 'private' || thing.channelId === viewer?.id;
}

/** Whether it can be found without its id. */
export function isListed(thing: PrivateThing, viewer: Viewer): boolean {
  return thing.status.privacyStatus === 'public' || thing.channelId === viewer?.id;
}

interface PrivateThing {
  channelId: string;
  status: { privacyStatus: Privacy };
}
