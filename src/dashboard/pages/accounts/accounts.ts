/** `/dashboard/accounts`: connected accounts, and how to make links for them. */
import type { Catalog } from '../../../catalog/model/types.ts';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FullListItem } from '../../../accounts/account-views.ts';
import { ACCOUNT_STATUSES } from '../../../core/stored-words.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card, empty, link, linkButton } from '../../components/card.ts';
import { filters, isFiltered, type Filter } from '../../components/filters.ts';
import { problems } from '../../components/form.ts';
import { timeOrNone } from '../../components/format.ts';
import { paging, table, withQuery, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv, Viewer } from '../../frame/dashboard-context.ts';
import type { Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { accounts as words } from '../../words/accounts.ts';
import { frame } from '../../words/frame.ts';
import { accountCell, ownerCell, PATH, statusBadge } from './account-cells.ts';
import { accountRoutes } from './account-page.ts';
import { accountQuery } from './account-query.ts';
import { endingRoutes } from './ending.ts';
import { newLinkRoutes } from './new-links.ts';

/** The page and its line in the navigation. */
export const accounts: DashboardPage = {
  entry: { path: PATH, label: words.title, icon: 'key', group: 'apps', audience: 'organization' },
  routes: (deps) =>
    new Hono<DashboardEnv>()
      .get(PATH, (c) => showList(deps, c))
      .route('/', newLinkRoutes(deps))
      .route('/', accountRoutes(deps))
      .route('/', endingRoutes(deps)),
};

const LABELS = {
  status: words.filters.status,
  connector: words.problem.app,
  user_id: words.problem.person,
  organization_id: words.problem.organization,
  page_token: words.problem.page,
};

async function showList(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const viewer = c.get('viewer');
  const query = new URL(c.req.url).searchParams;
  const asked = await accountQuery(deps, viewer, query);
  const { done, problems: wrong } = await attempt(() => deps.accounts.list(viewer.caller, asked));
  const { connected_accounts: listed = [], ...links } = done ?? {};
  const rows = listed.filter((row): row is FullListItem => 'user_id' in row);
  const names = await namesOf(
    deps,
    viewer,
    rows.flatMap(({ user_id, organization_id }) => [user_id, organization_id]),
  );
  const fields = await listFilters(deps, viewer);
  const content = html`${problems(wrong ?? [], LABELS)}
  ${card({
    id: 'accounts',
    title: words.title,
    action: link(withQuery(`${PATH}/links`, query, { status: '' }), words.bulk.button),
    content: html`${filters(PATH, query, fields)}
    ${rows.length === 0 ? nothing(viewer, query) : table(words.title, columns(deps.catalog.in(viewer.caller.environmentId), viewer, names), rows)}`,
    ...('total_size' in links && { foot: paging(PATH, query, links) }),
  })}`;
  return showPage(c, {
    title: words.title,
    lead: viewer.isOperator ? words.lead : words.ownLead,
    actions: linkButton(`${PATH}/new`, words.connect, 'primary'),
    content,
    hasProblems: wrong !== undefined,
  });
}

function nothing({ isOperator }: Viewer, query: URLSearchParams): Text {
  if (isFiltered(query)) return empty(frame.nothingMatches);
  return empty(isOperator ? words.none : words.noneOfOrganization, linkButton(`${PATH}/new`, words.connect));
}

function columns(
  catalog: Catalog,
  { isOperator }: Viewer,
  names: Awaited<ReturnType<typeof namesOf>>,
): Column<FullListItem>[] {
  const { account, owner, status, lastUsed, expiry } = words.columns;
  return [
    { label: account, cell: (row) => accountCell(row, catalog) },
    ...(isOperator
      ? [{ label: owner, cell: (row: FullListItem) => ownerCell(row, names), leftOutOn: 'tablet' as const }]
      : []),
    { label: status, cell: (row) => statusBadge(row.status) },
    {
      label: lastUsed,
      cell: (row) => (row.last_used_at === null ? words.never : timeOrNone(row.last_used_at)),
      leftOutOn: 'phone',
    },
    { label: expiry, cell: (row) => timeOrNone(row.token_expires_at), leftOutOn: 'tablet' },
  ];
}

async function listFilters(
  { connections }: Pick<DashboardDependencies, 'connections'>,
  { caller, isOperator }: Viewer,
): Promise<Filter[]> {
  const all = { value: '', label: words.filters.all };
  const names = (await connections.list(caller.environmentId)).map(({ name }) => name);
  const { status, app, identifier, person, organization } = words.filters;
  return [
    {
      name: 'status',
      label: status,
      choices: [all, ...ACCOUNT_STATUSES.map((value) => ({ value, label: frame.statuses[value] }))],
    },
    { name: 'connector', label: app, choices: [all, ...names.map((name) => ({ value: name, label: name }))] },
    { name: 'query', label: identifier, type: 'search' },
    ...(isOperator
      ? [
          { name: 'user_id', label: person },
          { name: 'organization_id', label: organization },
        ]
      : []),
  ];
}
