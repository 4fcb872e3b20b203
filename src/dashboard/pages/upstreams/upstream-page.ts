/** The page of one remote MCP server: things that wait for a person first, then its data and its tools. */
import { html } from 'hono/html';
import type { ToolDiff, ToolFormView } from '../../../upstream/operators/tool-forms.ts';
import type { UpstreamFinding, UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import { spelled } from '../../../upstream/definitions/plain-text.ts';
import type { Named } from '../../access/names.ts';
import { badge, type Tone } from '../../components/badge.ts';
import { card, empty, facts, link, linkButton, twoColumns } from '../../components/card.ts';
import { copyable } from '../../components/code.ts';
import { actionButton, refusal } from '../../components/form.ts';
import { count, isolated, shortId, time, timeOrNone } from '../../components/format.ts';
import { note, warnings } from '../../components/note.ts';
import { nameCell, paging, table } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { frame } from '../../words/frame.ts';
import { upstreams as words } from '../../words/upstreams.ts';
import { effectBadge } from '../tools/tool-list.ts';
import { authorizationCard } from './authorization-card.ts';
import { foreignText, seen } from './foreign-text.ts';
import { upstreamPath } from './paths.ts';
import { pieceOf } from './pieces.ts';
import { stateBadge } from './upstream-list.ts';
import { heldFirst, sizeOf, titleOf, waitingForms } from './waiting-forms.ts';

/** Stored data of one server. */
export interface StoredUpstream {
  upstream: UpstreamView;
  /** Every form of its tools. */
  forms: readonly ToolFormView[];
  /** Forms that wait for a person. */
  waiting: readonly ToolDiff[];
  /** Names of the people who decided. */
  names: ReadonlyMap<string, Named>;
}

/** Limits of the first waiting forms; the others have a page of their own. */
const FIRST = { rows: 5, size: 100_000 };

const TOOLS = { rows: 100, size: 0 };

const TONES: Readonly<Record<ToolFormView['state'], Tone>> = {
  new: 'info',
  approved: 'ok',
  held: 'wait',
  gone: 'idle',
};

/** Fields whose findings are not listed, because the page shows more about them. */
const SAID_ELSEWHERE = new Set(['tools', 'authorization_server_change']);

/** The result of a look just now, or the reason why there is none. */
export interface Probed {
  findings: readonly UpstreamFinding[];
  problems: readonly FieldViolation[];
}

/** The page. @param probed after a look */
export function upstreamPage(c: DashboardContext, stored: StoredUpstream, probed?: Probed): Page {
  const { upstream, waiting } = stored;
  const notes = upstream.findings.filter(({ field }) => !SAID_ELSEWHERE.has(field));
  const query = new URL(c.req.url).searchParams;
  return {
    title: upstream.title,
    lead: isolated(upstream.url),
    hasProblems: (probed?.problems.length ?? 0) > 0,
    actions: html`<div class="acts-row">
      ${actionButton(c, `${upstreamPath(upstream)}/probe`, words.probe.button)}
      ${upstream.registration?.way === 'dynamic' ? linkButton(`${upstreamPath(upstream)}/reregister`, words.reregister.link) : ''}
      ${upstream.added_at === null ? '' : linkButton(`${upstreamPath(upstream)}/edit`, words.edit.link)}
      ${upstream.added_at === null ? '' : linkButton(`${upstreamPath(upstream)}/remove`, words.remove.link, 'danger')}
    </div>`,
    content: html`${probed === undefined ? '' : probedCard(probed, upstream)}
    ${upstream.added_at === null ? note(words.declaredNote) : ''} ${changeCard(upstream)}
    ${waitingCard(upstream, waiting)}
    ${twoColumns(
      html`<div class="col">${notesCard(notes)} ${factsCard(upstream)}</div>`,
      html`<div class="col">${authorizationCard(upstream)}</div>`,
    )}
    ${toolsCard(stored, query)}`,
  };
}

/** The card with the result of a look. Stored data is elsewhere on the page. */
function probedCard({ findings, problems: found }: Probed, upstream: UpstreamView): Text {
  if (found.length > 0) return refusal(found);
  const news = findings.filter(({ message }) => upstream.findings.every((one) => one.message !== message));
  const { heading, nothing } = words.probe;
  return card({
    id: 'probed',
    title: heading,
    content: news.length === 0 ? empty(nothing) : findingList(news),
  });
}

function changeCard(upstream: UpstreamView): Text {
  const { issuer, authorization_server_change: change } = upstream;
  if (change === null) return '';
  const { change: texts } = words;
  return card({
    id: 'change',
    title: texts.heading,
    action: linkButton(`${upstreamPath(upstream)}/accept`, words.decide, 'small primary'),
    content: html`<p class="under">${texts.lead}</p>
      ${facts([
        { label: texts.before, value: issuer === null ? frame.none : isolated(spelled(issuer)) },
        { label: texts.after, value: isolated(spelled(change.issuer)) },
        { label: texts.origins, value: listOf(change.origins.map(isolated)) },
        { label: texts.found, value: timeOrNone(change.found_at) },
      ])}`,
  });
}

function waitingCard(upstream: UpstreamView, waiting: readonly ToolDiff[]): Text {
  if (waiting.length === 0) return '';
  const { rows } = pieceOf(heldFirst(waiting), undefined, FIRST, sizeOf);
  return card({
    id: 'waiting',
    title: html`${words.waiting.heading} ${badge('wait', count(waiting.length), true)}`,
    action: linkButton(`${upstreamPath(upstream)}/approve`, words.decide, 'small primary'),
    content: html`<p class="under">${words.waiting.lead}</p>
      ${waitingForms(rows)}`,
  });
}

/** The card with notes; nothing if there are none. */
function notesCard(findings: readonly UpstreamFinding[]): Text {
  if (findings.length === 0) return '';
  return card({ id: 'notes', title: words.notes, content: findingList(findings) });
}

/** Findings, the most severe first. */
export function findingList(findings: readonly UpstreamFinding[]): Html {
  const quiet = findings.filter(({ severity }) => severity === 'info');
  const loud = findings.filter(({ severity }) => severity !== 'info');
  return html`${loud.length === 0 ? '' : warnings(loud.map(({ message }) => seen(message)))}
  ${quiet.length === 0 ? '' : html`<div class="body">${listOf(quiet.map(({ message }) => seen(message)))}</div>`}`;
}

function listOf(sentences: readonly Text[]): Html {
  return html`<ul class="plain-list">
    ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
  </ul>`;
}

/** The data of a server, stored or from a look. */
export function factsCard(upstream: UpstreamView): Html {
  const { facts: labels } = words;
  const { server, era, state } = upstream;
  const said = [server?.name, server?.version]
    .filter((word) => word !== null && word !== undefined)
    .join(' ');
  const instructions = server?.instructions ?? '';
  return card({
    id: 'facts',
    title: labels.heading,
    action: stateBadge(upstream),
    content: facts([
      { label: labels.address, value: copyable(upstream.url, labels.address) },
      { label: labels.connector, value: isolated(upstream.connector) },
      ...(state === 'not_added' ? [] : usageRows(upstream)),
      ...(said === '' ? [] : [{ label: labels.says, value: foreignText(said) }]),
      ...(instructions === '' ? [] : [{ label: labels.instructions, value: foreignText(instructions) }]),
      ...(era === null ? [] : [{ label: labels.era, value: labels.eras[era] }]),
      { label: labels.approval, value: labels.approvals[upstream.approval] },
      ...moments(labels.news, upstream.listed_at),
      ...moments(labels.added, upstream.added_at),
      ...moments(labels.failing, upstream.unavailable_since),
      ...moments(labels.spared, upstream.unavailable_until),
    ]),
  });
}

function usageRows(upstream: UpstreamView): { label: string; value: Text }[] {
  const { facts: labels } = words;
  const { name, connection_id: connection, connector, accounts } = upstream;
  return [
    {
      label: labels.connection,
      value:
        connection === null
          ? html`${words.connectionNote} ${link(newConnection(connector), words.makeConnection)}`
          : link(`/dashboard/connections/${connection}`, isolated(name)),
    },
    { label: labels.accounts, value: link(accountsOf(name), words.accounts(count(accounts))) },
  ];
}

function moments(label: string, at: string | null): { label: string; value: Text }[] {
  return at === null ? [] : [{ label, value: time(at) }];
}

function newConnection(connector: string): string {
  return `/dashboard/connections/new?${new URLSearchParams({ connector }).toString()}`;
}

/** Path of the accounts of a server. */
export function accountsOf(connector: string): string {
  return `/dashboard/accounts?${new URLSearchParams({ connector }).toString()}`;
}

function toolsCard({ upstream, forms, names }: StoredUpstream, query: URLSearchParams): Html {
  const { tools: texts } = words;
  const { columns } = texts;
  const { rows, links } = pieceOf(forms, query.get('page_token') ?? undefined, TOOLS);
  if (rows.length === 0)
    return card({
      id: 'tools',
      title: texts.heading,
      content: empty(texts.none, linkButton(accountsOf(upstream.name), texts.connect)),
    });
  return card({
    id: 'tools',
    title: texts.heading,
    action: html`<p>${texts.sum(count(upstream.tools.approved), count(upstream.tools.waiting))}</p>`,
    content: html`<p class="under">${texts.pinNote}</p>
      ${table<ToolFormView>(
        texts.heading,
        [
          { label: columns.tool, cell: toolOf },
          {
            label: columns.state,
            cell: ({ state }) => badge(TONES[state], words.waiting.states[state]),
          },
          { label: columns.effect, cell: ({ effect }) => effectBadge(effect), leftOutOn: 'phone' },
          { label: columns.pin, cell: ({ hash }) => shortId(hash), leftOutOn: 'tablet' },
          { label: columns.decided, cell: (form) => decided(form, names), leftOutOn: 'phone' },
        ],
        rows,
      )}`,
    foot: paging(upstreamPath(upstream), query, links),
  });
}

function toolOf({ name, tool, state }: ToolFormView): Html {
  return nameCell({
    ...(state === 'approved' && name !== null && { href: `/dashboard/tools/${encodeURIComponent(name)}` }),
    name: titleOf({ name, tool }),
    ...(name !== null && name !== tool && { detail: spelled(tool) }),
  });
}

function decided({ decided_at: at, decided_by: by }: ToolFormView, names: ReadonlyMap<string, Named>): Text {
  if (at === null) return frame.none;
  return html`${time(at)}
  ${by === null ? '' : html`<small>${words.tools.by(names.get(by)?.name ?? by)}</small>`}`;
}
