/**
 * `/dashboard/servers/{id}`: one virtual server with its address, its tools, settings for clients, and its
 * deletion.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { toolsetOf } from '../../../catalog/model/tool-selection.ts';
import type { Tool } from '../../../catalog/model/types.ts';
import type { McpServerView } from '../../../virtual-servers/mcp-servers.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { deletionRoutes } from '../../access/deletion.ts';
import { namesOf } from '../../access/names.ts';
import { badge } from '../../components/badge.ts';
import { card, empty, facts, link, linkButton, twoColumns } from '../../components/card.ts';
import { copyable, copyableCode } from '../../components/code.ts';
import { count, time, isolated } from '../../components/format.ts';
import { nameCell, table, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { servers as words } from '../../words/servers.ts';
import { callTable, CALLS_PATH, ownersOf } from '../calls/call-table.ts';
import { countedText, recentCalls } from '../calls/recent-calls.ts';
import { listCostOf } from '../tools/tool-cost.ts';
import { connectorsOf, costOf, servedTools, SERVERS } from './served-tools.ts';
import { snippetsOf } from './snippets.ts';

/** Number of calls shown for one server. */
const LATEST_CALLS = 8;

/** The page of one server, and its deletion. */
export function serverRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  return new Hono<DashboardEnv>()
    .get(`${SERVERS}/:id`, (c) => showServer(deps, c, c.req.param('id')))
    .route(
      '/',
      deletionRoutes(deps, {
        list: SERVERS,
        words: words.remove,
        nameOf: async (c, id) => (await deps.mcpServers.get(c.get('viewer').caller, id)).name,
        remove: async (c, id) => deps.mcpServers.remove(c.get('viewer').caller, id),
      }),
    );
}

async function showServer(deps: DashboardDependencies, c: DashboardContext, id: string): Promise<Response> {
  const viewer = c.get('viewer');
  const server = await deps.mcpServers.get(viewer.caller, id);
  const names = await namesOf(deps, viewer, [server.organization_id]);
  const connectors = await connectorsOf(deps, viewer.caller.environmentId);
  const tools = servedTools(deps.catalog.in(viewer.caller.environmentId), connectors, server);
  const of = server.organization_id;
  const path = `${SERVERS}/${server.id}`;
  return showPage(c, {
    title: server.name,
    lead: server.read_only ? badge('info', words.readOnly, true) : badge('idle', words.readWrite, true),
    actions: html`<div class="buttons-row">
      ${linkButton(`${path}/edit`, words.actions.edit)}
      ${linkButton(`${path}/delete`, words.actions.delete, 'danger')}
    </div>`,
    content: html`${twoColumns(
      html`<div class="col">
        ${factsCard(server, of === '' ? words.everybody : (names.get(of)?.name ?? of))} ${toolsCard(tools)}
      </div>`,
      html`<div class="col">${clientsCard(server)}</div>`,
    )}
    ${await callsCard(deps, c, server.id)}`,
  });
}

function factsCard(server: McpServerView, of: string): Html {
  const { one } = words;
  return card({
    id: 'facts',
    title: one.facts,
    content: facts([
      { label: one.address, value: copyable(server.mcp_url, one.address), hint: one.addressFor },
      { label: one.connections, value: server.connections.join(', ') },
      { label: one.of, value: isolated(of) },
      { label: one.id, value: copyable(server.id, one.id) },
      { label: one.since, value: time(server.created_at) },
      { label: one.updated, value: time(server.updated_at) },
    ]),
  });
}

function toolsCard(tools: readonly Tool[]): Html {
  const { tools: title, noTools, total, rule } = words.one;
  return card({
    id: 'tools',
    title,
    content:
      tools.length === 0
        ? empty(noTools)
        : html`<p class="under">${total(count(tools.length), count(costOf(tools)))}</p>
            ${table(title, COLUMNS, tools)}`,
    foot: rule,
  });
}

const COLUMNS: readonly Column<Tool>[] = [
  {
    label: words.one.columns.tool,
    cell: ({ name, title }) =>
      nameCell({ href: `/dashboard/tools/${name}`, name: html`<code>${name}</code>`, detail: title }),
  },
  {
    label: words.one.columns.toolset,
    cell: (tool) => html`<code>${toolsetOf(tool)}</code>`,
    leftOutOn: 'tablet',
  },
  { label: words.one.columns.effect, cell: ({ effect }) => words.effects[effect], leftOutOn: 'phone' },
  { label: words.one.columns.tokens, cell: (tool) => count(listCostOf(tool)), isNumber: true },
];

function clientsCard({ name, mcp_url }: McpServerView): Html {
  return card({
    id: 'clients',
    title: words.one.clients,
    content: html`${snippetsOf(name, mcp_url).map(
      ({ label, code }) =>
        html`<div class="body">
          <h3>${label}</h3>
          ${copyableCode(label, code)}
        </div>`,
    )}`,
  });
}

async function callsCard(deps: DashboardDependencies, c: DashboardContext, id: string): Promise<Html> {
  const viewer = c.get('viewer');
  const { calls: title, noCalls, allCalls, ofDay } = words.one;
  const [{ executions }, { all, failed }] = await Promise.all([
    deps.executions.list(viewer.caller, { virtualServerId: id, pageSize: LATEST_CALLS }),
    recentCalls(deps, viewer.caller, id),
  ]);
  if (executions.length === 0) return card({ id: 'calls', title, content: empty(noCalls) });
  return card({
    id: 'calls',
    title,
    action: link(`${CALLS_PATH}?server=${id}`, allCalls),
    content: callTable(title, executions, await ownersOf(deps, viewer, executions)),
    foot: ofDay(countedText(all), countedText(failed)),
  });
}
