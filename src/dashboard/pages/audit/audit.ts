/** `/dashboard/audit`: who changed what, for operators; and the same as a file. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { AuditView } from '../../../api-credentials/audit-log.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf, type Named } from '../../access/names.ts';
import { pageOfId } from '../../access/places.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { filters, isFiltered, type Filter } from '../../components/filters.ts';
import { problems } from '../../components/form.ts';
import { time, isolated } from '../../components/format.ts';
import { nameCell, paging, table, withQuery, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Text } from '../../frame/html.ts';
import { sendDownload, showPage } from '../../frame/respond.ts';
import { audit as words } from '../../words/audit.ts';
import { frame } from '../../words/frame.ts';
import { auditQuery } from './audit-query.ts';

const PATH = '/dashboard/audit';

const LABELS = {
  from: words.filters.from,
  until: words.filters.until,
  page_token: frame.paging,
};

/** The page and its line in the navigation. */
export const audit: DashboardPage = {
  entry: { path: PATH, label: words.title, icon: 'log', group: 'start', audience: 'operator' },
  routes: (deps) =>
    new Hono<DashboardEnv>()
      .get(PATH, (c) => showLines(deps, c))
      .get(`${PATH}/export`, async (c) => {
        const viewer = c.get('viewer');
        const filter = await auditQuery(deps, viewer, new URL(c.req.url).searchParams);
        const lines = ReadableStream.from(deps.auditLog.lines(viewer.caller, filter));
        return sendDownload(c, {
          name: 'audit.jsonl',
          contentType: 'application/jsonl; charset=utf-8',
          body: lines.pipeThrough(new TextEncoderStream()),
        });
      }),
};

async function showLines(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const viewer = c.get('viewer');
  const query = new URL(c.req.url).searchParams;
  const pageToken = query.get('page_token') ?? undefined;
  const { done, problems: wrong } = await attempt(async () =>
    deps.auditLog.list(viewer.caller, await auditQuery(deps, viewer, query), { pageToken }),
  );
  const { audit: lines = [], ...links } = done ?? {};
  const names = await allNames(deps, c, lines);
  const fields = listFilters();
  const nothing = isFiltered(query) ? empty(frame.nothingMatches) : empty(words.none);
  return showPage(c, {
    title: words.title,
    lead: words.lead,
    actions: linkButton(withQuery(`${PATH}/export`, query, {}), words.export),
    hasProblems: wrong !== undefined,
    content: html`${problems(wrong ?? [], LABELS)}
    ${card({
      id: 'audit',
      title: words.title,
      content: html`${filters(PATH, query, fields)}
      ${lines.length === 0 ? nothing : table(words.title, columns(names), lines)}`,
      ...('total_size' in links && { foot: paging(PATH, query, links) }),
    })}`,
  });
}

/** Names of actors and targets: people, organizations, credentials. */
async function allNames(
  deps: DashboardDependencies,
  c: DashboardContext,
  lines: readonly AuditView[],
): Promise<ReadonlyMap<string, Named>> {
  const viewer = c.get('viewer');
  const ids = lines.flatMap(({ actor, target }) => [actor, target]);
  const names = await namesOf(deps, viewer, ids);
  if (!ids.some((id) => id.startsWith('cred_'))) return names;
  const credentials = await deps.credentials.list(viewer.caller.environmentId);
  return new Map([
    ...names,
    ...credentials.map(
      ({ id, name }) => [id, { name, detail: id, href: `/dashboard/credentials/${id}` }] as const,
    ),
  ]);
}

function columns(names: ReadonlyMap<string, Named>): Column<AuditView>[] {
  const { who, what, on, from } = words.columns;
  return [
    {
      label: what,
      cell: ({ action, at }) => nameCell({ name: html`<code>${action}</code>`, detail: time(at) }),
    },
    { label: who, cell: ({ actor }) => whoCell(actor, names) },
    { label: on, cell: ({ target }) => targetCell(target, names), leftOutOn: 'phone' },
    { label: from, cell: ({ ip }) => (ip === '' ? words.noAddress : ip), leftOutOn: 'tablet' },
  ];
}

function whoCell(actor: string, names: ReadonlyMap<string, Named>): Text {
  if (actor === 'local') return words.local;
  return targetCell(actor, names);
}

/**
 * A name if one is known, otherwise the id; a link if there is a page. A deleted target has its id, and a link to a
 * page that answers 404.
 */
function targetCell(id: string, names: ReadonlyMap<string, Named>): Text {
  const known = names.get(id);
  if (known !== undefined) {
    const { name, detail, href } = known;
    return nameCell({
      name: isolated(name),
      detail: isolated(detail),
      ...(href !== undefined && { href }),
    });
  }
  const page = pageOfId(id);
  return page === undefined ? html`<code>${id}</code>` : html`<a href="${page}"><code>${id}</code></a>`;
}

function listFilters(): Filter[] {
  const { actor, action, target, from, until, all } = words.filters;
  return [
    { name: 'actor', label: actor, type: 'search' },
    {
      name: 'action',
      label: action,
      choices: [
        { value: '', label: all },
        ...Object.entries(words.subjects).map(([value, label]) => ({ value: `${value}.`, label })),
      ],
    },
    { name: 'target', label: target, type: 'search' },
    { name: 'from', label: from, type: 'datetime-local' },
    { name: 'until', label: until, type: 'datetime-local' },
  ];
}
