/** Who may use a tool: owners of accounts, programs, and the virtual MCP servers that publish it. For operators. */
import { html } from 'hono/html';
import type { Connector, Tool } from '../../../catalog/model/types.ts';
import type { McpServerView } from '../../../virtual-servers/mcp-servers.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf, type Named } from '../../access/names.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { isolated } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Viewer } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import { servers as serverWords } from '../../words/servers.ts';
import { tools as words } from '../../words/tools.ts';
import { connectorsOf, servedTools, SERVERS } from '../servers/served-tools.ts';

/** The card with the virtual servers of the environment that publish the tool. */
export async function toolUsersCard(
  deps: DashboardDependencies,
  viewer: Viewer,
  tool: Tool,
  connector: Connector | undefined,
): Promise<Html> {
  const { environmentId } = viewer.caller;
  const [all, connectors] = await Promise.all([
    deps.mcpServers.list(viewer.caller),
    connectorsOf(deps, environmentId),
  ]);
  const catalog = deps.catalog.in(environmentId);
  const having = all.filter((server) =>
    servedTools(catalog, connectors, server).some(({ name }) => name === tool.name),
  );
  const names = await namesOf(
    deps,
    viewer,
    having.map(({ organization_id }) => organization_id),
  );
  const { title, lead, servers, noServer, make } = words.users;
  return card({
    id: 'users',
    title,
    content: html`<p class="body">${lead(connector?.title ?? tool.connector)}</p>
      ${having.length === 0 ? empty(noServer, linkButton(`${SERVERS}/new`, make)) : table(servers, columns(names), having)}`,
  });
}

function columns(names: ReadonlyMap<string, Named>) {
  const { name, organization, rights } = serverWords.columns;
  return [
    {
      label: name,
      cell: (server: McpServerView) => nameCell({ href: `${SERVERS}/${server.id}`, name: server.name }),
    },
    {
      label: organization,
      cell: ({ organization_id: of }: McpServerView) =>
        of === '' ? serverWords.everybody : isolated(names.get(of)?.name ?? of),
    },
    {
      label: rights,
      cell: ({ read_only }: McpServerView) => (read_only ? serverWords.readOnly : serverWords.readWrite),
      leftOutOn: 'phone' as const,
    },
  ];
}
