/** `/dashboard/servers`: virtual MCP servers, for operators. */
import type { Catalog } from '../../../catalog/model/types.ts';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { AccountCount } from '../../../accounts/accounts.ts';
import type { McpServerView } from '../../../virtual-servers/mcp-servers.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf, type Named } from '../../access/names.ts';
import { badge } from '../../components/badge.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { count, isolated } from '../../components/format.ts';
import { nameCell, table, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { servers as words } from '../../words/servers.ts';
import { countedText, recentCalls } from '../calls/recent-calls.ts';
import { connectorsOf, costOf, servedTools, SERVERS, type Connectors } from './served-tools.ts';
import { serverFormRoutes } from './server-form.ts';
import { serverRoutes } from './server-page.ts';

/** The page and its line in the navigation. */
export const servers: DashboardPage = {
  entry: { path: SERVERS, label: words.title, icon: 'box', group: 'apps', audience: 'operator' },
  routes: (deps) =>
    new Hono<DashboardEnv>()
      .get(SERVERS, (c) => showList(deps, c))
      .route('/', serverFormRoutes(deps))
      .route('/', serverRoutes(deps)),
};

async function showList(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const viewer = c.get('viewer');
  const [listed, connectors] = await Promise.all([
    deps.mcpServers.list(viewer.caller),
    connectorsOf(deps, viewer.caller.environmentId),
  ]);
  const names = await namesOf(
    deps,
    viewer,
    listed.map(({ organization_id }) => organization_id),
  );
  const calls = new Map(
    await Promise.all(
      listed.map(async ({ id }) => [id, (await recentCalls(deps, viewer.caller, id)).all] as const),
    ),
  );
  return showPage(c, {
    title: words.title,
    lead: words.lead,
    actions: linkButton(`${SERVERS}/new`, words.create, 'primary'),
    content: card({
      id: 'servers',
      title: words.title,
      content:
        listed.length === 0
          ? empty(words.none, linkButton(`${SERVERS}/new`, words.create))
          : table(
              words.title,
              columns(deps.catalog.in(viewer.caller.environmentId), { connectors, names, calls }),
              listed,
            ),
    }),
  });
}

function columns(
  catalog: Catalog,
  {
    connectors,
    names,
    calls,
  }: {
    connectors: Connectors;
    names: ReadonlyMap<string, Named>;
    calls: ReadonlyMap<string, AccountCount>;
  },
): Column<McpServerView>[] {
  const labels = words.columns;
  return [
    {
      label: labels.name,
      cell: ({ id, name, mcp_url }) =>
        nameCell({ href: `${SERVERS}/${id}`, name, detail: html`<code>${mcp_url}</code>` }),
    },
    { label: labels.connections, cell: ({ connections }) => connections.join(', '), leftOutOn: 'phone' },
    {
      label: labels.organization,
      cell: ({ organization_id: of }) => (of === '' ? words.everybody : isolated(names.get(of)?.name ?? of)),
      leftOutOn: 'tablet',
    },
    {
      label: labels.rights,
      cell: ({ read_only }) =>
        read_only ? badge('info', words.readOnly, true) : badge('idle', words.readWrite, true),
      leftOutOn: 'tablet',
    },
    {
      label: labels.tools,
      cell: (server) => count(servedTools(catalog, connectors, server).length),
      isNumber: true,
    },
    {
      label: labels.tokens,
      cell: (server) => count(costOf(servedTools(catalog, connectors, server))),
      isNumber: true,
    },
    {
      label: labels.calls,
      cell: ({ id }) => countedText(calls.get(id) ?? { count: 0, isAtLeast: false }),
      isNumber: true,
      leftOutOn: 'phone',
    },
  ];
}
