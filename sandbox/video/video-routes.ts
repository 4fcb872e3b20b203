/** Videos: reading, rating, changing, deleting. */
import { Hono } from 'hono';
import { z } from 'zod';
import { etagOf, listPage, pageOfFilter } from './answers.ts';
import { isAssignable } from './categories.ts';
import { requireRegion } from './channel-routes.ts';
import {
  commaList,
  needs,
  oneFilter,
  ownChannel,
  page,
  readBody,
  readQuery,
  refuseBeside,
  requireParts,
  type VideoEnv,
} from './exchange.ts';
import { isVisible, type Library } from './library.ts';
import type { Video } from './model.ts';
import { badBody, badParameter, forbidden } from './refusal.ts';
import { PARTS, renderVideo } from './rendering.ts';

const OWNER_PARTS = ['fileDetails', 'processingDetails', 'suggestions'];
const MAX_TITLE = 100;
const MAX_DESCRIPTION_BYTES = 5000;
const MAX_TAGS = 500;

const listQuery = z.strictObject({
  part: commaList,
  id: commaList.optional(),
  chart: z.literal('mostPopular').optional(),
  myRating: z.enum(['like', 'dislike']).optional(),
  regionCode: z.string().optional(),
  videoCategoryId: z.string().default('0'),
  ...page(1, 50, 5),
});

const updateBody = z.strictObject({
  id: z.string(),
  snippet: z
    .strictObject({
      title: z.string().optional(),
      categoryId: z.string().optional(),
      description: z.string().default(''),
      tags: z.array(z.string()).optional(),
      defaultLanguage: z.string().optional(),
      defaultAudioLanguage: z.string().optional(),
    })
    .optional(),
  status: z
    .strictObject({
      privacyStatus: z.enum(['public', 'unlisted', 'private']).default('public'),
      publishAt: z.iso.datetime({ offset: true }).optional(),
      license: z.enum(['youtube', 'creativeCommon']).default('youtube'),
      embeddable: z.boolean().default(false),
      publicStatsViewable: z.boolean().default(false),
      selfDeclaredMadeForKids: z.boolean().default(false),
      containsSyntheticMedia: z.boolean().optional(),
    })
    .optional(),
});

type VideoChange = z.infer<typeof updateBody>;

const idQuery = z.strictObject({ id: z.string() });

/** `/youtube/v3/videos…` */
export function videoRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();

  routes.get('/youtube/v3/videos', needs('read', 1), (c) => {
    const query = readQuery(c, listQuery);
    requireParts(query.part, PARTS.video);
    const viewer = c.get('channel');
    const filter = oneFilter(query, ['id', 'chart', 'myRating']);
    if (filter === 'id') refuseBeside(c, 'id', ['maxResults', 'pageToken']);
    if (filter !== 'chart') refuseBeside(c, filter, ['regionCode', 'videoCategoryId']);
    const candidates = {
      id: () => (query.id ?? []).flatMap((id) => library.videos.get(id) ?? []),
      chart: () => chartOf(library, query),
      myRating: () => library.ratedBy(c.get('member').id, query.myRating ?? 'none'),
    };
    const found = candidates[filter]().filter((video) => isVisible(video, viewer));
    const isAllOwn = found.every(({ channelId }) => channelId === viewer?.id);
    if (!isAllOwn && query.part.some((part) => OWNER_PARTS.includes(part)))
      throw forbidden(
        'video',
        'forbidden',
        'The request asks for parts that only the owner of a video sees.',
      );
    const render = (video: Video) => renderVideo(library, video, query.part);
    return c.json(
      listPage(
        { kind: 'videoListResponse', items: found, render },
        pageOfFilter(filter, query, found.length),
      ),
    );
  });

  routes.get('/youtube/v3/videos/getRating', needs('read', 1), (c) => {
    const ids = readQuery(c, z.strictObject({ id: commaList })).id;
    const items = ids.map((id) => {
      const videoId = library.video(id, c.get('channel'), 'id').id;
      return { videoId, rating: library.ratingBy(c.get('member').id, videoId) };
    });
    return c.json({ kind: 'youtube#videoGetRatingResponse', etag: etagOf(items), items });
  });

  routes.post('/youtube/v3/videos/rate', needs('write', 50), (c) => {
    const shape = z.strictObject({ id: z.string(), rating: z.enum(['like', 'dislike', 'none']) });
    const { id, rating } = readQuery(c, shape);
    const video = library.video(id, c.get('channel'), 'id');
    if (!video.allowsRatings)
      throw forbidden('video', 'videoRatingDisabled', 'The owner of the video has turned ratings off.');
    library.rate(c.get('member').id, video, rating);
    return c.body(null, 204);
  });

  routes.put('/youtube/v3/videos', needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, PARTS.video);
    const change = await readBody(c, updateBody);
    const own = ownChannel(c);
    const video = library.video(change.id, own, 'id');
    if (video.channelId !== own.id)
      throw forbidden('video', 'forbidden', 'The video belongs to another channel and cannot be changed.');
    if (part.includes('snippet')) replaceSnippet(video, change.snippet);
    if (part.includes('status') && change.status !== undefined) replaceStatus(video, change.status);
    return c.json(renderVideo(library, video, part));
  });

  routes.delete('/youtube/v3/videos', needs('write', 50), (c) => {
    const own = ownChannel(c);
    const video = library.video(readQuery(c, idQuery).id, own, 'id');
    if (video.channelId !== own.id)
      throw forbidden('video', 'forbidden', 'The video belongs to another channel and cannot be deleted.');
    library.removeVideo(video.id);
    return c.body(null, 204);
  });
  return routes;
}

