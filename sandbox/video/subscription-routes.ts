/** Subscriptions, from both sides. */
import { Hono } from 'hono';
import { z } from 'zod';
import { listPage, pageOfFilter, withParts } from './answers.ts';
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
import type { Library } from './library.ts';
import { timestamp, type Subscription } from './model.ts';
import { badBody, forbidden, notFound } from './refusal.ts';
import { thumbnails } from './rendering.ts';

const SUBSCRIPTION_PARTS = ['contentDetails', 'id', 'snippet', 'subscriberSnippet'];
const filters = ['channelId', 'id', 'mine', 'myRecentSubscribers', 'mySubscribers'] as const;

const listQuery = z.strictObject({
  part: commaList,
  channelId: z.string().optional(),
  id: commaList.optional(),
  mine: onlyTrue.optional(),
  myRecentSubscribers: onlyTrue.optional(),
  mySubscribers: onlyTrue.optional(),
  forChannelId: commaList.optional(),
  order: z.enum(['relevance', 'unread', 'alphabetical']).default('relevance'),
  ...page(0, 50, 5),
});

const insertBody = z.strictObject({
  snippet: z.strictObject({
    resourceId: z.strictObject({ kind: z.literal('youtube#channel'), channelId: z.string() }),
  }),
});

/** `/youtube/v3/subscriptions` */
export function subscriptionRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  const path = '/youtube/v3/subscriptions';

  routes.get(path, needs('read', 1), (c) => {
    const query = readQuery(c, listQuery);
    requireParts(query.part, SUBSCRIPTION_PARTS);
    const filter = oneFilter(query, filters);
    const isOwn = filter !== 'channelId' && filter !== 'id';
    const who = isOwn ? ownChannel(c).id : query.channelId;
    if (query.channelId !== undefined) {
      const { id, showsSubscriptions } = library.channel(query.channelId, 'channelId');
      if (!showsSubscriptions && id !== c.get('channel')?.id)
        throw forbidden(
          'subscription',
          'subscriptionForbidden',
          'The channel keeps its subscriptions private.',
        );
    }
    const isMeant = (subscription: Subscription): boolean => {
      if (filter === 'id') return query.id?.includes(subscription.id) ?? false;
      const isFollower = filter === 'mine' || filter === 'channelId';
      return (isFollower ? subscription.subscriberId : subscription.channelId) === who;
    };
    const items = [...library.subscriptions.values()].filter(
      (subscription) =>
        isMeant(subscription) && (query.forChannelId?.includes(subscription.channelId) ?? true),
    );
    const titleOf = ({ channelId }: Subscription) => library.channels.get(channelId)?.title ?? '';
    if (query.order === 'alphabetical')
      items.sort((one, other) => titleOf(one).localeCompare(titleOf(other), 'en'));
    if (filter === 'myRecentSubscribers') items.sort((one, other) => other.publishedAt - one.publishedAt);
    const render = (subscription: Subscription) => renderSubscription(library, subscription, query.part);
    const list = { kind: 'SubscriptionListResponse', items, render };
    return c.json(listPage(list, pageOfFilter(filter, query, items.length)));
  });

  routes.post(path, needs('write', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, SUBSCRIPTION_PARTS);
    const { channelId } = (await readBody(c, insertBody)).snippet.resourceId;
    const own = ownChannel(c);
    if (!library.channels.has(channelId)) throw notFound('publisher', 'channelId');
    if (channelId === own.id)
      throw badBody('subscription', 'subscriptionForbidden', 'A channel cannot subscribe to itself.');
    const isThere = [...library.subscriptions.values()].some(
      (subscription) => subscription.subscriberId === own.id && subscription.channelId === channelId,
    );
    if (isThere) throw badBody('subscription', 'subscriptionDuplicate', 'The subscription is there already.');
    const subscription: Subscription = {
      id: library.newId('', 43),
      subscriberId: own.id,
      channelId,
      publishedAt: library.now(),
    };
    library.subscriptions.set(subscription.id, subscription);
    const channel = library.channel(channelId, 'channelId');
    channel.subscribers += 1;
    return c.json(renderSubscription(library, subscription, part));
  });

  routes.delete(path, needs('write', 50), (c) => {
    const { id } = readQuery(c, z.strictObject({ id: z.string() }));
    const own = ownChannel(c);
    const subscription = library.subscriptions.get(id);
    if (subscription === undefined) throw notFound('subscription', 'id');
    if (subscription.subscriberId !== own.id)
      throw forbidden('subscription', 'subscriptionForbidden', "This is somebody else's subscription.");
    library.subscriptions.delete(id);
    library.channel(subscription.channelId, 'channelId').subscribers -= 1;
    return c.body(null, 204);
  });
  return routes;
}

function renderSubscription(library: Library, subscription: Subscription, parts: readonly string[]) {
  const { id, channelId, subscriberId } = subscription;
  const publisher = library.channel(channelId, 'channelId');
  const subscriber = library.channel(subscriberId, 'channelId');
  return withParts({ kind: 'subscription', id }, parts, {
    snippet: () => ({
      publishedAt: timestamp(subscription.publishedAt),
      title: publisher.title,
      description: publisher.description,
      resourceId: { kind: 'youtube#channel', channelId },
      channelId: subscriberId,
      thumbnails: thumbnails(channelId),
    }),
    contentDetails: () => ({
      totalItemCount: library.videosOf(channelId, undefined).length,
      newItemCount: 0,
      activityType: 'all',
    }),
    subscriberSnippet: () => ({
      title: subscriber.title,
      description: subscriber.description,
      channelId: subscriberId,
      thumbnails: thumbnails(subscriberId),
    }),
  });
}
