/**
 * `/oauth/interaction/<uid>`: a user allows or refuses an app, after signing in if necessary.
 *
 * An answer counts only from the browser that the app sent here, and from a form shown to this browser and
 * this session.
 */
import { Hono } from 'hono';
import type { ConsentingPerson, ConsentPlace } from '../../authorization-server/library/client-consents.ts';
import { rememberSubject } from '../frame/sign-in-subject.ts';
import { ADMIN, ADMINISTER, consentPage, nothingToAllowPage } from './consent-page.ts';
import { messagePage } from '../frame/message-pages.ts';
import {
  onlyVisits,
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { signInAgainPath } from '../sign-in/sign-in-path.ts';
import type { BrowserSession } from '../sign-in/sign-in-session.ts';

/** Dependencies of these pages, in addition to some of those of the people pages. */
export interface ConsentDependencies extends Pick<
  PeopleDependencies,
  'consents' | 'forms' | 'connectedApps' | 'serverTools'
> {
  people: Pick<PeopleDependencies['people'], 'isFresh'>;
  signIn: Pick<BrowserSession, 'requireSignedIn'>;
}

/** Throws PageFailure to the caller's error page. */
export function consentRoutes({
  consents,
  forms,
  signIn,
  people,
  connectedApps,
  serverTools,
}: ConsentDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/oauth/interaction/:uid', onlyVisits, async (c) => {
    const place = placeOf(c, c.req.param('uid'));
    const asking = await consents.asking(place, c.get('visitor').ip);
    if (asking === undefined) return notWaiting(c);
    const { clientName, clientHost } = asking;
    const app = clientName === undefined ? { host: clientHost } : { app: clientName };
    const person = await signIn.requireSignedIn(c, pathOf(place.uid), app);
    if (person instanceof Response) return person;
    const who = consenting(person);
    const question = await consents.question(place, who, c.get('visitor').ip);
    if (question === undefined) return notWaiting(c);
    if (question.isAllowedBefore)
      return goOn(c, await consents.allow(place, who, c.get('visitor'), question.scopes));
    if (question.scopes.includes(ADMIN) && !people.isFresh(person)) {
      rememberSubject(c, pathOf(place.uid), app);
      return sendRedirect(c, signInAgainPath(pathOf(place.uid)));
    }
    const { csrf } = forms.open(c);
    const action = pathOf(place.uid);
    const values = { csrf, session: who.sessionId, scopes: question.scopes.join(' ') };
    const page =
      question.scopes.length === 0
        ? nothingToAllowPage(viewOf(c), { action, values })
        : consentPage(viewOf(c), {
            question,
            email: person.email,
            organizationName: organizationOf(person),
            canSwitch: person.organizations.length > 1,
            serverTools:
              question.serverName === undefined
                ? 0
                : await serverTools(place.environmentId, question.serverName),
            apps: await connectedApps(place.environmentId, person.userId),
            host: new URL(c.get('environment').baseUrl).host,
            action,
            values,
          });
    return sendPage(c, page, { form: { leadsTo: [originOf(question.redirectUri)] } });
  });

  routes.post('/oauth/interaction/:uid', async (c) => {
    const { fields } = await forms.read(c);
    const place = placeOf(c, c.req.param('uid'));
    const person = await signIn.requireSignedIn(c, pathOf(place.uid));
    if (person instanceof Response) return person;
    const who = consenting(person);
    // Another user has signed in in this browser since the page was shown: ask them.
    if (fields['session'] !== who.sessionId) return sendRedirect(c, pathOf(place.uid));
    if (fields['answer'] !== 'allow') return goOn(c, await consents.deny(place, who, c.get('visitor')));
    const scopes = (fields['scopes'] ?? '').split(' ');
    // Browsers do not send the form without the tick, and the page may be old by now: ask again.
    const isAsked = fields[ADMINISTER] === 'yes' && people.isFresh(person);
    if (scopes.includes(ADMIN) && !isAsked) return sendRedirect(c, pathOf(place.uid));
    return goOn(c, await consents.allow(place, who, c.get('visitor'), scopes));
  });
  return routes;
}

/** The user, in the form that the rules of consent expect. */
function consenting({
  userId,
  session,
}: {
  userId: string;
  session: { id: string; organizationId: string };
}): ConsentingPerson {
  return { userId, sessionId: session.id, organizationId: session.organizationId };
}

/** Name of the organization of the session; '' without one. */
function organizationOf({ session, organizations }: SignedInPerson): string {
  return organizations.find(({ id }) => id === session.organizationId)?.name ?? '';
}

function placeOf(c: PageContext, uid: string): ConsentPlace & { uid: string } {
  return { environmentId: c.get('environment').id, uid, cookie: c.req.header('cookie') };
}

function pathOf(uid: string): string {
  return `/oauth/interaction/${encodeURIComponent(uid)}`;
}

/** The redirect target as a source expression. Custom schemes of apps have no host. */
function originOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === 'null' ? `${protocol}//` : origin;
}

function goOn(c: PageContext, target: string | undefined): Response | Promise<Response> {
  return target === undefined ? notWaiting(c) : sendRedirect(c, target);
}

function notWaiting(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  return sendPage(c, messagePage(view, view.words.consent.notWaiting), { status: 404 });
}
