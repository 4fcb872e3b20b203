/**
 * `/dashboard/search`: an id leads straight to its page; a text finds tools and connections by name, accounts by their
 * identifier, people by their whole address, and organizations by their whole name.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Tool } from '../../../catalog/model/types.ts';
import type { ConnectionView } from '../../../connections/connection-views.ts';
import type { OrganizationView } from '../../../people/organizations.ts';
import type { UserView } from '../../../people/users.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { personName } from '../../access/names.ts';
import { pageOfId } from '../../access/places.ts';
import { monogram } from '../../components/badge.ts';
import { card, empty, link } from '../../components/card.ts';
import { isolated } from '../../components/format.ts';
import { nameCell } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { goTo, showPage } from '../../frame/respond.ts';
import { search as words } from '../../words/search.ts';
import { accountCell } from '../accounts/account-cells.ts';

/** Number of results of each kind. */
const LISTED = 10;

/** Routes of the search. It has no navigation entry, because every page has its field. */
export function searchRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  return new Hono<DashboardEnv>().get('/dashboard/search', async (c) => {
    const text = (c.req.query('q') ?? '').trim().slice(0, 200);
    const page = pageOfId(text);
    if (page !== undefined) return goTo(c, page);
    const content =
      text === ''
        ? card({ id: 'results', title: words.title, content: empty(words.empty) })
        : await results(deps, c, text);
    return showPage(c, { title: words.title, ...(text !== '' && { lead: words.lead(text) }), content });
  });
}

async function results(
  { catalog, accounts, users, connections, organizations }: DashboardDependencies,
  c: DashboardContext,
  text: string,
): Promise<Html> {
  const wanted = text.toLowerCase().split(/\s+/);
  const { caller, isOperator } = c.get('viewer');
  const tools = [...catalog.in(caller.environmentId).tools.values()]
    .filter(({ name, title }) => wanted.every((word) => `${name} ${title}`.toLowerCase().includes(word)))
    .slice(0, LISTED);
  const found = await accounts.list(caller, { view: 'full', query: text, page_size: LISTED });
  const people =
    isOperator && text.includes('@')
      ? (await users.list(caller, { email: text }, { pageSize: LISTED })).users
      : [];
  const apps = isOperator
    ? (await connections.list(caller.environmentId))
        .filter(({ name, connector }) =>
          wanted.every((word) => `${name} ${connector}`.toLowerCase().includes(word)),
        )
        .slice(0, LISTED)
    : [];
  const named = isOperator
    ? (await organizations.list(caller, { name: text }, { pageSize: LISTED })).organizations
    : [];
  if (named.length + tools.length + found.connected_accounts.length + people.length + apps.length === 0)
    return card({ id: 'results', title: words.title, content: empty(words.none) });
  const accountsPath = `/dashboard/accounts?${new URLSearchParams({ query: text }).toString()}`;
  return html`${group('people', words.people, people.map(personRow))}
  ${group('organizations', words.organizations, named.map(organizationRow))}
  ${group('connections', words.connections, apps.map(connectionRow))}
  ${group('tools', words.tools, tools.map(toolRow))}
  ${group(
    'accounts',
    words.accounts,
    found.connected_accounts.map((account) => accountCell(account, catalog.in(caller.environmentId))),
    link(accountsPath, words.all),
  )}`;
}

function group(id: string, title: string, rows: readonly Html[], action?: Html): Text {
  if (rows.length === 0) return '';
  return card({
    id,
    title,
    ...(action !== undefined && { action }),
    content: html`<ul class="states">
      ${rows.map((row) => html`<li>${row}</li>`)}
    </ul>`,
  });
}

function toolRow({ name, title, connector }: Tool): Html {
  return nameCell({
    drawing: monogram(connector),
    href: `/dashboard/tools/${encodeURIComponent(name)}`,
    name: title,
    detail: html`<span class="mono">${name}</span>`,
  });
}

function personRow(user: UserView): Html {
  const { name, detail } = personName(user);
  return nameCell({
    drawing: monogram(name),
    href: `/dashboard/users/${user.id}`,
    name: isolated(name),
    detail: isolated(detail),
  });
}

function organizationRow({ id, name }: OrganizationView): Html {
  return nameCell({
    drawing: monogram(name),
    href: `/dashboard/organizations/${id}`,
    name: isolated(name),
    detail: id,
  });
}

function connectionRow({ id, name, connector }: ConnectionView): Html {
  return nameCell({
    drawing: monogram(name),
    href: `/dashboard/connections/${id}`,
    name,
    detail: connector,
  });
}
