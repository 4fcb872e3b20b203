/** Items of playlists. */
import { Hono } from 'hono';
import { z } from 'zod';
import { listPage, pageOfFilter } from './answers.ts';
import {
  commaList,
  needs,
  oneFilter,
  ownChannel,
  page,
  readBody,
  readQuery,
  requireParts,
  type VideoEnv,
} from './exchange.ts';
import { isVisible, type Library, type Viewer } from './library.ts';
import type { Playlist, PlaylistItem } from './model.ts';
import { badBody, forbidden, VideoRefusal } from './refusal.ts';
import { PARTS, renderItem } from './rendering.ts';

const MAX_NOTE = 280;

/** Playlists of every account that the API cannot read. */
const CLOSED: Readonly<Record<string, string>> = {
  HL: 'watchHistoryNotAccessible',
  WL: 'watchLaterNotAccessible',
};

const listQuery = z.strictObject({
  part: commaList,
  id: commaList.optional(),
  playlistId: z.string().optional(),
  videoId: z.string().optional(),
  ...page(0, 50, 5),
});

const insertBody = z.strictObject({
  snippet: z.strictObject({
    playlistId: z.string(),
    position: z.int().min(0).optional(),
    resourceId: z.strictObject({ kind: z.literal('youtube#video'), videoId: z.string() }),
  }),
  contentDetails: z.strictObject({ note: z.string().optional() }).optional(),
});

const updateBody = z.strictObject({
  id: z.string(),
  snippet: insertBody.shape.snippet,
  contentDetails: z
    .strictObject({
      note: z.string().optional(),
      startAt: z.string().optional(),
      endAt: z.string().optional(),
    })
    .optional(),
});

/** `/youtube/v3/playlistItems` */
export function playlistItemRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  const path = '/youtube/v3/playlistItems';

  routes.get(path, needs('read', 1), (c) => {
    const query = readQuery(c, listQuery);
    requireParts(query.part, PARTS.playlistItem);
    const viewer = c.get('channel');
    const filter = oneFilter(query, ['id', 'playlistId']);
    if (filter === 'id') {
      const found = itemsById(library, query.id ?? [], viewer);
      const render = (held: (typeof found)[number]) => renderItem(library, { ...held, viewer }, query.part);
      const list = { kind: 'playlistItemListResponse', items: found, render };
      return c.json(listPage(list, pageOfFilter(filter, query, found.length)));
    }
    const { playlistId = '' } = query;
    const closed = CLOSED[playlistId];
    if (closed !== undefined)
      throw forbidden('playlistItem', closed, 'The items of this playlist cannot be read through the API.');
    const playlist = library.playlist(playlistId, viewer, 'playlistId');
    if (query.videoId !== undefined) library.video(query.videoId, viewer, 'videoId');
    const items = playlist.items.filter(({ videoId }) => (query.videoId ?? videoId) === videoId);
    const render = (item: PlaylistItem) => renderItem(library, { playlist, item, viewer }, query.part);
    return c.json(listPage({ kind: 'playlistItemListResponse', items, render }, query));
  });

  routes.post(path, needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, PARTS.playlistItem);
    const { snippet, contentDetails } = await readBody(c, insertBody);
    const viewer = ownChannel(c);
    const playlist = requireOwn(library.playlist(snippet.playlistId, viewer, 'playlistId'), viewer);
    const video = library.video(snippet.resourceId.videoId, viewer, 'videoId');
    const note = part.includes('contentDetails') ? contentDetails?.note : undefined;
    if (note !== undefined && note.length > MAX_NOTE)
      throw badBody('playlistItem', 'invalidContentDetails', 'The note is too long.');
    requireRoom(playlist, video.id, snippet.position);
    const added = { videoId: video.id, addedAt: library.now(), ...(note !== undefined && { note }) };
    const item = library.addItem(playlist, added, snippet.position);
    return c.json(renderItem(library, { playlist, item, viewer }, part));
  });

  routes.put(path, needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, PARTS.playlistItem);
    const { id, snippet, contentDetails } = await readBody(c, updateBody);
    const viewer = ownChannel(c);
    const { playlist, index } = library.holderOf(id);
    requireOwn(playlist, viewer);
    const [item] = playlist.items.slice(index, index + 1);
    if (item?.videoId !== snippet.resourceId.videoId || playlist.id !== snippet.playlistId)
      throw badBody('playlistItem', 'invalidSnippet', 'The item has another video or playlist.');
    const note = contentDetails?.note;
    if (note !== undefined && note.length > MAX_NOTE)
      throw badBody('playlistItem', 'invalidContentDetails', 'The note is too long.');
    requirePlace(playlist, snippet.position, playlist.items.length - 1);
    // Members that a named part leaves out are deleted; a position cannot be.
    if (part.includes('contentDetails')) {
      if (note === undefined || note === '') delete item.note;
      else item.note = note;
    }
    playlist.items.splice(index, 1);
    playlist.items.splice(snippet.position ?? index, 0, item);
    return c.json(renderItem(library, { playlist, item, viewer }, part));
  });

  routes.delete(path, needs('write', 50), (c) => {
    const { id } = readQuery(c, z.strictObject({ id: z.string() }));
    const own = ownChannel(c);
    const { playlist, index } = library.holderOf(id);
    requireOwn(playlist, own).items.splice(index, 1);
    return c.body(null, 204);
  });
  return routes;
}

/** Items of created playlists that the viewer can see. */
function itemsById(
  library: Library,
  ids: readonly string[],
  viewer: Viewer,
): { playlist: Playlist; item: PlaylistItem }[] {
  return [...library.playlists.values()]
    .filter((playlist) => isVisible(playlist, viewer))
    .flatMap((playlist) => playlist.items.map((item) => ({ playlist, item })))
    .filter(({ item }) => ids.includes(item.id));
}

/** @throws VideoRefusal playlistItemsNotAccessible */
function requireOwn(playlist: Playlist, own: { id: string }): Playlist {
  if (playlist.channelId !== own.id || playlist.id.startsWith('UU'))
    throw forbidden(
      'playlistItem',
      'playlistItemsNotAccessible',
      'The account may not change the items of this playlist.',
    );
  return playlist;
}

/** @throws VideoRefusal manualSortRequired, invalidPlaylistItemPosition, videoAlreadyInPlaylist */
function requireRoom(playlist: Playlist, videoId: string, position: number | undefined): void {
  requirePlace(playlist, position, playlist.items.length);
  if (!playlist.allowsRepeats && playlist.items.some((item) => item.videoId === videoId))
    throw new VideoRefusal(409, 'videoAlreadyInPlaylist', 'The video is in the playlist already.', {
      domain: 'youtube.playlistItem',
    });
}

/** @throws VideoRefusal manualSortRequired, invalidPlaylistItemPosition */
function requirePlace(playlist: Playlist, position: number | undefined, last: number): void {
  if (position === undefined) return;
  if (!playlist.isManual)
    throw badBody('playlistItem', 'manualSortRequired', 'The playlist is not sorted by hand.');
  if (position > last)
    throw badBody('playlistItem', 'invalidPlaylistItemPosition', 'The playlist has no such position.');
}
