/** `POST /sign-out`, and the dashboard: shows who is signed in, with links to change that. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import type { Html } from '../frame/layout.ts';
import { dashboardPage } from '../frame/message-pages.ts';
import { sessionCookie } from '../frame/own-cookie.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { hidden } from './people-fields.ts';
import { sendPage, sendRedirect, type PageVariables } from '../frame/page-response.ts';
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
    if (person === undefined) return sendPage(c, dashboardPage({ commandsFor: name }));
    const page = dashboardPage({
      signedIn: signedInPart(person, forms.open(c).csrf, baseUrl),
      commandsFor: person.isOperator ? name : undefined,
    });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/sign-out', async (c) => {
    const { fields } = await forms.read(c);
    await people.signOut(signingIn(c));
    sessionCookie.forget(c);
    return sendPage(c, signedOutPage(safeNext(fields.next)));
  });

  // The user typed the address, or went back to it.
  routes.get('/sign-out', (c) => sendRedirect(c, HOME));
  return routes;
}

function signedInPart(
  { email, name, organizations, session }: SignedInPerson,
  csrf: string,
  baseUrl: string,
): Html {
  const current = organizations.find(({ id }) => id === session.organizationId);
  return html`<h1>You are signed in</h1>
    <dl>
      <div>
        <dt>As</dt>
        <dd>${name === '' ? html`<bdi>${email}</bdi>` : html`${name}<small><bdi>${email}</bdi></small>`}</dd>
      </div>
      <div>
        <dt>In</dt>
        <dd>
          ${current === undefined ? 'no organization' : html`${current.name}<small>${current.role}</small>`}
        </dd>
      </div>
      <div>
        <dt>Agents</dt>
        <dd>
          <code>${baseUrl}/mcp</code
          ><small>Give this address to an MCP client, and sign in here when it asks.</small>
        </dd>
      </div>
    </dl>
    <div class="actions">
      <p><a href="/organizations">Switch organization</a></p>
      <p><a href="/sessions">Where you are signed in</a></p>
      <form method="post" action="/sign-out">
        ${hidden({ csrf })}
        <button class="quiet" type="submit">Sign out</button>
      </form>
    </div>`;
}
