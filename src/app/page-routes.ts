/** The pages as a route of the listener: hono finds the environment that the listener has decided on. */
import { Hono } from 'hono';
import { honoHandler, type HttpBindings } from '../http/hono-handler.ts';
import type { NodeRoute } from '../http/request-context.ts';
import type { PageVariables } from '../pages/page-response.ts';
import { pageRoutes } from '../pages/routes.ts';
import type { Installation } from './installation.ts';

/** @param matches which paths are pages in this process */
export function pagesRoute(
  { links, clock, log }: Pick<Installation, 'links' | 'clock' | 'log'>,
  matches: (path: string) => boolean,
): NodeRoute {
  const app = new Hono<{ Bindings: HttpBindings; Variables: PageVariables }>();
  app.use(async (c, next) => {
    const { context } = c.env;
    c.set('environment', context.environment);
    await next();
    context.route = c.req.path.startsWith('/connect/') ? '/connect/:token' : c.req.path;
  });
  app.route('/', pageRoutes({ links, clock, log }));
  return {
    name: 'pages',
    matches,
    handle: honoHandler((request, bindings) => app.fetch(request, bindings), log),
  };
}
