/** The pages with a user's sessions: browsers, apps, and applications that act for them. */
import { html } from 'hono/html';
import type { OwnSession } from '../../people/own-sessions.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout, type Html } from '../frame/layout.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { Hono } from 'hono';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { sendPage, sendRedirect, type PageVariables } from '../frame/page-response.ts';

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
export function sessionsPage(page: SessionsPage): Html {
  const { person, sessions, hasMore } = page;
  const of = (...kinds: readonly string[]): readonly OwnSession[] =>
    sessions.filter(({ kind }) => kinds.includes(kind));
  return layout({
    title: 'Where you are signed in',
    content: html`
      <h1>Where you are signed in</h1>
      <p class="lead">What you end stops working within five seconds. Accounts that you connected stay.</p>
      <form method="post" action="/sessions">
        ${hidden({ csrf: page.csrf })}
        <h2>Browsers</h2>
        <ul class="sessions">
          ${thisBrowser(person)} ${of('browser').map((session) => item(session, person))}
        </ul>
        ${group('Apps', of('client'), person)}
        ${group('Applications that act for you', of('api', 'mcp_server'), person)}
        ${hasMore ? html`<p>There are older ones too, which are not shown.</p>` : ''}
        ${
          sessions.length === 0
            ? html`<p>You are signed in nowhere else.</p>`
            : html`<button class="quiet danger" type="submit" name="session_id" value="${ALL_OTHERS}">
                End all others
              </button>`
        }
      </form>
      <p><a href="/dashboard">Back</a></p>
    `,
    footer: html`You are signed in as <bdi>${person.email}</bdi>.`,
  });
}

function group(title: string, sessions: readonly OwnSession[], person: SignedInPerson): Html | string {
  if (sessions.length === 0) return '';
  return html`<h2>${title}</h2>
    <ul class="sessions">
      ${sessions.map((session) => item(session, person))}
    </ul>`;
}

function thisBrowser({ session, organizations }: SignedInPerson): Html {
  return html`<li aria-current="true">
    <span
      ><strong>This browser</strong>${within(session.organizationId, organizations)}<small
        >since ${time(session.createdAt)}</small
      ></span
    >
    <button class="quiet" type="submit" formaction="/sign-out">Sign out</button>
  </li>`;
}

/** Shows the last use first: it distinguishes sessions of the same name. */
function item(session: OwnSession, { organizations }: SignedInPerson): Html {
  const { id, kind, holder, resource, createdAt, lastUsedAt } = session;
  const name = kind === 'browser' ? 'Another browser' : holder;
  return html`<li>
    <span id="${id}"
      ><strong><bdi>${breakable(name)}</bdi></strong
      >${
        lastUsedAt === undefined
          ? ''
          : html`<small
              >last ${kind === 'browser' ? 'used' : 'renewed'} ${time(lastUsedAt, TO_THE_MINUTE)}</small
            >`
      }<small>since ${time(createdAt)}</small>${within(session.organizationId, organizations)}${
        resource === '' ? '' : html`<small>at ${breakable(resource)}</small>`
      }</span
    >
    <button
      class="quiet"
      type="submit"
      name="session_id"
      value="${id}"
      aria-label="End ${name}"
      aria-describedby="${id}"
    >
      End
    </button>
  </li>`;
}

/** Allows line breaks in host names and addresses after their dots and slashes. */
function breakable(name: string): Html[] {
  return name
    .split(/(?<=[./@])(?=[^./@])/)
    .map((part, index) => html`${index === 0 ? '' : html`<wbr />`}${part}`);
}

function within(organizationId: string, organizations: SignedInPerson['organizations']): Html | string {
  const found = organizations.find(({ id }) => id === organizationId);
  return found === undefined ? '' : html`<small>in ${found.name}</small>`;
}

/** Length of `2026-11-20 14:32`. The last use of a session is known approximately, its start to the second. */
const TO_THE_MINUTE = 16;
const TO_THE_SECOND = 19;

/** `2026-11-20 14:32:07 UTC`: the server does not know the reader's time zone. */
function time(unixMs: number, length = TO_THE_SECOND): Html {
  const timestamp = new Date(unixMs).toISOString();
  return html`<time datetime="${timestamp}">${timestamp.slice(0, length).replace('T', ' ')} UTC</time>`;
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
    const page = sessionsPage({ csrf: forms.open(c).csrf, person, ...others });
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
