/** The pages with a user's sessions: browsers, apps, and applications that act for them. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { OwnSession } from '../../people/own-sessions.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout } from '../frame/layout.ts';
import { leaveFlash, takeFlash } from '../frame/flash.ts';
import { menu } from '../frame/menu.ts';
import { exactTime, timeAgo } from '../frame/times.ts';
import { breakable, type Html, type Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';
import { hidden } from '../sign-in/people-fields.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../frame/page-response.ts';

/** Value that ends all sessions except that of the browser in use. */
const ALL_OTHERS = 'others';

interface SessionsPage {
  csrf: string;
  person: SignedInPerson;
  /** All sessions except that of the browser in use, newest first. */
  sessions: readonly OwnSession[];
  /** Whether there are more sessions than are shown. */
  hasMore: boolean;
  /** Sentence about the last change. */
  flash: Text;
  /** Unix milliseconds. */
  now: number;
}

/** The page. All buttons are in one form, and each names the session that it ends. */
function sessionsPage(view: View, page: SessionsPage): Html {
  const { person, sessions, hasMore } = page;
  const { frame, people } = view.words;
  const words = people.sessions;
  const of = (...kinds: readonly string[]): readonly OwnSession[] =>
    sessions.filter(({ kind }) => kinds.includes(kind));
  return layout(view, {
    title: words.title,
    menu: menu(view, { csrf: page.csrf, current: 'sessions' }),
    content: html`
      <h1>${words.title}</h1>
      ${page.flash}
      <p class="lead">${words.lead}</p>
      <form method="post" action="/sessions">
        ${hidden({ csrf: page.csrf })}
        <h2>${words.browsers}</h2>
        <ul class="sessions">
          ${thisBrowser(view, page)} ${of('browser').map((session) => item(view, session, page))}
        </ul>
        ${group(view, words.apps, of('client'), page)}
        ${group(view, words.applications, of('api', 'mcp_server'), page)}
        ${hasMore ? html`<p>${words.older}</p>` : ''}
      </form>
      ${
        sessions.length === 0
          ? html`<p>${words.nowhereElse}</p>`
          : html`<a class="button quiet danger" href="/sessions/end-others">${words.endOthers}</a>`
      }
    `,
    footer: frame.signedInAs(person.email),
  });
}

/** The question before all other sessions end, which cannot be undone. */
function endOthersPage(view: View, page: Omit<SessionsPage, 'flash' | 'now'>): Html {
  const { people, frame } = view.words;
  const words = people.sessions;
  return layout(view, {
    title: words.endOthersTitle,
    menu: menu(view, { csrf: page.csrf, current: 'sessions' }),
    content: html`
      <h1>${words.endOthersTitle}</h1>
      <p>${page.hasMore ? words.endMany(page.sessions.length) : words.endSome(page.sessions.length)}</p>
      <p class="lead">${words.endOthersLead}</p>
      <form method="post" action="/sessions">
        ${hidden({ csrf: page.csrf })}
        <button class="danger quiet" type="submit" name="session_id" value="${ALL_OTHERS}">
          ${words.endOthers}
        </button>
      </form>
      <p><a href="/sessions">${frame.cancel}</a></p>
    `,
    footer: frame.signedInAs(page.person.email),
  });
}

function group(view: View, title: string, sessions: readonly OwnSession[], page: SessionsPage): Text {
  if (sessions.length === 0) return '';
  return html`<h2>${title}</h2>
    <ul class="sessions">
      ${sessions.map((session) => item(view, session, page))}
    </ul>`;
}

function thisBrowser(view: View, { person: { session, organizations }, now }: SessionsPage): Html {
  const { words } = view;
  const { since, thisBrowser: name } = words.people.sessions;
  const device = deviceName(view, session.device);
  return html`<li aria-current="true">
    <span
      ><strong>${name}</strong>${device === '' ? '' : html`<small>${device}</small>`}${within(
        words,
        session.organizationId,
        organizations,
      )}<small>${since(timeAgo(view, session.createdAt, now))}</small></span
    >
    <button class="quiet" type="submit" formaction="/sign-out">${words.frame.signOut}</button>
  </li>`;
}

/**
 * One session. Its last use comes first, because it distinguishes sessions of the same name. Apps often have
 * several sessions of one name, so the exact time of their start is shown.
 */
function item(view: View, session: OwnSession, { person: { organizations }, now }: SessionsPage): Html {
  const all = view.words;
  const words = all.people.sessions;
  const { id, kind, holder, resource, createdAt, lastUsedAt } = session;
  const isBrowser = kind === 'browser';
  const name = isBrowser ? deviceName(view, session.device) || words.anotherBrowser : holder;
  const lastUse = isBrowser ? words.lastUsed : words.lastRenewed;
  const began = isBrowser ? timeAgo(view, createdAt, now) : exactTime(view, createdAt);
  return html`<li>
    <span id="${id}"
      ><strong><bdi>${breakable(name)}</bdi></strong
      >${
        lastUsedAt === undefined ? '' : html`<small>${lastUse(timeAgo(view, lastUsedAt, now))}</small>`
      }<small>${words.since(began)}</small>${within(all, session.organizationId, organizations)}${
        resource === '' ? '' : html`<small>${words.at(html`${breakable(resource)}`)}</small>`
      }</span
    >
    <button
      class="quiet"
      type="submit"
      name="session_id"
      value="${id}"
      aria-label="${words.endOne(name)}"
      aria-describedby="${id}"
    >
      ${words.end}
    </button>
  </li>`;
}

/** Name of the device, such as `Chrome on Linux, Berlin`; '' if nothing is known. */
function deviceName(
  { words, language }: View,
  { browser = '', system = '', city, region }: OwnSession['device'],
): string {
  const regionName =
    region === undefined ? undefined : new Intl.DisplayNames(language, { type: 'region' }).of(region);
  const program =
    browser !== '' && system !== '' ? words.people.sessions.device(browser, system) : browser || system;
  return [program, city ?? regionName ?? ''].filter((part) => part !== '').join(', ');
}

function within(words: Words, organizationId: string, organizations: SignedInPerson['organizations']): Text {
  const found = organizations.find(({ id }) => id === organizationId);
  return found === undefined ? '' : html`<small>${words.people.sessions.within(found.name)}</small>`;
}

/**
 * `/sessions`: all sessions of the user, and ending them.
 *
 * Throws PageFailure and ServiceError to the caller's error page.
 */
export function sessionRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { clock, forms, ownSessions, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/sessions', async (c) => {
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const view = viewOf(c);
    const others = await ownSessions.others(person.session);
    const shown = { csrf: forms.open(c).csrf, person, ...others, flash: takeFlash(c, view) };
    return sendPage(c, sessionsPage(view, { ...shown, now: clock.now() }), { form: { leadsTo: [] } });
  });

  routes.get('/sessions/end-others', async (c) => {
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const others = await ownSessions.others(person.session);
    if (others.sessions.length === 0) return sendRedirect(c, '/sessions');
    const page = endOthersPage(viewOf(c), { csrf: forms.open(c).csrf, person, ...others });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/sessions', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const { ip } = c.get('visitor');
    const id = fields.session_id ?? '';
    const isForAll = id === ALL_OTHERS;
    if (!isForAll) await ownSessions.end(person.session, id, ip);
    const ended = isForAll ? await ownSessions.endOthers(person.session, ip) : 1;
    leaveFlash(c, 'sessionsEnded', String(ended));
    return sendRedirect(c, '/sessions');
  });
  return routes;
}
