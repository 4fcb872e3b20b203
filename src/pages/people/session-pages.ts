/** The pages with a user's sessions: browsers, apps, and applications that act for them. */
import { html } from 'hono/html';
import type { OwnSession } from '../../people/own-sessions.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout } from '../frame/layout.ts';
import type { Html, Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { Hono } from 'hono';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../frame/page-response.ts';

/** Value of the button that ends all sessions except that of the browser in use. */
export const ALL_OTHERS = 'others';

interface SessionsPage {
  csrf: string;
  person: SignedInPerson;
  /** Other than that of the browser in use, newest first. */
  sessions: readonly OwnSession[];
  /** Whether there are more that are not shown. */
  hasMore: boolean;
}

/** Everything in one form: each button says what it ends. */
export function sessionsPage(view: View, page: SessionsPage): Html {
  const { person, sessions, hasMore } = page;
  const { frame, people } = view.words;
  const words = people.sessions;
  const of = (...kinds: readonly string[]): readonly OwnSession[] =>
    sessions.filter(({ kind }) => kinds.includes(kind));
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <form method="post" action="/sessions">
        ${hidden({ csrf: page.csrf })}
        <h2>${words.browsers}</h2>
        <ul class="sessions">
          ${thisBrowser(view, person)} ${of('browser').map((session) => item(view, session, person))}
        </ul>
        ${group(view, words.apps, of('client'), person)}
        ${group(view, words.applications, of('api', 'mcp_server'), person)}
        ${hasMore ? html`<p>${words.older}</p>` : ''}
        ${
          sessions.length === 0
            ? html`<p>${words.nowhereElse}</p>`
            : html`<button class="quiet danger" type="submit" name="session_id" value="${ALL_OTHERS}">
                ${words.endOthers}
              </button>`
        }
      </form>
      <p><a href="/dashboard">${frame.back}</a></p>
    `,
    footer: frame.signedInAs(person.email),
  });
}

function group(view: View, title: string, sessions: readonly OwnSession[], person: SignedInPerson): Text {
  if (sessions.length === 0) return '';
  return html`<h2>${title}</h2>
    <ul class="sessions">
      ${sessions.map((session) => item(view, session, person))}
    </ul>`;
}

function thisBrowser({ words }: View, { session, organizations }: SignedInPerson): Html {
  const { since, thisBrowser: name } = words.people.sessions;
  return html`<li aria-current="true">
    <span
      ><strong>${name}</strong>${within(words, session.organizationId, organizations)}<small
        >${since(time(words, session.createdAt))}</small
      ></span
    >
    <button class="quiet" type="submit" formaction="/sign-out">${words.frame.signOut}</button>
  </li>`;
}

/** Shows the last use first: it distinguishes sessions of the same name. */
function item({ words: all }: View, session: OwnSession, { organizations }: SignedInPerson): Html {
  const words = all.people.sessions;
  const { id, kind, holder, resource, createdAt, lastUsedAt } = session;
  const name = kind === 'browser' ? words.anotherBrowser : holder;
  const lastUse = kind === 'browser' ? words.lastUsed : words.lastRenewed;
  return html`<li>
    <span id="${id}"
      ><strong><bdi>${breakable(name)}</bdi></strong
      >${
        lastUsedAt === undefined ? '' : html`<small>${lastUse(time(all, lastUsedAt, TO_THE_MINUTE))}</small>`
      }<small>${words.since(time(all, createdAt))}</small>${within(all, session.organizationId, organizations)}${
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

/** Allows line breaks in host names and addresses after their dots and slashes. */
function breakable(name: string): Html[] {
  return name
    .split(/(?<=[./@])(?=[^./@])/)
    .map((part, index) => html`${index === 0 ? '' : html`<wbr />`}${part}`);
}

function within(words: Words, organizationId: string, organizations: SignedInPerson['organizations']): Text {
  const found = organizations.find(({ id }) => id === organizationId);
  return found === undefined ? '' : html`<small>${words.people.sessions.within(found.name)}</small>`;
}

/** Length of `2026-11-20 14:32`. The last use of a session is known approximately, its start to the second. */
const TO_THE_MINUTE = 16;
const TO_THE_SECOND = 19;

/** `2026-11-20 14:32:07 UTC`: the server does not know the reader's time zone. */
function time(words: Words, unixMs: number, length = TO_THE_SECOND): Html {
  const timestamp = new Date(unixMs).toISOString();
  return html`<time datetime="${timestamp}"
    >${words.frame.utc(timestamp.slice(0, length).replace('T', ' '))}</time
  >`;
}

/**
 * `/sessions`: all sessions of the user, and ending them.
 *
 * Throws PageFailure and ServiceError to the caller's error page.
 */
export function sessionRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { forms, ownSessions, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/sessions', async (c) => {
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const others = await ownSessions.others(person.session);
    const page = sessionsPage(viewOf(c), { csrf: forms.open(c).csrf, person, ...others });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/sessions', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const { ip } = c.get('visitor');
    const id = fields.session_id ?? '';
    if (id === ALL_OTHERS) await ownSessions.endOthers(person.session, ip);
    else await ownSessions.end(person.session, id, ip);
    return sendRedirect(c, '/sessions');
  });
  return routes;
}
