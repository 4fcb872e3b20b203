/** Channels with their sections, and categories of videos. */
import { Hono } from 'hono';
import { z } from 'zod';
import { etagOf, listPage, pageOfFilter, withParts } from './answers.ts';
import { CATEGORIES } from './categories.ts';
import {
  commaList,
  needs,
  oneFilter,
  onlyTrue,
  ownChannel,
  page,
  readBody,
  readQuery,
  requireParts,
  requireScope,
  type VideoEnv,
} from './exchange.ts';
import type { Library } from './library.ts';
import type { Section } from './model.ts';
import { badBody, badParameter, forbidden, notFound } from './refusal.ts';
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

const sectionQuery = z.strictObject({
  part: commaList,
  channelId: z.string().optional(),
  id: commaList.optional(),
  mine: onlyTrue.optional(),
});

const channelBody = z.strictObject({
  id: z.string(),
  brandingSettings: z.strictObject({
    channel: z.strictObject({
      title: z.string().optional(),
      description: z.string().max(1000).optional(),
      keywords: z.string().optional(),
      country: z.string().optional(),
      defaultLanguage: z.string().optional(),
      trackingAnalyticsAccountId: z.string().optional(),
      unsubscribedTrailer: z.string().optional(),
    }),
    image: z.strictObject({ bannerExternalUrl: z.string() }).optional(),
  }),
});

/** @throws VideoRefusal invalidRegionCode */
export function requireRegion(code: string): void {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  // ZZ means no region.
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ' || names.of(code) === undefined)
    throw badParameter('regionCode', `There is no region ${code}.`, 'invalidRegionCode');
}

/** `/youtube/v3/channels`, `/videoCategories`, `/channelSections` */
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

  routes.put('/youtube/v3/channels', needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    if (part.join() !== 'brandingSettings')
      throw badParameter('part', 'Only brandingSettings can be changed here, alone.', 'unexpectedPart');
    const { id, brandingSettings } = await readBody(c, channelBody);
    const channel = library.channel(id, 'id');
    if (channel.id !== ownChannel(c).id)
      throw forbidden('channel', 'channelForbidden', 'The account may not change this channel.');
    const { title, description = '', keywords = '', country, ...others } = brandingSettings.channel;
    if (title !== undefined && title !== channel.title)
      throw badBody('channel', 'channelTitleUpdateForbidden', 'The title is changed in YouTube Studio.');
    const trailer = others.unsubscribedTrailer;
    if (trailer !== undefined && trailer !== '') library.video(trailer, channel, 'unsubscribedTrailer');
    // Members that the part leaves out are deleted.
    delete channel.country;
    Object.assign(channel, { description, keywords, ...(country !== undefined && { country }) });
    channel.branding = others;
    channel.bannerUrl = brandingSettings.image?.bannerExternalUrl;
    return c.json(renderChannel(library, channel, part));
  });

  routes.get('/youtube/v3/channelSections', needs('read', 1), (c) => {
    const query = readQuery(c, sectionQuery);
    requireParts(query.part, ['contentDetails', 'id', 'snippet']);
    const filter = oneFilter(query, ['channelId', 'id', 'mine']);
    const channelId = filter === 'mine' ? ownChannel(c).id : query.channelId;
    if (filter === 'channelId') library.channel(channelId ?? '', 'channelId');
    const items = library.sections
      .filter((section) => query.id?.includes(section.id) ?? section.channelId === channelId)
      .map((section) => renderSection(section, query.part));
    return c.json({ kind: 'youtube#channelSectionListResponse', etag: etagOf(items), items });
  });
  return routes;
}

function renderSection({ id, channelId, ...section }: Section, parts: readonly string[]) {
  const { type, title, position, playlists } = section;
  const text = title === undefined ? {} : { title };
  return withParts({ kind: 'channelSection', id }, parts, {
    snippet: () => ({ type, style: 'horizontalRow', channelId, position, ...text, localized: text }),
    contentDetails: () => (playlists === undefined ? undefined : { playlists }),
  });
}
