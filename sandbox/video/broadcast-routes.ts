/** Live broadcasts of a channel. */
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
  readQuery,
  requireParts,
  type VideoEnv,
} from './exchange.ts';
import type { Library } from './library.ts';
import { timestamp, type Broadcast } from './model.ts';

const STATES = {
  all: ['created', 'ready', 'live', 'complete'],
  active: ['live'],
  upcoming: ['created', 'ready'],
  completed: ['complete'],
} as const satisfies Record<string, readonly Broadcast['state'][]>;

const listQuery = z.strictObject({
  part: commaList,
  id: commaList.optional(),
  broadcastStatus: z.enum(['all', 'active', 'upcoming', 'completed']).optional(),
  mine: onlyTrue.optional(),
  ...page(0, 50, 5),
});

/** `/youtube/v3/liveBroadcasts` */
export function broadcastRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  routes.get('/youtube/v3/liveBroadcasts', needs('read', 1), (c) => {
    const query = readQuery(c, listQuery);
    requireParts(query.part, ['contentDetails', 'id', 'snippet', 'status']);
    const filter = oneFilter(query, ['id', 'broadcastStatus', 'mine']);
    const own = ownChannel(c);
    const states: readonly string[] = STATES[query.broadcastStatus ?? 'all'];
    const items = library.broadcasts.filter(
      ({ id, channelId, state }) =>
        channelId === own.id && states.includes(state) && (query.id?.includes(id) ?? true),
    );
    const render = (broadcast: Broadcast) => renderBroadcast(broadcast, query.part);
    const list = { kind: 'liveBroadcastListResponse', items, render };
    return c.json(listPage(list, pageOfFilter(filter, query, items.length)));
  });
  return routes;
}

function renderBroadcast(broadcast: Broadcast, parts: readonly string[]) {
  const { id, channelId, title, state, privacyStatus, startsAt, endsAt } = broadcast;
  return withParts({ kind: 'liveBroadcast', id }, parts, {
    snippet: () => ({
      publishedAt: timestamp(broadcast.publishedAt),
      channelId,
      title,
      description: '',
      scheduledStartTime: timestamp(startsAt),
      ...(endsAt !== undefined && {
        actualStartTime: timestamp(startsAt),
        actualEndTime: timestamp(endsAt),
      }),
      isDefaultBroadcast: false,
    }),
    status: () => ({ lifeCycleStatus: state, privacyStatus, recordingStatus: 'notRecording' }),
    contentDetails: () => ({
      ...(broadcast.streamId !== undefined && { boundStreamId: broadcast.streamId }),
      enableDvr: true,
      enableEmbed: true,
      projection: 'rectangular',
    }),
  });
}
