/** `/organizations`: switches to another organization of the user. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { ServiceError } from '../../core/errors.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout } from '../frame/layout.ts';
import { menu } from '../frame/menu.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../frame/page-response.ts';
import { HOME } from '../sign-in/sign-in-path.ts';
import { rememberSession } from '../sign-in/sign-in-session.ts';

/** Throws PageFailure and ServiceError to the caller's error page. */
export function organizationRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { environments, forms, sessions, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/organizations', async (c) => {
    const person = await signIn.requireSignedIn(c, '/organizations');
    if (person instanceof Response) return person;
    const isOpen = environments.get(c.get('environment').id).signUp === 'open';
    const page = organizationsPage(viewOf(c), { csrf: forms.open(c).csrf, person, isOpen });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/organizations', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/organizations');
    if (person instanceof Response) return person;
    const organizationId = fields.organization_id ?? '';
    if (!person.organizations.some(({ id }) => id === organizationId))
      throw new ServiceError('PERMISSION_DENIED', viewOf(c).words.people.organizations.notYours);
    const { id } = c.get('environment');
    const visitor = c.get('visitor');
    rememberSession(c, await sessions.switchOrganization(id, person.session.id, organizationId, visitor));
    return sendRedirect(c, HOME);
  });
  return routes;
}

function organizationsPage(
  view: View,
  page: { csrf: string; person: SignedInPerson; isOpen: boolean },
): Html {
  const { person } = page;
  const { frame, people } = view.words;
  const words = people.organizations;
  return layout(view, {
    title: words.title,
    menu: menu(view, { csrf: page.csrf, current: 'organizations' }),
    content: html`
      <h1>${words.title}</h1>
      ${
        person.organizations.length === 0
          ? html`<p>${words.none}</p>`
          : html`<p class="lead">${words.choose}</p>
              <form method="post" action="/organizations">
                ${hidden({ csrf: page.csrf })}
                <ul class="choices">
                  ${person.organizations.map((organization) => choice(view, organization, person))}
                </ul>
              </form>`
      }
    `,
    footer: page.isOpen
      ? html`${frame.signedInAs(person.email)} <a href="/sign-up">${words.create}</a>`
      : frame.signedInAs(person.email),
  });
}

function choice(
  { words: { people } }: View,
  { id, name, role }: SignedInPerson['organizations'][number],
  { session }: SignedInPerson,
): Html {
  return session.organizationId === id
    ? html`<li aria-current="true">
        <strong>${name}</strong><small>${people.organizations.current(people.roles[role])}</small>
      </li>`
    : html`<li>
        <button class="quiet" type="submit" name="organization_id" value="${id}">
          ${name}<small>${people.roles[role]}</small>
        </button>
      </li>`;
}
