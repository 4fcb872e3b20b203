/** Playlists. */
import { Hono } from 'hono';
import { z } from 'zod';
import { listPage, pageOfFilter } from './answers.ts';
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
  type VideoEnv,
} from './exchange.ts';
import { isListed, isVisible, type Library } from './library.ts';
import type { Playlist } from './model.ts';
import { badBody, forbidden } from './refusal.ts';
import { PARTS, renderPlaylist } from './rendering.ts';

const MAX_TITLE = 150;
const MAX_DESCRIPTION_BYTES = 5000;

const listQuery = z.strictObject({
  part: commaList,
  channelId: z.string().optional(),
  id: commaList.optional(),
  mine: onlyTrue.optional(),
  ...page(0, 50, 5),
});

const snippet = z.strictObject({
  title: z.string().default(''),
  description: z.string().default(''),
  defaultLanguage: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

const status = z.strictObject({
  privacyStatus: z.enum(['public', 'unlisted', 'private']).default('public'),
  podcastStatus: z.enum(['enabled', 'disabled']).optional(),
});

const insertBody = z.strictObject({ snippet, status: status.optional() });
const updateBody = z.strictObject({ id: z.string(), snippet, status: status.optional() });

/** `/youtube/v3/playlists` */
export function playlistRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  const path = '/youtube/v3/playlists';

  routes.get(path, needs('read', 1), (c) => {
    const query = readQuery(c, listQuery);
    requireParts(query.part, PARTS.playlist);
    const viewer = c.get('channel');
    const filter = oneFilter(query, ['channelId', 'id', 'mine']);
    const channelId = query.mine === true ? ownChannel(c).id : query.channelId;
    if (query.channelId !== undefined) library.channel(query.channelId, 'channelId');
    const items = [...library.playlists.values()]
      .filter((playlist) =>
        query.id === undefined
          ? playlist.channelId === channelId && isListed(playlist, viewer)
          : query.id.includes(playlist.id) && isVisible(playlist, viewer),
      )
      .sort((one, other) => other.publishedAt - one.publishedAt);
    const render = (playlist: Playlist) => renderPlaylist(library, playlist, query.part);
    const list = { kind: 'playlistListResponse', items, render };
    return c.json(listPage(list, pageOfFilter(filter, query, items.length)));
  });

  routes.post(path, needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, PARTS.playlist);
    const body = await readBody(c, insertBody);
    const playlist: Playlist = {
      id: library.newId('PL', 32),
      channelId: ownChannel(c).id,
      publishedAt: library.now(),
      snippet: checked(body.snippet),
      status: statusOf((part.includes('status') && body.status) || { privacyStatus: 'public' }),
      isManual: true,
      allowsRepeats: true,
      items: [],
    };
    library.playlists.set(playlist.id, playlist);
    return c.json(renderPlaylist(library, playlist, part));
  });

  routes.put(path, needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, PARTS.playlist);
    const body = await readBody(c, updateBody);
    const own = ownChannel(c);
    const playlist = requireOwn(library.playlist(body.id, own, 'id'), own);
    const replacement = checked(body.snippet);
    if (part.includes('snippet')) playlist.snippet = replacement;
    if (part.includes('status') && body.status !== undefined) playlist.status = statusOf(body.status);
    return c.json(renderPlaylist(library, playlist, part));
  });

  routes.delete(path, needs('write', 50), (c) => {
    const { id } = readQuery(c, z.strictObject({ id: z.string() }));
    const own = ownChannel(c);
    library.playlists.delete(requireOwn(library.playlist(id, own, 'id'), own).id);
    return c.body(null, 204);
  });
  return routes;
}

/** Requires an own playlist that is not one of YouTube's. @throws VideoRefusal playlistForbidden */
function requireOwn(playlist: Playlist, own: { id: string }): Playlist {
  if (playlist.channelId !== own.id || playlist.id.startsWith('UU'))
    throw forbidden('playlist', 'playlistForbidden', 'The account may not change or delete this playlist.');
  return playlist;
}

/**
 * An omitted member is deleted, as with the real provider. @throws VideoRefusal playlistTitleRequired,
 * invalidPlaylistSnippet
 */
function checked({
  title,
  description,
  defaultLanguage,
  tags,
}: z.infer<typeof snippet>): Playlist['snippet'] {
  if (title.trim() === '')
    throw badBody('playlist', 'playlistTitleRequired', 'The request must name the title of the playlist.');
  const isLong = title.length > MAX_TITLE || Buffer.byteLength(description) > MAX_DESCRIPTION_BYTES;
  if (isLong || /[<>]/.test(title + description))
    throw badBody('playlist', 'invalidPlaylistSnippet', 'Title or description is too long, or holds < or >.');
  return {
    title,
    description,
    ...(defaultLanguage !== undefined && { defaultLanguage }),
    ...(tags !== undefined && tags.length > 0 && { tags }),
  };
}

function statusOf({ privacyStatus, podcastStatus }: z.infer<typeof status>): Playlist['status'] {
  return { privacyStatus, ...(podcastStatus !== undefined && { podcastStatus }) };
}
