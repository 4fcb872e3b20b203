/** `/dashboard/users`: who can sign in, for operators. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { UserView } from '../../../people/users.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf, personName, type Named } from '../../access/names.ts';
import { badge, monogram } from '../../components/badge.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { filters } from '../../components/filters.ts';
import { time, isolated } from '../../components/format.ts';
import { nameCell, paging, table, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { frame } from '../../words/frame.ts';
import { users as words } from '../../words/users.ts';
import { userActionRoutes } from './user-actions.ts';
import { userFormRoutes } from './user-forms.ts';
import { USERS, userRoutes } from './user-page.ts';

/** The page and its line in the navigation. */
export const users: DashboardPage = {
  entry: { path: USERS, label: words.title, icon: 'user', group: 'people', audience: 'operator' },
  routes: (deps) =>
    new Hono<DashboardEnv>()
      .get(USERS, (c) => showList(deps, c))
      .route('/', userFormRoutes(deps))
      .route('/', userRoutes(deps))
      .route('/', userActionRoutes(deps)),
};

async function showList(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const viewer = c.get('viewer');
  const query = new URL(c.req.url).searchParams;
  const email = query.get('email')?.trim() || undefined;
  const { users: people, ...links } = await deps.users.list(
    viewer.caller,
    { email },
    { pageToken: query.get('page_token') ?? undefined },
  );
  const names = await namesOf(
    deps,
    viewer,
    people.flatMap(({ memberships }) => memberships.map(({ organization_id }) => organization_id)),
  );
  const nothing = email === undefined ? empty(words.none) : empty(frame.nothingMatches);
  return showPage(c, {
    title: words.title,
    lead: words.lead,
    actions: linkButton(`${USERS}/new`, words.create, 'primary'),
    content: card({
      id: 'users',
      title: words.title,
      content: html`${filters(USERS, query, [{ name: 'email', label: words.filters.email, type: 'search' }])}
      ${people.length === 0 ? nothing : table(words.title, columns(names), people)}`,
      foot: paging(USERS, query, links),
    }),
  });
}

function columns(names: ReadonlyMap<string, Named>): Column<UserView>[] {
  return [
    {
      label: words.columns.person,
      cell: (user) => {
        const { name, detail } = personName(user);
        return nameCell({
          drawing: monogram(name),
          href: `${USERS}/${user.id}`,
          name: isolated(name),
          detail: isolated(detail),
        });
      },
    },
    { label: words.columns.organizations, cell: (user) => organizationsOf(user, names), leftOutOn: 'phone' },
    {
      label: words.columns.rights,
      cell: ({ is_operator }) => (is_operator ? badge('info', words.operator, true) : words.noRights),
    },
    { label: words.columns.since, cell: ({ created_at }) => time(created_at), leftOutOn: 'tablet' },
  ];
}

function organizationsOf({ memberships }: UserView, names: ReadonlyMap<string, Named>): Text {
  if (memberships.length === 0) return words.noOrganization;
  return html`${memberships.map(
    ({ organization_id: id, role }) =>
      html`<div><bdi>${names.get(id)?.name ?? id}</bdi> <span class="soft">${words.roles[role]}</span></div>`,
  )}`;
}