/** Public videos by views; the stand-in has no figures by country and only checks the country code. */
function chartOf(library: Library, query: z.infer<typeof listQuery>): Video[] {
  if (query.regionCode !== undefined) requireRegion(query.regionCode);
  const chart = [...library.videos.values()].filter(
    ({ status, snippet }) =>
      status.privacyStatus === 'public' &&
      (query.videoCategoryId === '0' || query.videoCategoryId === snippet.categoryId),
  );
  if (chart.length === 0)
    throw badParameter('chart', 'There is no chart of this category.', 'videoChartNotFound');
  return chart.sort((one, other) => other.views - one.views);
}

/** An omitted member is deleted, as with the real provider. */
function replaceSnippet(video: Video, snippet: VideoChange['snippet']): void {
  if (snippet?.title === undefined || !/^[^<>]+$/.test(snippet.title) || snippet.title.length > MAX_TITLE)
    throw badBody('video', 'invalidTitle', 'The title is missing, empty, too long, or holds < or >.');
  if (snippet.categoryId === undefined || !isAssignable(snippet.categoryId))
    throw badBody('video', 'invalidCategoryId', 'The category is missing, or no video can be put into it.');
  if (Buffer.byteLength(snippet.description) > MAX_DESCRIPTION_BYTES || /[<>]/.test(snippet.description))
    throw badBody('video', 'invalidDescription', 'The description is too long, or holds < or >.');
  if ((snippet.tags ?? []).join().length > MAX_TAGS)
    throw badBody('video', 'invalidTags', 'The tags are too long together.');
  const { title, categoryId, description, tags, defaultLanguage, defaultAudioLanguage } = snippet;
  video.snippet = {
    title,
    description,
    categoryId,
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(defaultLanguage !== undefined && { defaultLanguage }),
    ...(defaultAudioLanguage !== undefined && { defaultAudioLanguage }),
  };
}

function replaceStatus(
  video: Video,
  { publishAt, containsSyntheticMedia, ...status }: NonNullable<VideoChange['status']>,
): void {
  if (publishAt !== undefined && status.privacyStatus !== 'private')
    throw badBody('video', 'invalidPublishAt', 'Only a private video can have a time of publication.');
  video.status = {
    ...status,
    ...(publishAt !== undefined && { publishAt }),
    ...(containsSyntheticMedia !== undefined && { containsSyntheticMedia }),
  };
}
