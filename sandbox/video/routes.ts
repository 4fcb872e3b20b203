/**
 * The stand-in YouTube: every operation of the three real APIs used by the video tools, answered from stored
 * state.
 */
import { Hono, type Context } from 'hono';
import type { Grant } from '../oauth/grants.ts';
import { broadcastRoutes } from './broadcast-routes.ts';
import { captionRoutes } from './caption-routes.ts';
import { channelRoutes } from './channel-routes.ts';
import { commentRoutes } from './comment-routes.ts';
import type { VideoEnv } from './exchange.ts';
import { groupRoutes } from './group-routes.ts';
import type { Library } from './library.ts';
import { playlistItemRoutes } from './playlist-item-routes.ts';
import { playlistRoutes } from './playlist-routes.ts';
import type { Quota } from './quota.ts';
import { VideoRefusal } from './refusal.ts';
import { reportRoutes } from './report-routes.ts';
import { reportingRoutes } from './reporting-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';
import { videoRoutes } from './video-routes.ts';

/** Paths of the three hosts, which share no path. */
const PATHS = ['/youtube/v3/*', '/v2/groups', '/v2/groupItems', '/v2/reports', '/v1/*'];

/** Dependencies of the routes. */
export interface VideoRoutesOptions {
  library: Library;
  quota: Quota;
  /** Person and scopes of the bearer token in an `Authorization` header, if the token is currently valid. */
  grantOf: (authorization: string | undefined) => Pick<Grant, 'memberId' | 'scopes'> | undefined;
}

/** Routes that accept only tokens known to `grantOf`. */
export function youtubeRoutes({ library, quota, grantOf }: VideoRoutesOptions): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  routes.onError((error, c) => renderRefusal(c, error));
  for (const path of PATHS)
    routes.use(path, async (c, next) => {
      const grant = grantOf(c.req.header('authorization'));
      const member = library.members.find(({ id }) => id === grant?.memberId);
      if (grant === undefined || member === undefined)
        throw new VideoRefusal(
          401,
          'authError',
          'The access token is missing, unknown, expired or revoked.',
          {
            location: 'Authorization',
            locationType: 'header',
          },
        );
      c.set('scopes', grant.scopes);
      c.set('member', member);
      c.set('channel', library.channels.get(member.channelId ?? ''));
      c.set('quota', quota);
      await next();
    });
  for (const part of [
    channelRoutes,
    captionRoutes,
    broadcastRoutes,
    searchRoutes,
    videoRoutes,
    commentRoutes,
    playlistRoutes,
    playlistItemRoutes,
    subscriptionRoutes,
    groupRoutes,
    reportRoutes,
    reportingRoutes,
  ])
    routes.route('/', part(library));
  for (const path of PATHS)
    routes.all(path, (c) => {
      throw new VideoRefusal(404, 'notFound', `There is no operation ${c.req.method} ${c.req.path}.`);
    });
  return routes;
}

function renderRefusal(c: Context, error: unknown): Response {
  const isNewForm = !c.req.path.startsWith('/youtube/');
  if (error instanceof VideoRefusal) return c.json(error.body(isNewForm), error.status);
  const message = 'The sandbox failed. This is a defect.';
  return c.json(
    { error: { code: 500, message, errors: [{ message, domain: 'global', reason: 'backendError' }] } },
    500,
  );
}
