/** `POST /sign-out`, and the dashboard: shows who is signed in, with links to change that. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { dashboardPage } from '../frame/message-pages.ts';
import { sessionCookie } from '../frame/own-cookie.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { hidden } from './people-fields.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../frame/page-response.ts';
import { signedOutPage } from './sign-in-pages.ts';
import { HOME, safeNext } from './sign-in-path.ts';
import { signingIn } from './sign-in-session.ts';

/** Routes throw PageFailure and ServiceError; the caller has the error page. */
export function signOutRoutes({
  forms,
  people,
  signIn,
}: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/dashboard', async (c) => {
    const { name, baseUrl } = c.get('environment');
    const person = await signIn.find(c);
    if (person === undefined) return sendPage(c, dashboardPage(viewOf(c), { commandsFor: name }));
    const page = dashboardPage(viewOf(c), {
      signedIn: signedInPart(viewOf(c), person, forms.open(c).csrf, baseUrl),
      commandsFor: person.isOperator ? name : undefined,
    });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/sign-out', async (c) => {
    const { fields } = await forms.read(c);
    await people.signOut(signingIn(c));
    sessionCookie.forget(c);
    return sendPage(c, signedOutPage(viewOf(c), safeNext(fields.next)));
  });

  // The user typed the address, or went back to it.
  routes.get('/sign-out', (c) => sendRedirect(c, HOME));
  return routes;
}

function signedInPart(
  { words: { frame, people, signIn } }: View,
  { email, name, organizations, session }: SignedInPerson,
  csrf: string,
  baseUrl: string,
): Html {
  const current = organizations.find(({ id }) => id === session.organizationId);
  const words = signIn.home;
  return html`<h1>${words.title}</h1>
    <dl>
      <div>
        <dt>${words.as}</dt>
        <dd>${name === '' ? html`<bdi>${email}</bdi>` : html`${name}<small><bdi>${email}</bdi></small>`}</dd>
      </div>
      <div>
        <dt>${words.within}</dt>
        <dd>
          ${current === undefined ? words.noOrganization : html`${current.name}<small>${people.roles[current.role]}</small>`}
        </dd>
      </div>
      <div>
        <dt>${words.agents}</dt>
        <dd><code>${baseUrl}/mcp</code><small>${words.agentsHint}</small></dd>
      </div>
    </dl>
    <div class="actions">
      <p><a href="/organizations">${words.organizations}</a></p>
      ${current?.role === 'owner' ? html`<p><a href="/members">${words.members}</a></p>` : ''}
      <p><a href="/sessions">${words.sessions}</a></p>
      <form method="post" action="/sign-out">
        ${hidden({ csrf })}
        <button class="quiet" type="submit">${frame.signOut}</button>
      </form>
    </div>`;
}
