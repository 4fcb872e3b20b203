/** Channels, categories of videos, and caption tracks. */
import { Hono } from 'hono';
import { z } from 'zod';
import { etagOf, listPage, pageOfFilter } from './answers.ts';
import { CATEGORIES } from './categories.ts';
import {
  commaList,
  needs,
  oneFilter,
  onlyTrue,
  page,
  readQuery,
  requireParts,
  requireScope,
  type VideoEnv,
} from './exchange.ts';
import type { Library } from './library.ts';
import { timestamp, type CaptionTrack } from './model.ts';
import { badParameter, forbidden, notFound } from './refusal.ts';
import { PARTS, renderChannel } from './rendering.ts';

const channelFilters = ['managedByMe', 'forUsername', 'id', 'mine', 'forHandle'] as const;

const channelQuery = z.strictObject({
  part: commaList,
  id: commaList.optional(),
  mine: onlyTrue.optional(),
  forHandle: z.string().optional(),
  forUsername: z.string().optional(),
  managedByMe: onlyTrue.optional(),
  ...page(0, 50, 5),
});

const categoryQuery = z.strictObject({
  part: commaList,
  id: commaList.optional(),
  regionCode: z.string().optional(),
  hl: z.string().default('en-US'),
});

const captionQuery = z.strictObject({ part: commaList, videoId: z.string(), id: commaList.optional() });

/** @throws VideoRefusal invalidRegionCode */
export function requireRegion(code: string): void {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  // ZZ means no region.
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ' || names.of(code) === undefined)
    throw badParameter('regionCode', `There is no region ${code}.`, 'invalidRegionCode');
}

/** `/youtube/v3/channels`, `/videoCategories`, `/captions` */
export function channelRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();

  routes.get('/youtube/v3/channels', needs('read', 1), (c) => {
    const query = readQuery(c, channelQuery);
    requireParts(query.part, PARTS.channel);
    if (query.part.includes('auditDetails')) requireScope(c, ['youtubepartner-channel-audit']);
    const filter = oneFilter(query, channelFilters);
    if (filter === 'managedByMe')
      throw forbidden('channel', 'forbidden', 'The request is for content owners (onBehalfOfContentOwner).');
    const handle = `@${query.forHandle?.replace(/^@/, '').toLowerCase()}`;
    const found = [...library.channels.values()].filter((channel) => {
      if (filter === 'mine') return channel.id === c.get('channel')?.id;
      if (filter === 'forHandle') return channel.handle === handle;
      if (filter === 'forUsername') return channel.username === query.forUsername;
      return query.id?.includes(channel.id) ?? false;
    });
    const render = (channel: (typeof found)[number]) => renderChannel(library, channel, query.part);
    const list = { kind: 'channelListResponse', items: found, render };
    const { items, ...answer } = listPage(list, pageOfFilter(filter, query, found.length));
    // Unlike other lists, this one omits `items` if nothing is found.
    return c.json(found.length === 0 ? answer : { ...answer, items });
  });

  routes.get('/youtube/v3/videoCategories', needs('read', 1), (c) => {
    const query = readQuery(c, categoryQuery);
    requireParts(query.part, ['id', 'snippet']);
    if (oneFilter(query, ['id', 'regionCode']) === 'regionCode') requireRegion(query.regionCode ?? '');
    const unknown = query.id?.some((id) => CATEGORIES.every((category) => category.id !== id));
    if (unknown === true) throw notFound('videoCategory', 'id');
    const isGerman = query.hl.toLowerCase().startsWith('de');
    const items = CATEGORIES.filter(({ id }) => query.id?.includes(id) ?? true).map(
      ({ id, title, german, assignable }) => {
        const snippet = {
          title: isGerman ? german : title,
          assignable,
          channelId: 'UCBR8-60-B28hp2BmDPdntcQ',
        };
        return { kind: 'youtube#videoCategory', etag: etagOf([id, snippet]), id, snippet };
      },
    );
    return c.json({ kind: 'youtube#videoCategoryListResponse', etag: etagOf(items), items });
  });

  routes.get('/youtube/v3/captions', needs('captions', 50), (c) => {
    const query = readQuery(c, captionQuery);
    requireParts(query.part, ['id', 'snippet']);
    const video = library.video(query.videoId, c.get('channel'), 'videoId');
    const tracks = library.captions.filter(({ videoId }) => videoId === video.id);
    if (query.id?.some((id) => tracks.every((track) => track.id !== id)) === true)
      throw notFound('caption', 'id');
    const items = tracks.filter(({ id }) => query.id?.includes(id) ?? true).map(renderCaption);
    return c.json({ kind: 'youtube#captionListResponse', etag: etagOf(items), items });
  });
  return routes;
}

function renderCaption({ id, videoId, updatedAt, language, name, trackKind, status }: CaptionTrack) {
  const snippet = {
    videoId,
    lastUpdated: timestamp(updatedAt),
    trackKind,
    language,
    name,
    audioTrackType: 'unknown',
    isCC: false,
    isLarge: false,
    isEasyReader: false,
    isDraft: false,
    isAutoSynced: false,
    status,
    ...(status === 'failed' && { failureReason: 'processingFailed' }),
  };
  return { kind: 'youtube#caption', etag: etagOf([id, snippet]), id, snippet };
}
