/** All pages that people see in a browser, and what they see when a page fails. */
import { Hono } from 'hono';
import { LinkProblem } from '../auth/link-problem.ts';
import { ServiceError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { connectRoutes, type ConnectDependencies } from './connect-routes.ts';
import { dashboardPage, landingPage, linkProblemPage, messagePage } from './message-pages.ts';
import { sendPage, type PageContext, type PageVariables } from './page-response.ts';

/** What the pages need. */
export interface PageDependencies extends ConnectDependencies {
  log: Log;
}

const NO_PAGE = messagePage({
  title: 'There is no page here',
  what: 'The address may have been cut off when it was copied.',
  next: 'If you were given a link, open the whole link.',
});

/**
 * Routes of all pages. The listener sets the variable `environment` before them, from the Host it has checked.
 *
 * Errors never leave as JSON or text: each becomes a page in plain words, and an unexpected one is logged.
 */
export function pageRoutes(deps: PageDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();
  routes.get('/', (c) => sendPage(c, landingPage(c.get('environment').baseUrl)));
  routes.get('/dashboard', (c) => sendPage(c, dashboardPage()));
  routes.route('/', connectRoutes(deps));
  routes.all('*', (c) => sendPage(c, NO_PAGE, { status: 404 }));
  routes.onError((error, c) => renderError(c, error, deps.log));
  return routes;
}

function renderError(c: PageContext, error: unknown, log: Log): Response | Promise<Response> {
  if (error instanceof LinkProblem) {
    const { status, page } = linkProblemPage(error.kind);
    return sendPage(c, page, { status });
  }
  if (error instanceof ServiceError && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED')) {
    c.header('retry-after', String(error.retryAfterSeconds ?? 1));
    return sendPage(
      c,
      messagePage({
        title: 'Not possible at this moment',
        what: 'Gatehouse is busy or cannot reach its database. Nothing was stored.',
        next: 'Wait a few seconds, then try again.',
      }),
      { status: error.code === 'UNAVAILABLE' ? 503 : 429 },
    );
  }
  log.error('page_failed', { environment_id: c.get('environment').id, err: error });
  return sendPage(
    c,
    messagePage({
      title: 'Something went wrong here',
      what: 'This is a fault of Gatehouse, not of what you entered. It has been logged.',
      next: 'Try again in a moment. If it happens again, tell whoever runs this Gatehouse.',
    }),
    { status: 500 },
  );
}
