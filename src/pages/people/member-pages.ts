/** `/members`: the members of the organization, and for its owners the button that unbinds one from the identity provider. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { MemberView } from '../../people/members.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout } from '../frame/layout.ts';
import { breakable, type Html } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../frame/page-response.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { personCaller } from '../sign-in/person-caller.ts';
import { menu } from '../frame/menu.ts';

/** A member, and the action that the page offers. */
interface ShownMember extends MemberView {
  /** Whether the member signs in through the organization's identity provider and the reader may unbind them. */
  isUnbindable: boolean;
}

/** Throws PageFailure and ServiceError to the caller's error page. */
export function memberRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { forms, members, providers, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/members', async (c) => {
    const person = await signIn.requireSignedIn(c, '/members');
    if (person instanceof Response) return person;
    const caller = personCaller(c, person);
    const { organizationId } = person.session;
    const list = await members.list(caller, organizationId, { pageToken: c.req.query('page_token') });
    const isOwner = person.organizations.some(({ id, role }) => id === organizationId && role === 'owner');
    const shown = await Promise.all(
      list.members.map(async (member) => {
        const provider = await providers.ofEmail(caller.environmentId, member.email);
        return { ...member, isUnbindable: isOwner && provider?.organization_id === organizationId };
      }),
    );
    const page = { csrf: forms.open(c).csrf, person, members: shown, next: list.next_page_token };
    return sendPage(c, membersPage(viewOf(c), page), { form: { leadsTo: [] } });
  });

  routes.post('/members', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/members');
    if (person instanceof Response) return person;
    const { organizationId } = person.session;
    await members.unbind(personCaller(c, person), { organizationId, userId: fields.user_id ?? '' });
    return sendRedirect(c, '/members');
  });
  return routes;
}

function membersPage(
  view: View,
  page: { csrf: string; person: SignedInPerson; members: readonly ShownMember[]; next: string },
): Html {
  const { person, members, next } = page;
  const { frame, people } = view.words;
  return layout(view, {
    title: people.members.title,
    menu: menu(view, { csrf: page.csrf, current: 'organizations' }),
    content: html`
      <h1>${people.members.title}</h1>
      ${
        members.some(({ isUnbindable }) => isUnbindable)
          ? html`<p class="lead">${people.members.lead}</p>`
          : ''
      }
      <form method="post" action="/members">
        ${hidden({ csrf: page.csrf })}
        <ul class="sessions">
          ${members.map((member) => item(view, member))}
        </ul>
      </form>
      ${next === '' ? '' : html`<p><a href="/members?page_token=${encodeURIComponent(next)}">${frame.more}</a></p>`}
    `,
    footer: frame.signedInAs(person.email),
  });
}

function item(
  { words: { people } }: View,
  { id, user_id: userId, email, role, isUnbindable }: ShownMember,
): Html {
  return html`<li>
    <span id="${id}"><bdi>${breakable(email)}</bdi><small>${people.roles[role]}</small></span>
    ${
      isUnbindable
        ? html`<button
            class="quiet"
            type="submit"
            name="user_id"
            value="${userId}"
            aria-label="${people.members.unbindOne(email)}"
          >
            ${people.members.unbind}
          </button>`
        : ''
    }
  </li>`;
}
