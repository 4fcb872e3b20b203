/** The list of tools. It shows apps first, and tools once an app or a search text is chosen. */
import { html } from 'hono/html';
import type { Catalog, Connector, Effect, Tool } from '../../../catalog/model/types.ts';
import { badge, monogram, type Tone } from '../../components/badge.ts';
import { card, empty } from '../../components/card.ts';
import { filters, type Filter } from '../../components/filters.ts';
import { count } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Html } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { frame } from '../../words/frame.ts';
import { tools as words } from '../../words/tools.ts';
import { listCostOf } from './tool-cost.ts';

export const TOOLS_PATH = '/dashboard/tools';

/** Effects, from harmless to dangerous. */
const EFFECTS = ['read', 'create', 'update', 'delete'] as const;

const TONES: Readonly<Record<Effect, Tone>> = { read: 'info', create: 'idle', update: 'wait', delete: 'bad' };

/** The effect of a tool, as a quiet label. */
export function effectBadge(effect: Effect): Html {
  return badge(TONES[effect], words.effects[effect], true);
}

/** The page of a query: `q`, `app` and `effect`. */
export function toolListPage(catalog: Catalog, query: URLSearchParams): Page {
  const wanted = {
    q: (query.get('q') ?? '').trim().toLowerCase(),
    app: query.get('app') ?? '',
    effect: query.get('effect') ?? '',
  };
  const isNarrowed = Object.values(wanted).some((value) => value !== '');
  const found = [...catalog.tools.values()].filter((tool) => isWanted(catalog, tool, wanted));
  const form = card({
    id: 'search',
    title: words.filters.title,
    content: filters(TOOLS_PATH, query, filterFields(catalog)),
  });
  return {
    title: words.title,
    lead: isNarrowed ? words.lead : `${words.lead} ${words.appsLead}`,
    content: html`${form} ${isNarrowed ? toolsetCards(catalog, found, query) : appsCard(catalog, query)}`,
  };
}

function isWanted(
  { connectors }: Catalog,
  tool: Tool,
  { q, app, effect }: { q: string; app: string; effect: string },
): boolean {
  if (app !== '' && tool.connector !== app) return false;
  if (effect !== '' && tool.effect !== effect) return false;
  const texts = [tool.name, tool.title, tool.description, connectors.get(tool.connector)?.title ?? ''];
  return q.split(/\s+/).every((word) => texts.some((text) => text.toLowerCase().includes(word)));
}

function filterFields({ connectors }: Catalog): readonly Filter[] {
  const all = { value: '', label: words.filters.all };
  return [
    { name: 'q', label: words.filters.query, type: 'search', placeholder: words.filters.placeholder },
    {
      name: 'app',
      label: words.filters.app,
      choices: [all, ...[...connectors.values()].map(({ name, title }) => ({ value: name, label: title }))],
    },
    {
      name: 'effect',
      label: words.filters.effect,
      choices: [all, ...EFFECTS.map((value) => ({ value, label: words.effects[value] }))],
    },
  ];
}

function appsCard({ connectors, tools }: Catalog, query: URLSearchParams): Html {
  const byApp = Map.groupBy(tools.values(), ({ connector }) => connector);
  const apps = [...connectors.values()].flatMap((connector) => {
    const own = byApp.get(connector.name);
    return own === undefined ? [] : [{ connector, own }];
  });
  type App = (typeof apps)[number];
  const columns = [
    {
      label: words.columns.app,
      cell: ({ connector }: App) =>
        nameCell({
          drawing: monogram(connector.title),
          href: `${TOOLS_PATH}?${new URLSearchParams({ app: connector.name }).toString()}`,
          name: connector.title,
          detail: connector.description,
        }),
      sort: { name: 'app', value: ({ connector }: App) => connector.title },
    },
    {
      label: words.columns.tools,
      cell: ({ own }: App) => count(own.length),
      isNumber: true,
      sort: { name: 'tools', value: ({ own }: App) => own.length },
    },
    {
      label: words.columns.reads,
      cell: ({ own }: App) => count(own.filter(({ effect }) => effect === 'read').length),
      isNumber: true,
      leftOutOn: 'phone' as const,
    },
    {
      label: words.columns.tokens,
      cell: ({ own }: App) => count(costOf(own)),
      isNumber: true,
      sort: { name: 'tokens', value: ({ own }: App) => costOf(own) },
    },
  ];
  return card({
    id: 'apps',
    title: words.apps,
    content:
      apps.length === 0
        ? empty(words.noTools)
        : table(words.listed(words.columns.app), columns, apps, { path: TOOLS_PATH, query }),
    foot: words.tokensHint,
  });
}

function toolsetCards({ connectors }: Catalog, found: readonly Tool[], query: URLSearchParams): Html {
  if (found.length === 0)
    return card({
      id: 'found',
      title: words.title,
      content: empty(frame.nothingMatches),
    });
  const byToolset = Map.groupBy(found, ({ connector, toolset }) => `${connector}.${toolset}`);
  return html`${[...byToolset].map(([id, own]) =>
    toolsetCard(`set-${id.replaceAll('.', '-')}`, connectors.get(own[0]?.connector ?? ''), own, query),
  )}`;
}

function toolsetCard(
  id: string,
  connector: Connector | undefined,
  own: readonly Tool[],
  query: URLSearchParams,
): Html {
  const columns = [
    {
      label: words.columns.tool,
      cell: (tool: Tool) => nameCell({ href: toolPath(tool), name: tool.title, detail: tool.name }),
      sort: { name: 'tool', value: (tool: Tool) => tool.title },
    },
    { label: words.columns.effect, cell: ({ effect }: Tool) => effectBadge(effect) },
    {
      label: words.columns.tokens,
      cell: (tool: Tool) => count(listCostOf(tool)),
      isNumber: true,
      sort: { name: 'tokens', value: listCostOf },
      leftOutOn: 'phone' as const,
    },
  ];
  const title = `${connector?.title ?? ''} · ${words.toolset(own[0]?.toolset ?? '')}`;
  return card({
    id,
    title,
    content: table(words.listed(title), columns, own, { path: TOOLS_PATH, query }),
    foot: html`<span>${frame.total(count(own.length), false)}</span
      ><span>${words.inList(count(costOf(own)))}</span>`,
  });
}

/** Address of a tool's page. */
export function toolPath({ name }: Pick<Tool, 'name'>): string {
  return `${TOOLS_PATH}/${encodeURIComponent(name)}`;
}

function costOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + listCostOf(tool), 0);
}
