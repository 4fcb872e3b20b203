/** `/dashboard/users/{id}`: one person with memberships, sessions and accounts. */
import type { Catalog } from '../../../catalog/model/types.ts';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { AccountListItem } from '../../../accounts/account-views.ts';
import type { SessionView } from '../../../people/session-rules.ts';
import type { UserView } from '../../../people/users.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf, personName, type Named } from '../../access/names.ts';
import { badge } from '../../components/badge.ts';
import { card, empty, facts, link, linkButton, twoColumns } from '../../components/card.ts';
import { copyable } from '../../components/code.ts';
import { actionButton } from '../../components/form.ts';
import { time, isolated } from '../../components/format.ts';
import { nameCell, table, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { users as words } from '../../words/users.ts';
import { accountCell, statusBadge } from '../accounts/account-cells.ts';

/** Address of the list; one person is below it. */
export const USERS = '/dashboard/users';

/** Number of accounts shown for one person. */
const LATEST_ACCOUNTS = 10;

/** The page of one person. */
export function userRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  return new Hono<DashboardEnv>().get(`${USERS}/:id`, (c) => showUser(deps, c, c.req.param('id')));
}

/** Valid sessions of a person, newest first. Ended ones are left out, because nobody could act on them. */
export async function activeSessions(
  { apiSessions }: Pick<DashboardDependencies, 'apiSessions'>,
  c: DashboardContext,
  userId: string,
): Promise<SessionView[]> {
  const { caller } = c.get('viewer');
  const active: SessionView[] = [];
  let pageToken: string | undefined;
  do {
    const page = await apiSessions.list(caller, { user_id: userId }, { pageSize: 100, pageToken });
    active.push(...page.sessions.filter(({ status }) => status === 'active'));
    pageToken = page.next_page_token;
  } while (pageToken !== '');
  return active;
}

async function showUser(deps: DashboardDependencies, c: DashboardContext, id: string): Promise<Response> {
  const viewer = c.get('viewer');
  const user = await deps.users.get(viewer.caller, id);
  const [sessions, { connected_accounts: accounts }] = await Promise.all([
    activeSessions(deps, c, id),
    deps.accounts.list(viewer.caller, { view: 'full', user_id: id, page_size: LATEST_ACCOUNTS }),
  ]);
  const names = await namesOf(
    deps,
    viewer,
    [...user.memberships, ...sessions].map(({ organization_id }) => organization_id),
  );
  const { name } = personName(user);
  return showPage(c, {
    title: name,
    ...(user.is_operator && { lead: badge('info', words.operator, true) }),
    actions: actions(user),
    content: html`${twoColumns(factsCard(user), membershipCard(user, names))}
    ${sessionsCard(c, user, sessions, names)}
    ${accountsCard(deps.catalog.in(c.get('viewer').caller.environmentId), user, accounts)}`,
  });
}

function actions({ id, is_operator }: UserView): Html {
  const path = `${USERS}/${id}`;
  const { edit, makeOperator, takeRights, unbind, delete: remove } = words.actions;
  return html`<div class="buttons-row">
    ${linkButton(`${path}/edit`, edit)}
    ${is_operator ? linkButton(`${path}/take-rights`, takeRights) : linkButton(`${path}/make-operator`, makeOperator)}
    ${linkButton(`${path}/unbind`, unbind)} ${linkButton(`${path}/delete`, remove, 'danger')}
  </div>`;
}

function factsCard(user: UserView): Html {
  const { labels, proven, notProven } = words.one;
  const { name, detail } = personName(user);
  return card({
    id: 'facts',
    title: words.one.facts,
    content: facts([
      {
        label: labels.email,
        value: isolated(user.email),
        hint: user.email_verified ? proven : notProven,
      },
      ...(detail === '' ? [] : [{ label: labels.name, value: isolated(name) }]),
      { label: labels.id, value: copyable(user.id, labels.id) },
      { label: labels.rights, value: user.is_operator ? words.operator : words.noRights },
      { label: labels.since, value: time(user.created_at) },
      { label: labels.updated, value: time(user.updated_at) },
    ]),
  });
}

function membershipCard({ memberships }: UserView, names: ReadonlyMap<string, Named>): Html {
  const { memberships: title, noMemberships, membershipColumns } = words.one;
  const columns: Column<UserView['memberships'][number]>[] = [
    {
      label: membershipColumns.organization,
      cell: ({ organization_id: id }) => {
        const { name = id, href } = names.get(id) ?? {};
        return nameCell({ name: isolated(name), ...(href !== undefined && { href }) });
      },
    },
    { label: membershipColumns.role, cell: ({ role }) => words.roles[role] },
  ];
  return card({
    id: 'memberships',
    title,
    content: memberships.length === 0 ? empty(noMemberships) : table(title, columns, memberships),
  });
}

/** A name that tells browser sessions apart, such as `Chrome on Linux, Berlin`; '' if nothing is known. */
function deviceName({ browser, system, city, region }: SessionView['device']): string {
  const program =
    browser !== undefined && system !== undefined ? words.one.device(browser, system) : (browser ?? system);
  return [program, city ?? region].filter((part) => part !== undefined).join(', ');
}

function sessionsCard(
  c: DashboardContext,
  { id }: UserView,
  sessions: readonly SessionView[],
  names: ReadonlyMap<string, Named>,
): Html {
  const { sessions: title, noSessions, sessionColumns, kinds, endSession, endAll } = words.one;
  const path = `${USERS}/${id}/sessions`;
  const columns: Column<SessionView>[] = [
    {
      label: sessionColumns.kind,
      cell: ({ kind, client_id, device }) =>
        nameCell({
          name: kinds[kind],
          detail: isolated(kind === 'browser' ? deviceName(device) : client_id),
        }),
    },
    {
      label: sessionColumns.organization,
      cell: ({ organization_id: of }) => names.get(of)?.name ?? (of || words.noOrganization),
      leftOutOn: 'phone',
    },
    { label: sessionColumns.began, cell: ({ created_at }) => time(created_at), leftOutOn: 'phone' },
    { label: sessionColumns.end, cell: ({ expires_at }) => time(expires_at), leftOutOn: 'tablet' },
    {
      label: sessionColumns.act,
      cell: (session) => actionButton(c, `${path}/${session.id}/end`, endSession, { kind: 'small danger' }),
    },
  ];
  return card({
    id: 'sessions',
    title,
    ...(sessions.length > 1 && { action: linkButton(`${path}/end`, endAll, 'danger') }),
    content: sessions.length === 0 ? empty(noSessions) : table(title, columns, sessions),
  });
}

function accountsCard(catalog: Catalog, { id }: UserView, accounts: readonly AccountListItem[]): Html {
  const { accounts: title, noAccounts, allAccounts, accountColumns } = words.one;
  const columns: Column<AccountListItem>[] = [
    { label: accountColumns.account, cell: (account) => accountCell(account, catalog) },
    { label: accountColumns.status, cell: ({ status }) => statusBadge(status) },
    {
      label: accountColumns.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? '' : time(at)),
      leftOutOn: 'phone',
    },
  ];
  return card({
    id: 'accounts',
    title,
    ...(accounts.length > 0 && { action: link(`/dashboard/accounts?user_id=${id}`, allAccounts) }),
    content: accounts.length === 0 ? empty(noAccounts) : table(title, columns, accounts),
  });
}
