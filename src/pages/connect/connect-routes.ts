/**
 * `/connect/<token>`: shows the form and accepts it, or shows the link to the provider. All rules are in
 * Links; here are only their browser side (cookie, origin, headers) and messages.
 *
 * Looking at a link never uses it up: HEAD and prefetch do not even reach it.
 */
import { Hono } from 'hono';
import { InvalidForm } from '../../links/link-rules.ts';
import type { LinkEnds } from '../../links/link-ends.ts';
import type { LinkPage, Links } from '../../links/links.ts';
import type { OAuthFlows } from '../../links/consent/oauth-flows.ts';
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';
import { rememberSubject } from '../frame/sign-in-subject.ts';
import { DONE_PATH, sendOnwards } from './after-connecting.ts';
import { formText, isForm, isSameOrigin, isUnderOtherName, linkUrl } from '../frame/browser-request.ts';
import { connectPage, DECLINE, otherPersonPage, SIGN_IN } from './connect-page.ts';
import type { RejectedForm } from './credential-form.ts';
import { PageFailure } from '../../core/page-failure.ts';
import { AGAIN_PATH, rememberedLink, rememberFlow, signInFirst } from './started-flow.ts';
import { messagePage } from '../frame/message-pages.ts';
import { isOwnLink } from '../frame/own-link.ts';
import { hasMasked } from './credential-form.ts';
import { donePage, nothingLeftPage } from './done-page.ts';
import { SHOW_SCRIPT } from './shown-secrets.ts';
import { browserCookie, doneCookie, ownLinkCookie, untriedCookie } from '../frame/own-cookie.ts';
import {
  onlyVisits,
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';

/** Far above any credential; a service account file has 3 kB. */
const MAX_FORM_BYTES = 64 * 1024;

/** Dependencies of these routes. */
export interface ConnectDependencies {
  links: Pick<Links, 'open' | 'submit'>;
  linkEnds: Pick<LinkEnds, 'decline' | 'connected'>;
  consents: Pick<OAuthFlows, 'start'>;
  clock: Clock;
  /** The user who is signed in in this browser. */
  signedIn: (c: PageContext) => Promise<{ id: string; email: string } | undefined>;
}

/** `GET /connect/done`, `GET /connect/:token` and `POST /connect/:token`. Throws PageFailure to the caller's error page. */
export function connectRoutes(deps: ConnectDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get(DONE_PATH, async (c) => {
    const mark = doneCookie.read(c);
    if (mark === undefined) return sendPage(c, nothingLeftPage(viewOf(c)));
    const account = await deps.linkEnds.connected(c.get('environment').id, mark, browserCookie.read(c));
    const isUntried = untriedCookie.read(c) !== undefined;
    const hasOwnLink = ownLinkCookie.read(c) !== undefined;
    return sendPage(c, donePage(viewOf(c), account, { isUntried, hasOwnLink }));
  });

  routes.get(AGAIN_PATH, (c) => {
    const link = rememberedLink(c);
    if (link === undefined) throw new PageFailure('callback', 'expired');
    return sendRedirect(c, link);
  });

  routes.get('/connect/:token', onlyVisits, async (c) => {
    return showPage(deps, c, c.req.param('token'));
  });

  routes.post('/connect/:token', async (c) => {
    const environment = c.get('environment');
    if (!isSameOrigin(c.req.header('origin'), environment.baseUrl)) return refuseForeignForm(c);
    if (!isForm(c.req.header('content-type'))) return refuseOtherContent(c);
    const text = await formText(c, MAX_FORM_BYTES);
    if (text === undefined) return refuseLargeForm(c);
    const token = c.req.param('token');
    const given = new URLSearchParams(text);
    if (c.req.query(DECLINE) !== undefined) {
      await deps.linkEnds.decline(
        environment.id,
        token,
        browserCookie.read(c),
        given.get('csrf') ?? undefined,
      );
      // The page of a link that was declined says so, also when it is loaded again.
      return sendRedirect(c, `/connect/${encodeURIComponent(token)}`);
    }
    if (c.req.query(SIGN_IN) !== undefined) {
      const { page, browser } = await deps.links.open(environment.id, token, browserCookie.read(c));
      browserCookie.write(c, browser);
      const again = rememberFlow(c, token, newSecret());
      rememberSubject(c, again, { app: page.connectorTitle });
      const person = await deps.signedIn(c);
      return sendRedirect(c, signInFirst(again, person !== undefined));
    }
    const entered = Object.fromEntries(given);
    if (Object.keys(entered).length < given.size) {
      const description = viewOf(c).words.connect.repeated;
      const repeated = { field: '', description, constraint: 'repeated' };
      return showPage(deps, c, token, { violations: [repeated], entered });
    }
    try {
      const browser = browserCookie.read(c);
      const submitted = await deps.links.submit(environment.id, token, browser, entered);
      if (submitted !== null) return sendOnwards(c, submitted, 303);
      const { redirectTo, state } = await deps.consents.start(environment.id, token, browser ?? '', entered);
      rememberFlow(c, token, state);
      return sendRedirect(c, redirectTo);
    } catch (error) {
      if (!(error instanceof InvalidForm)) throw error;
      return showPage(deps, c, token, { violations: error.violations, entered });
    }
  });
  return routes;
}

async function showPage(
  deps: ConnectDependencies,
  c: PageContext,
  token: string,
  rejected?: RejectedForm,
): Promise<Response> {
  const { id, baseUrl } = c.get('environment');
  const { page, browser } = await deps.links.open(id, token, browserCookie.read(c));
  const { origin } = new URL(baseUrl);
  // The flow ends at the public address, where the browser needs the cookie of this page.
  const returns = page.consent !== null || page.submitOrigin === origin;
  if (returns && isUnderOtherName(c)) return sendRedirect(c, linkUrl(c, token));
  browserCookie.write(c, browser);
  const asksPerson = rejected === undefined && page.confirmedBy !== null;
  const person = asksPerson ? await deps.signedIn(c) : undefined;
  if (person !== undefined && person.id !== page.confirmedBy)
    return sendPage(c, otherPersonPage(viewOf(c), page, person.email), {
      status: 403,
      form: { leadsTo: [] },
    });
  const options = {
    host: new URL(baseUrl).host,
    now: deps.clock.now(),
    goPath: `/connect/${encodeURIComponent(token)}/go`,
    isOwn: isOwnLink(c, token),
    signsInFirst: asksPerson && person === undefined,
    ...(rejected && { rejected }),
  };
  const leadsTo = page.submitOrigin === null ? [] : [page.submitOrigin, origin];
  return sendPage(c, connectPage(viewOf(c), page, options), {
    status: rejected === undefined ? 200 : 400,
    // Before a consent the post redirects to the provider; the form may ask for its address.
    form: {
      leadsTo: page.consent === null ? leadsTo : consentTargets(page.consent, page.fields, origin),
      ...(hasMasked(page.fields) && { script: SHOW_SCRIPT.source }),
    },
  });
}

/**
 * Targets that the form may lead to. A form that declines leads nowhere else; one that asks for the provider's
 * address leads to the provider.
 */
function consentTargets(
  { providerOrigin }: NonNullable<LinkPage['consent']>,
  fields: LinkPage['fields'],
  origin: string,
): string[] {
  return fields.length === 0 ? [] : [providerOrigin ?? origin];
}

function refuseLargeForm(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  const { what, ...words } = view.words.connect.tooLarge;
  return sendPage(c, messagePage(view, { ...words, what: what(MAX_FORM_BYTES / 1024) }), { status: 413 });
}

function refuseForeignForm(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  return sendPage(c, messagePage(view, view.words.connect.foreignForm), { status: 403 });
}

function refuseOtherContent(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  return sendPage(c, messagePage(view, view.words.connect.notAForm), { status: 415 });
}
