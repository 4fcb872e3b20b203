/** All pages that users see in a browser, and the pages of failures. */
import { Hono } from 'hono';
import { ServiceError } from '../../core/errors.ts';
import { isPageFailure, type PageFailure } from '../../core/page-failure.ts';
import type { Log } from '../../core/log.ts';
import { callbackFailurePage, OPERATOR_KINDS } from './callback-pages.ts';
import { connectRoutes, type ConnectDependencies } from './connect-routes.ts';
import { landingPage, linkFailurePage, messagePage } from '../frame/message-pages.ts';
import { CONNECTED, earlierOutcome, rememberOutcome, wayBack } from './started-flow.ts';
import { DONE_PATH } from './after-connecting.ts';
import { ICON } from '../frame/layout.ts';
import { isOwnLink } from '../frame/own-link.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { oauthRoutes, type OAuthDependencies } from './oauth-routes.ts';
import {
  logoResponse,
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';

/** Dependencies of the pages. */
export interface PageDependencies extends Omit<ConnectDependencies, 'consents'>, OAuthDependencies {
  log: Log;
  /** Whether `/docs` shows the REST API. */
  hasReference: boolean;
}

/**
 * Routes of all pages. The listener sets the variable `environment` before them, from the Host it has checked.
 *
 * Errors are never sent as JSON or text: each becomes a page in plain language, and an unexpected one is logged.
 */
export function pageRoutes(deps: PageDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();
  routes.get('/', (c) =>
    sendPage(c, landingPage(viewOf(c), c.get('environment').baseUrl, deps.hasReference)),
  );
  routes.get('/brand/:file', (c, next) => logoResponse(c) ?? next());
  routes.get('/favicon.ico', (c) => sendFile(c, 'image/svg+xml', ICON));
  routes.get('/robots.txt', (c) => sendFile(c, 'text/plain; charset=UTF-8', ROBOTS));
  routes.route('/', connectRoutes(deps));
  routes.route('/', oauthRoutes(deps));
  routes.all('*', (c) => {
    const view = viewOf(c);
    const { lost } = view.words.frame;
    return sendPage(c, messagePage(view, { ...lost, next: lost.nextWithoutFront }), { status: 404 });
  });
  routes.onError((error, c) => renderError(c, error, deps.log));
  return routes;
}

/** No page here is for search engines. */
const ROBOTS = 'User-agent: *\nDisallow: /\n';

/** A file that every browser or crawler asks for by itself. */
function sendFile(c: PageContext, type: string, text: string): Response {
  return c.body(text, 200, {
    'content-type': type,
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=86400',
  });
}

/** The page for any error; errors that are not the user's mistake are logged. */
export function renderError(c: PageContext, error: unknown, log: Log): Response | Promise<Response> {
  const view = viewOf(c);
  if (isPageFailure(error, 'link')) {
    const { status, page } = linkFailurePage(view, error.kind, isOwnLink(c, c.req.param('token') ?? ''));
    return sendPage(c, page, { status });
  }
  if (isPageFailure(error, 'callback')) {
    const earlier = earlierOutcome(c, error);
    if (earlier === CONNECTED) return sendRedirect(c, DONE_PATH);
    if (earlier === undefined && error.kind !== 'state') rememberOutcome(c, error.kind);
    if (OPERATOR_KINDS.has(error.kind)) logCallback(c, error, log);
    const { status, page } = callbackFailurePage(view, earlier ?? error, wayBack(c));
    return sendPage(c, page, { status });
  }
  if (error instanceof ServiceError && error.code === 'INVALID_ARGUMENT') {
    return sendPage(c, connectionPage(view, error), { status: 503 });
  }
  if (error instanceof ServiceError && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED')) {
    if (error.code === 'UNAVAILABLE')
      log.warn('page_unavailable', { environment_id: c.get('environment').id, err: error });
    c.header('retry-after', String(error.retryAfterSeconds ?? 1));
    const status = error.code === 'UNAVAILABLE' ? 503 : 429;
    return sendPage(c, messagePage(view, view.words.frame.busy), { status });
  }
  log.error('page_failed', { environment_id: c.get('environment').id, err: error });
  return sendPage(c, messagePage(view, view.words.frame.fault), { status: 500 });
}

/** Logs a failed callback. For these kinds the connection in the path is the one that the flow was started for. */
function logCallback(c: PageContext, { kind, cause }: PageFailure<'callback'>, log: Log): void {
  log.warn('callback_failed', {
    environment_id: c.get('environment').id,
    error_code: kind,
    ...(kind !== 'connection' && { connection_id: c.req.param('connectionId') ?? '' }),
    ...(cause !== undefined && { err: cause }),
  });
}

/** Users enter nothing on pages that the rules could refuse this way: the connection itself is misconfigured. */
function connectionPage(view: View, error: ServiceError): Html {
  const { violations } = error;
  const { changedApp, unsetApp } = view.words.frame;
  const what = violations.map(({ description }) => description).join(' ') || error.message;
  const isChanged = violations.some(({ constraint }) => constraint === 'changed');
  return messagePage(view, { ...(isChanged ? changedApp : unsetApp), what });
}
