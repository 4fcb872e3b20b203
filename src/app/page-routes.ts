/** The pages as a route of the listener: hono finds the environment that the listener has decided on. */
import { Hono } from 'hono';
import { honoHandler, type HttpBindings } from '../http/hono-handler.ts';
import type { NodeRoute } from '../http/request-context.ts';
import type { PageVariables } from '../pages/page-response.ts';
import { pageRoutes } from '../pages/routes.ts';
import type { Installation } from './installation.ts';

/** Label of the page on which a way that went well ends. */
export const DONE_ROUTE = '/connect/done';

/** Addresses of links and callbacks, and what logs and metrics call them: never with the token or the query in it. */
const CONNECT_ROUTES: readonly (readonly [pattern: RegExp, label: string])[] = [
  [/^\/connect\/done$/, DONE_ROUTE],
  [/^\/connect\/[^/]+\/go$/, '/connect/:token/go'],
  [/^\/connect\//, '/connect/:token'],
  [/^\/sso\/v1\/oauth\/[^/]+\/callback$/, '/sso/v1/oauth/:id/callback'],
];

/** Whether a path belongs to the way of connecting an account: link, consent, callback. */
export function isConnectPath(path: string): boolean {
  return CONNECT_ROUTES.some(([pattern]) => pattern.test(path));
}

/** @param matches which paths are pages in this process */
export function pagesRoute(
  { links, consents, clock, log }: Pick<Installation, 'links' | 'consents' | 'clock' | 'log'>,
  matches: (path: string) => boolean,
): NodeRoute {
  const app = new Hono<{ Bindings: HttpBindings; Variables: PageVariables }>();
  app.use(async (c, next) => {
    const { context } = c.env;
    c.set('environment', context.environment);
    context.route = CONNECT_ROUTES.find(([pattern]) => pattern.test(c.req.path))?.[1] ?? c.req.path;
    await next();
  });
  app.route('/', pageRoutes({ links, consents, clock, log }));
  return {
    name: 'pages',
    matches,
    handle: honoHandler((request, bindings) => app.fetch(request, bindings), log),
  };
}
