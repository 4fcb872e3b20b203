/** Analytics groups and their items. */
import { Hono } from 'hono';
import { z } from 'zod';
import { etagOf, offsetOf, pageToken } from './answers.ts';
import { commaList, needs, onlyTrue, ownChannel, readBody, readQuery, type VideoEnv } from './exchange.ts';
import type { Library, Viewer } from './library.ts';
import { timestamp, uploadsOf, type Group } from './model.ts';
import { notFound, VideoRefusal } from './refusal.ts';

const PAGE_SIZE = 50;
const MAX_ITEMS = 500;
const itemType = z.enum(['youtube#channel', 'youtube#playlist', 'youtube#video', 'youtubePartner#asset']);
const title = z.string().min(1);
const owner = { onBehalfOfContentOwner: z.string().optional() };
const idQuery = z.strictObject({ id: z.string(), ...owner });
const writeQuery = z.strictObject(owner);

/** `/v2/groups`, `/v2/groupItems` */
export function groupRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  const ownGroup = (id: string, viewer: Viewer): Group => {
    const group = library.groups.get(id);
    if (group === undefined || group.channelId !== viewer?.id) throw notFound('group', 'id');
    return group;
  };

  routes.get('/v2/groups', needs('groups'), (c) => {
    const shape = { id: commaList.optional(), mine: onlyTrue.optional(), pageToken: z.string().optional() };
    const query = readQuery(c, z.strictObject({ ...shape, ...owner }));
    refuseContentOwner(query);
    if (query.id === undefined && query.mine === undefined)
      throw new VideoRefusal(400, 'required', 'Name groups by id, or send mine=true.');
    const own = ownChannel(c);
    const groups = [...library.groups.values()].filter(
      ({ id, channelId }) => channelId === own.id && (query.id?.includes(id) ?? true),
    );
    const start = query.pageToken === undefined ? 0 : offsetOf(query.pageToken);
    const end = start + PAGE_SIZE;
    const items = groups.slice(start, end).map(renderGroup);
    return c.json({
      kind: 'youtube#groupListResponse',
      etag: etagOf(items),
      items,
      ...(end < groups.length && { nextPageToken: pageToken(end) }),
    });
  });

  routes.post('/v2/groups', needs('groupChanges'), async (c) => {
    refuseContentOwner(readQuery(c, writeQuery));
    const shape = { snippet: z.strictObject({ title }), contentDetails: z.strictObject({ itemType }) };
    const body = await readBody(c, z.strictObject(shape));
    const group: Group = {
      id: library.newId('', 11),
      channelId: ownChannel(c).id,
      title: body.snippet.title,
      itemType: body.contentDetails.itemType,
      publishedAt: library.now(),
      items: [],
    };
    library.groups.set(group.id, group);
    return c.json(renderGroup(group));
  });

  routes.put('/v2/groups', needs('groupChanges'), async (c) => {
    refuseContentOwner(readQuery(c, writeQuery));
    const shape = z.strictObject({ id: z.string(), snippet: z.strictObject({ title }) });
    const body = await readBody(c, shape);
    const group = ownGroup(body.id, ownChannel(c));
    group.title = body.snippet.title;
    return c.json(renderGroup(group));
  });

  routes.delete('/v2/groups', needs('groupChanges'), (c) => {
    const query = readQuery(c, idQuery);
    refuseContentOwner(query);
    library.groups.delete(ownGroup(query.id, ownChannel(c)).id);
    return c.body(null, 204);
  });

  routes.get('/v2/groupItems', needs('groups'), (c) => {
    const query = readQuery(c, z.strictObject({ groupId: z.string(), ...owner }));
    refuseContentOwner(query);
    const group = ownGroup(query.groupId, ownChannel(c));
    const items = group.items.map((item) => renderItem(group, item));
    return c.json({ kind: 'youtube#groupItemListResponse', etag: etagOf(items), items });
  });

  routes.post('/v2/groupItems', needs('groupChanges'), async (c) => {
    refuseContentOwner(readQuery(c, writeQuery));
    const resource = z.strictObject({ kind: itemType, id: z.string() });
    const body = await readBody(c, z.strictObject({ groupId: z.string(), resource }));
    const { kind, id: resourceId } = body.resource;
    const viewer = ownChannel(c);
    const group = ownGroup(body.groupId, viewer);
    if (kind !== group.itemType)
      throw new VideoRefusal(400, 'invalid', `The group holds items of the type ${group.itemType} only.`);
    if (group.items.some((item) => item.resourceId === resourceId)) return c.body(null, 204);
    if (group.items.length >= MAX_ITEMS)
      throw new VideoRefusal(403, 'groupContainsMaximumNumberOfItems', 'The group is full.');
    requireResource(library, kind, { id: resourceId, viewer });
    const item = { id: library.newId('', 22), kind, resourceId };
    group.items.push(item);
    return c.json(renderItem(group, item));
  });

  routes.delete('/v2/groupItems', needs('groupChanges'), (c) => {
    const query = readQuery(c, idQuery);
    refuseContentOwner(query);
    const own = ownChannel(c);
    const group = [...library.groups.values()].find(
      ({ channelId, items }) => channelId === own.id && items.some(({ id }) => id === query.id),
    );
    if (group === undefined) throw notFound('groupItem', 'id');
    group.items = group.items.filter(({ id }) => id !== query.id);
    return c.body(null, 204);
  });
  return routes;
}

/** No account here belongs to a content partner. @throws VideoRefusal forbidden */
export function refuseContentOwner(query: { onBehalfOfContentOwner?: string | undefined }): void {
  if (query.onBehalfOfContentOwner !== undefined)
    throw new VideoRefusal(403, 'forbidden', 'The account may not act for this content owner.');
}

/** @throws VideoRefusal 404, 403 */
function requireResource(
  library: Library,
  kind: string,
  { id, viewer }: { id: string; viewer: Viewer },
): void {
  if (kind === 'youtube#video') library.video(id, viewer, 'resource.id');
  else if (kind === 'youtube#channel') library.channel(id, 'resource.id');
  else if (kind === 'youtube#playlist') library.playlist(id, viewer, 'resource.id');
  else throw new VideoRefusal(403, 'forbidden', 'Assets are for content owners.');
}

function renderGroup({ id, title, itemType, publishedAt, items }: Group) {
  const content = {
    snippet: { publishedAt: timestamp(publishedAt), title },
    contentDetails: { itemCount: String(items.length), itemType },
  };
  return { kind: 'youtube#group', etag: etagOf([id, content]), id, ...content };
}

function renderItem(group: Group, { id, kind, resourceId }: Group['items'][number]) {
  const content = { groupId: group.id, resource: { kind, id: resourceId } };
  return { kind: 'youtube#groupItem', etag: etagOf([id, content]), id, ...content };
}

/** Ids of the videos in a group. */
export function videosOfGroup(library: Library, group: Group): string[] {
  return group.items.flatMap(({ kind, resourceId }) => {
    if (kind === 'youtube#video') return [resourceId];
    const id = kind === 'youtube#channel' ? uploadsOf(resourceId) : resourceId;
    const viewer = library.channels.get(group.channelId);
    return library.playlist(id, viewer, 'groupId').items.map(({ videoId }) => videoId);
  });
}
