/**
 * Redirects a browser to a provider and handles its return: `/connect/<token>/go` and the callback. All rules are
 * in OAuthFlows; here is only their browser side: cookie, prefetch, headers, and the next destination.
 */
import { Hono } from 'hono';
import { InvalidForm } from '../../links/link-rules.ts';
import type { AwaitedFragment, OAuthFlows } from '../../links/consent/oauth-flows.ts';
import { sendOnwards } from './after-connecting.ts';
import {
  formText,
  isForm,
  isFromOwnPage,
  isSameOrigin,
  isUnderOtherName,
  linkUrl,
  readPageQuery,
} from '../frame/browser-request.ts';
import { FRAGMENT_SCRIPT, fragmentPage } from './fragment-page.ts';
import { CONNECTED, rememberFlow, rememberOutcome } from './started-flow.ts';
import { messagePage } from '../frame/message-pages.ts';
import { browserCookie } from '../frame/own-cookie.ts';
import {
  onlyVisits,
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import { PageFailure } from '../../core/page-failure.ts';

/** Far above the size of a token, or of an error and a sentence. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** Dependencies of these routes. */
export interface OAuthDependencies {
  consents: Pick<OAuthFlows, 'start' | 'finish' | 'awaitedFragment' | 'finishFragment' | 'clientDocument'>;
}

/** Throws PageFailure and ServiceError to the caller's error page. */
export function oauthRoutes({ consents }: OAuthDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/connect/:token/go', onlyVisits, async (c) => {
    const token = c.req.param('token');
    const browser = browserCookie.read(c);
    const isFromPage = isFromOwnPage(c);
    if (browser === undefined && isFromPage === true) return refuseWithoutCookies(c);
    // A browser that comes from elsewhere first sees the page that says who asks.
    if (browser === undefined || isFromPage === false || isUnderOtherName(c)) {
      return sendRedirect(c, linkUrl(c, token));
    }
    try {
      const { redirectTo, state } = await consents.start(c.get('environment').id, token, browser);
      rememberFlow(c, token, state);
      return sendRedirect(c, redirectTo);
    } catch (error) {
      // The form has to ask for the provider's address first.
      if (error instanceof InvalidForm) return sendRedirect(c, linkUrl(c, token));
      throw error;
    }
  });

  routes.get('/sso/v1/oauth/:connectionId/callback', onlyVisits, async (c) => {
    const query = readPageQuery(c);
    if (query === undefined) throw new PageFailure('callback', 'malformed');
    const { id } = c.get('environment');
    const connectionId = c.req.param('connectionId');
    const browser = browserCookie.read(c);
    const awaited = await consents.awaitedFragment(id, connectionId, query, browser);
    if (awaited !== undefined) return showFragmentPage(c, awaited);
    const { redirectTo, done } = await consents.finish(id, connectionId, query, browser);
    if (redirectTo === null) rememberOutcome(c, CONNECTED);
    return sendOnwards(c, { redirectTo, done }, 302);
  });

  // Read by authorization servers, not by people.
  routes.get('/sso/v1/clients/:file', async (c) => {
    const [, connectionId] = /^(.+)\.json$/.exec(c.req.param('file')) ?? [];
    const { id } = c.get('environment');
    const document = connectionId === undefined ? undefined : await consents.clientDocument(id, connectionId);
    return document === undefined ? c.notFound() : c.json(document, 200, { 'cache-control': 'max-age=300' });
  });

  routes.post('/sso/v1/oauth/:connectionId/callback', async (c) => {
    const { id, baseUrl } = c.get('environment');
    const query = readPageQuery(c);
    const isOurs = isSameOrigin(c.req.header('origin'), baseUrl) && isForm(c.req.header('content-type'));
    if (query === undefined || !isOurs) return refuseAnswer();
    const text = await formText(c, MAX_ANSWER_BYTES);
    if (text === undefined) return refuseAnswer();
    const answer = { query, posted: new URLSearchParams(text) };
    const connectionId = c.req.param('connectionId');
    const end = await consents.finishFragment(id, connectionId, answer, browserCookie.read(c));
    return sendOnwards(c, end, 303);
  });
  return routes;
}

function showFragmentPage(
  c: PageContext,
  { connectorTitle, submitOrigin }: AwaitedFragment,
): Response | Promise<Response> {
  const leadsTo = submitOrigin === null ? [] : [submitOrigin, new URL(c.get('environment').baseUrl).origin];
  return sendPage(c, fragmentPage(viewOf(c), connectorTitle), {
    form: { leadsTo, script: FRAGMENT_SCRIPT.source },
  });
}

/** Refuses a post from another site, of another content type, or too long for a form. The flow stays unclaimed. */
function refuseAnswer(): never {
  throw new PageFailure('callback', 'malformed');
}

/**
 * Answers a browser without cookies. A redirect to the page of the link would bring the user back here with every
 * click.
 */
function refuseWithoutCookies(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  return sendPage(c, messagePage(view, view.words.connect.noCookies), { status: 403 });
}
