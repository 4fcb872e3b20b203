/**
 * YouTube replaces every part that an update names and deletes what it leaves out, so an update starts from
 * the parts that exist. Reading and writing are two requests: a change made in between is lost.
 *
 * @see https://developers.google.com/youtube/v3/docs/videos/update
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import { valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import { get, type ProviderHttp } from '../provider-call.ts';

/** The noun for one item, by its collection. */
const NOUNS = {
  channels: 'channel',
  playlistItems: 'playlist item',
  playlists: 'playlist',
  videos: 'video',
} as const;

/** The kind of item to change. */
export interface ItemTarget {
  /** As in the path: `videos`. */
  collection: keyof typeof NOUNS;
  id: string;
  parts: readonly string[];
}

/**
 * The item with the given parts.
 *
 * @throws ServiceError RESOURCE_NOT_FOUND if YouTube shows no such item; nothing may be written then
 */
export async function readItem(http: ProviderHttp, { collection, id, parts }: ItemTarget): Promise<unknown> {
  const item = await findItem(http, { collection, id, parts });
  if (item !== undefined) return item;
  const noun = NOUNS[collection];
  throw new ServiceError(
    'RESOURCE_NOT_FOUND',
    `YouTube shows this account no ${noun} with this id, so nothing was changed. Check ${noun.replace(' ', '_')}_id.`,
  );
}

/** The same; `undefined` if YouTube shows no such item. */
export async function findItem(http: ProviderHttp, { collection, id, parts }: ItemTarget): Promise<unknown> {
  const path = `/youtube/v3/${collection}`;
  const query: [string, string][] = [
    ['part', parts.join(',')],
    ['id', id],
  ];
  const items = valueAt(await http.send(get(path, query)), 'items');
  return Array.isArray(items) ? items.find((item) => textAt(item, 'id') === id) : undefined;
}

/** Replaces the named parts of an item. */
export async function writeItem(
  http: ProviderHttp,
  { collection, id, parts }: ItemTarget,
  content: JsonObject,
): Promise<unknown> {
  return http.send({
    method: 'PUT',
    host: 0,
    path: `/youtube/v3/${collection}`,
    query: [['part', parts.join(',')]],
    headers: {},
    body: { id, ...content },
  });
}

/** The members of a part that an update may set, with their current values; the others are YouTube's own. */
export function settableMembers(item: unknown, part: string, names: readonly string[]): JsonObject {
  const members = names.map((name) => [name, valueAt(item, part, name)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== null));
}
