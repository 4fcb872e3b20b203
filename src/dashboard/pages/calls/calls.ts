/** `/dashboard/calls`: what ran, newest first, filtered by the address; as a file; and one call. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { ExecutionPage } from '../../../executor/execution-list.ts';
import { CALL_SOURCES } from '../../../core/stored-words.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { Named } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { filters, isFiltered, type Filter } from '../../components/filters.ts';
import { problems } from '../../components/form.ts';
import { livePart, liveSwitch } from '../../components/live.ts';
import { paging, withQuery } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { isPartial, sendDownload, showPage, showPart } from '../../frame/respond.ts';
import { calls as words } from '../../words/calls.ts';
import { frame } from '../../words/frame.ts';
import { callsAsCsv } from './call-export.ts';
import { callPage } from './call-page.ts';
import { callQuery } from './call-query.ts';
import { callTable, CALLS_PATH as PATH, ownersOf } from './call-table.ts';

/** The page and its line in the navigation. */
export const calls: DashboardPage = {
  entry: { path: PATH, label: words.title, icon: 'pulse', group: 'start', audience: 'organization' },
  routes: (deps) => {
    const routes = new Hono<DashboardEnv>();
    routes.get(PATH, async (c) => list(deps, c));
    routes.get(`${PATH}/export`, (c) => {
      const name = `calls-${new Date(deps.clock.now()).toISOString().slice(0, 10)}.csv`;
      const body = callsAsCsv(deps.executions, c.get('viewer').caller, callQuery(queryOf(c)));
      return sendDownload(c, { name, contentType: 'text/csv; charset=utf-8', body });
    });
    routes.get(`${PATH}/:id`, async (c) => showPage(c, await callPage(deps, c, c.req.param('id'))));
    return routes;
  },
};

async function list(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const query = queryOf(c);
  const { caller } = c.get('viewer');
  const choices = await filterFields(deps, c);
  const { done, problems: wrong } = await attempt(async () =>
    deps.executions.list(caller, { ...callQuery(query), pageToken: query.get('page_token') ?? undefined }),
  );
  if (done === undefined) {
    const labels = Object.fromEntries(choices.map(({ name, label }) => [name, label]));
    const content = html`${problems(wrong, labels)}
    ${card({ id: 'calls', title: words.title, content: filters(PATH, query, choices) })}`;
    return showPage(c, { title: words.title, content, hasProblems: true });
  }
  const rows = listed(query, done, await ownersOf(deps, c.get('viewer'), done.executions));
  if (isPartial(c)) return showPart(c, html`${rows}`);
  return showPage(c, page(query, choices, done, rows));
}

function page(query: URLSearchParams, choices: readonly Filter[], found: ExecutionPage, rows: Text): Page {
  return {
    title: words.title,
    lead: words.lead,
    actions: html`${liveSwitch(PATH, query)}${linkButton(withQuery(`${PATH}/export`, query, { live: '' }), words.export)}`,
    content: card({
      id: 'calls',
      title: words.title,
      content: html`${filters(PATH, query, choices)} ${livePart(PATH, query, html`${rows}`)}`,
      foot: paging(PATH, query, found),
    }),
  };
}

function listed(
  query: URLSearchParams,
  { executions }: ExecutionPage,
  owners: ReadonlyMap<string, Named>,
): Html {
  if (executions.length > 0) return callTable(words.title, executions, owners);
  return isFiltered(query)
    ? empty(frame.nothingMatches)
    : empty(words.none, linkButton('/dashboard/tools', words.try));
}

async function filterFields(
  { connections, mcpServers }: DashboardDependencies,
  c: DashboardContext,
): Promise<readonly Filter[]> {
  const { caller, isOperator } = c.get('viewer');
  const [apps, servers] = isOperator
    ? await Promise.all([connections.list(caller.environmentId), mcpServers.list(caller)])
    : [[], []];
  const all = { value: '', label: words.filters.all };
  const { filters: labels, sources } = words;
  return [
    { name: 'tool', label: labels.tool },
    ...(isOperator
      ? [
          {
            name: 'connector',
            label: labels.app,
            choices: [all, ...apps.map(({ name }) => ({ value: name, label: name }))],
          },
        ]
      : [{ name: 'connector', label: labels.app }]),
    { name: 'account', label: labels.account, placeholder: 'ca_…' },
    ...(isOperator ? [{ name: 'user_id', label: labels.person }] : []),
    {
      name: 'status',
      label: labels.outcome,
      choices: [all, { value: 'ok', label: labels.ok }, { value: 'error', label: labels.error }],
    },
    {
      name: 'error_code',
      label: labels.code,
      choices: [all, ...Object.keys(words.advice).map((value) => ({ value, label: value }))],
    },
    {
      name: 'source',
      label: labels.source,
      choices: [all, ...CALL_SOURCES.map((value) => ({ value, label: sources[value] ?? value }))],
    },
    ...(servers.length > 0
      ? [
          {
            name: 'server',
            label: labels.server,
            choices: [all, ...servers.map(({ id, name }) => ({ value: id, label: name }))],
          },
        ]
      : []),
    { name: 'from', label: labels.from, type: 'datetime-local' },
    { name: 'to', label: labels.to, type: 'datetime-local' },
  ];
}

function queryOf(c: DashboardContext): URLSearchParams {
  return new URL(c.req.url).searchParams;
}
