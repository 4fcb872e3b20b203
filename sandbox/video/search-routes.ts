/** Search by words, channel, time and length, among everything that is public. */
import { Hono } from 'hono';
import { z } from 'zod';
import { listPage } from './answers.ts';
import { commaList, needs, page, readQuery, requireParts, time, type VideoEnv } from './exchange.ts';
import type { Library } from './library.ts';
import type { Channel, Playlist, Video } from './model.ts';
import { badParameter } from './refusal.ts';
import { renderFound } from './rendering.ts';

const KINDS = ['video', 'channel', 'playlist'] as const;
const SHORT_SECONDS = 240;
const LONG_SECONDS = 1200;

const searchQuery = z.strictObject({
  part: commaList,
  q: z.string().default(''),
  channelId: z.string().optional(),
  type: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(KINDS)))
    .default([...KINDS]),
  order: z.enum(['date', 'rating', 'relevance', 'title', 'videoCount', 'viewCount']).default('relevance'),
  safeSearch: z.enum(['none', 'moderate', 'strict']).default('moderate'),
  videoDuration: z.enum(['any', 'short', 'medium', 'long']).optional(),
  publishedAfter: time.optional(),
  publishedBefore: time.optional(),
  ...page(0, 50, 5),
});

type SearchQuery = z.infer<typeof searchQuery>;

/** A resource that can be found, with the values to search and sort by. */
interface Candidate {
  kind: (typeof KINDS)[number];
  thing: Channel | Playlist | Video;
  channelId: string;
  title: string;
  text: string;
  views: number;
  likes: number;
  videos: number;
}

/** `/youtube/v3/search` */
export function searchRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  routes.get('/youtube/v3/search', needs('read', 'search'), (c) => {
    const query = readQuery(c, searchQuery);
    requireParts(query.part, ['id', 'snippet']);
    if (query.videoDuration !== undefined && query.type.join() !== 'video')
      throw badParameter('videoDuration', 'It needs the type video.', 'invalidSearchFilter');
    const candidates = candidatesOf(library).filter((candidate) => isMeant(candidate, query));
    const items = order(candidates, query);
    const answer = listPage(
      { kind: 'searchListResponse', items, render: (found) => renderFound(library, found) },
      query,
    );
    return c.json({ ...answer, regionCode: 'NO' });
  });
  return routes;
}

function candidatesOf(library: Library): Candidate[] {
  const none = { views: 0, likes: 0, videos: 0 };
  const titleOf = (channelId: string) => library.channels.get(channelId)?.title ?? '';
  const videos = [...library.videos.values()].map((video): Candidate => {
    const { id, channelId, views, likes, snippet } = video;
    const { title, description, tags = [] } = snippet;
    const text = [title, description, ...tags, titleOf(channelId), id].join(' ');
    return { ...none, kind: 'video', thing: video, channelId, title, text, views, likes };
  });
  const playlists = [...library.playlists.values()].map((playlist): Candidate => {
    const { channelId, snippet, items } = playlist;
    const text = [snippet.title, snippet.description, titleOf(channelId)].join(' ');
    return {
      ...none,
      kind: 'playlist',
      thing: playlist,
      channelId,
      title: snippet.title,
      text,
      videos: items.length,
    };
  });
  const channels = [...library.channels.values()].map((channel): Candidate => {
    const { id, title, description, keywords, handle } = channel;
    const own = library.videosOf(id, undefined);
    const views = own.reduce((sum, video) => sum + video.views, 0);
    const text = [title, description, keywords, handle].join(' ');
    return {
      ...none,
      kind: 'channel',
      thing: channel,
      channelId: id,
      title,
      text,
      views,
      videos: own.length,
    };
  });
  const isPublic = ({ thing }: Candidate) => !('status' in thing) || thing.status.privacyStatus === 'public';
  return [...videos, ...channels, ...playlists].filter(isPublic);
}

function isMeant({ kind, thing, channelId, text }: Candidate, query: SearchQuery): boolean {
  return (
    query.type.includes(kind) &&
    (query.channelId === undefined || query.channelId === channelId) &&
    (query.publishedAfter === undefined || thing.publishedAt >= query.publishedAfter) &&
    (query.publishedBefore === undefined || thing.publishedAt < query.publishedBefore) &&
    (!('seconds' in thing) || hasLength(thing.seconds, query.videoDuration)) &&
    matchesWords(text, query.q)
  );
}

function hasLength(seconds: number, wanted: SearchQuery['videoDuration']): boolean {
  if (wanted === 'short') return seconds < SHORT_SECONDS;
  if (wanted === 'medium') return seconds >= SHORT_SECONDS && seconds <= LONG_SECONDS;
  return wanted !== 'long' || seconds > LONG_SECONDS;
}

/**
 * True if all words match; `a|b` needs one of them, `-a` must not match. Words are also found inside longer
 * ones.
 */
function matchesWords(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return termsOf(words).every((term) =>
    term.startsWith('-')
      ? !lower.includes(term.slice(1))
      : term.split('|').some((choice) => lower.includes(choice)),
  );
}

function termsOf(words: string): string[] {
  const joined = words.toLowerCase().replaceAll(/\s*\|\s*/g, '|');
  return joined.split(/\s+/).filter((term) => /[^-|]/.test(term));
}

function order(candidates: Candidate[], query: SearchQuery): Candidate[] {
  const titleWords = termsOf(query.q).flatMap((term) => (term.startsWith('-') ? [] : term.split('|')));
  const titleHits = ({ title }: Candidate) =>
    titleWords.filter((word) => title.toLowerCase().includes(word)).length;
  const by: Record<SearchQuery['order'], (one: Candidate, other: Candidate) => number> = {
    date: (one, other) => other.thing.publishedAt - one.thing.publishedAt,
    rating: (one, other) => other.likes - one.likes,
    relevance: (one, other) => titleHits(other) - titleHits(one) || other.views - one.views,
    title: (one, other) => one.title.localeCompare(other.title, 'en'),
    videoCount: (one, other) => other.videos - one.videos,
    viewCount: (one, other) => other.views - one.views,
  };
  return candidates.sort(by[query.order]);
}
