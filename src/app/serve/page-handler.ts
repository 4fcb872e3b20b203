/** The pages over an installation's services: Hono gets the environment that the listener has chosen. */
import { Hono } from 'hono';
import type { Log } from '../../core/log.ts';
import { honoHandler, type HttpBindings } from '../../http/listener/hono-handler.ts';
import type { NodeHandler } from '../../http/listener/request-context.ts';
import type { Sessions } from '../../people/sessions.ts';
import { rows } from '../../store/engine/rows.ts';
import { sessionCookie } from '../../pages/frame/own-cookie.ts';
import type { PageVariables } from '../../pages/frame/page-response.ts';
import { pageRoutes } from '../../pages/connect/routes.ts';
import type { Services } from '../services/services.ts';

/**
 * @param findSession the session of a cookie, of the part that is built with the first page of people
 * @param labelOf label of a path in logs and metrics; `undefined` for a path that may appear unchanged
 */
export function pageHandler(
  { db, links, linkEnds, consents, clock, log, settings }: Services,
  findSession: Sessions['findByCookie'],
  labelOf: (path: string) => string | undefined,
): NodeHandler {
  return servePages(
    pageRoutes({
      links,
      linkEnds,
      consents,
      clock,
      log,
      hasReference: settings.servesDocs,
      signedIn: async (c) => {
        const { id } = c.get('environment');
        const session = await findSession(id, sessionCookie.read(c) ?? '');
        return session && rows(db.read, 'users').find(id, session.userId);
      },
    }),
    labelOf,
    log,
  );
}

/** Routes of pages as a handler of the listener. */
export function servePages(
  routes: Hono<{ Variables: PageVariables }>,
  labelOf: (path: string) => string | undefined,
  log: Log,
): NodeHandler {
  const app = new Hono<{ Bindings: HttpBindings; Variables: PageVariables }>();
  app.use(async (c, next) => {
    const { context } = c.env;
    c.set('environment', context.environment);
    c.set('visitor', context.visitor);
    context.route = labelOf(c.req.path) ?? c.req.path;
    await next();
    const actor = c.get('actor');
    if (actor !== undefined) context.actor = actor;
  });
  app.route('/', routes);
  return honoHandler((request, bindings) => app.fetch(request, bindings), log);
}
