/** `/dashboard/accounts/{id}`: one account with its history, permissions and calls, and the actions for it. */
import type { Catalog } from '../../../catalog/model/types.ts';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { AccountEvent } from '../../../accounts/accounts.ts';
import type { AccountView } from '../../../accounts/account-views.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf, type Named } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card, empty, facts, link, linkButton, twoColumns } from '../../components/card.ts';
import { codeBlock, copyable } from '../../components/code.ts';
import { actionButton, refusal } from '../../components/form.ts';
import { duration, time, timeOrNone, isolated } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { accounts as words } from '../../words/accounts.ts';
import { calls as callWords } from '../../words/calls.ts';
import { outcomeBadge } from '../calls/outcome.ts';
import { appTitle, ownerCell, PATH, saidName, statusBadge } from './account-cells.ts';
import { grantedScopes, permissionsCard } from './permissions.ts';

/** Number of calls shown for one account. */
const LATEST_CALLS = 8;

/** The page of one account, its link and its renewal. */
export function accountRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { accountRefresh, flashes, links, posted } = deps;
  return new Hono<DashboardEnv>()
    .get(`${PATH}/:id`, (c) => showAccount(deps, c, c.req.param('id')))
    .post(`${PATH}/:id/link`, async (c) => {
      const id = c.req.param('id');
      await posted.read(c);
      const { caller } = c.get('viewer');
      const { identifier } = await deps.accounts.describe(caller, { id });
      const { done, problems: wrong } = await attempt(() => links.create(caller, { id }));
      if (wrong !== undefined) return showAccount(deps, c, id, wrong);
      return showLink(c, { ...done, identifier, account: `${PATH}/${id}` });
    })
    .post(`${PATH}/:id/refresh`, async (c) => {
      const id = c.req.param('id');
      await posted.read(c);
      const { problems: wrong } = await attempt(() => accountRefresh.refresh(c.get('viewer').caller, id));
      if (wrong !== undefined) return showAccount(deps, c, id, wrong);
      return flashes.goTo(c, `${PATH}/${id}`, words.refreshed);
    });
}

/** The page with a new link. It is the answer to the POST, so its address shows nothing later. */
export function showLink(
  c: DashboardContext,
  made: { link: string; expiry: string; identifier: string; account?: string },
): Response | Promise<Response> {
  return showPage(c, {
    title: words.link.title(made.identifier),
    lead: c.get('viewer').isOperator ? words.link.lead : words.link.own,
    content: card({
      id: 'link',
      kind: 'narrow',
      title: words.link.card,
      content: html`<div class="body">${copyable(made.link, words.link.name)}</div>
        ${facts([{ label: words.link.until, value: time(made.expiry), hint: words.link.once }])}
        <div class="buttons">
          ${linkButton(made.account ?? PATH, made.account === undefined ? words.bulk.cancel : words.link.back)}
        </div>`,
    }),
  });
}

async function showAccount(
  deps: DashboardDependencies,
  c: DashboardContext,
  id: string,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const viewer = c.get('viewer');
  const catalog = deps.catalog.in(viewer.caller.environmentId);
  const account = await deps.accounts.describe(viewer.caller, { id });
  const [events, names, permissions, calls] = await Promise.all([
    deps.accounts.events(viewer.caller, id),
    namesOf(deps, viewer, [account.user_id, account.organization_id]),
    permissionsCard(deps, c, account),
    callsCard(deps, c, account),
  ]);
  const actors = await namesOf(
    deps,
    viewer,
    events.map(({ actor }) => actor),
  );
  const content = html`${refusal(wrong)}
  ${twoColumns(html`<div class="col">${factsCard(catalog, account, names)} ${permissions}</div>`, historyCard(events, actors))}
  ${calls} ${configCard(account)}`;
  return showPage(c, {
    title: account.identifier,
    lead: html`${statusBadge(account.status)} ${appTitle(account, catalog)}`,
    actions: actions(c, account),
    content,
    hasProblems: wrong.length > 0,
  });
}

function actions(c: DashboardContext, account: AccountView): Html {
  const path = `${PATH}/${account.id}`;
  const { status } = account;
  const isNew = status === 'PENDING_AUTH' || status === 'PENDING_VERIFICATION';
  const isRenewable = account.token_expires_at !== null || grantedScopes(account) !== undefined;
  const { link: make, reconnect, refresh, disconnect, delete: remove } = words.actions;
  return html`<div class="buttons-row">
    ${status === 'ACTIVE' && isRenewable ? actionButton(c, `${path}/refresh`, refresh) : ''}
    ${actionButton(c, `${path}/link`, isNew ? make : reconnect, { kind: status === 'ACTIVE' ? '' : 'primary' })}
    ${status === 'DISCONNECTED' ? '' : linkButton(`${path}/disconnect`, disconnect, 'danger')}
    ${linkButton(`${path}/delete`, remove, 'danger')}
  </div>`;
}

function factsCard(catalog: Catalog, account: AccountView, names: ReadonlyMap<string, Named>): Html {
  const { labels } = words.one;
  const { token_expires_at: expiry, last_used_at: used } = account;
  const said = saidName(account);
  return card({
    id: 'facts',
    title: words.one.facts,
    content: facts([
      { label: labels.app, value: catalog.connectors.get(account.provider)?.title ?? account.provider },
      { label: labels.connection, value: html`<code>${account.connector}</code>` },
      { label: labels.owner, value: ownerCell(account, names) },
      { label: labels.identifier, value: isolated(account.identifier) },
      ...(said === '' ? [] : [{ label: labels.said, value: isolated(said) }]),
      { label: labels.id, value: copyable(account.id, labels.id) },
      { label: labels.type, value: html`<code>${account.authorization_type}</code>` },
      { label: labels.lastUsed, value: used === null ? words.never : time(used) },
      {
        label: labels.expiry,
        value: timeOrNone(expiry),
        ...(expiry !== null && account.status === 'ACTIVE' && { hint: words.one.expiryHint }),
      },
      { label: labels.updated, value: time(account.updated_at) },
    ]),
  });
}

function historyCard(events: readonly AccountEvent[], actors: ReadonlyMap<string, Named>): Html {
  const { history, noHistory, by, statusFrom } = words.one;
  return card({
    id: 'history',
    title: history,
    content:
      events.length === 0
        ? empty(noHistory)
        : html`<ol class="timeline">
            ${events.toReversed().map(
              ({ at, from, to, cause, actor }) =>
                html`<li>
                  ${statusBadge(to)}
                  <p>${cause.replaceAll('_', ' ')} ${by(actorName(actor, actors))}</p>
                  <small
                    >${time(at)}${from === null || from === to ? '' : html` · ${statusFrom(from)}`}</small
                  >
                </li>`,
            )}
          </ol>`,
  });
}

function actorName(actor: string, actors: ReadonlyMap<string, Named>): string {
  if (actor === 'local') return words.one.local;
  if (actor === 'provider') return words.one.provider;
  return actors.get(actor)?.name ?? actor;
}

async function callsCard(
  deps: DashboardDependencies,
  c: DashboardContext,
  { id, provider }: AccountView,
): Promise<Html> {
  const { executions } = await deps.executions.list(c.get('viewer').caller, {
    connectedAccountId: id,
    pageSize: LATEST_CALLS,
  });
  type Call = (typeof executions)[number];
  const columns = [
    {
      label: callWords.columns.tool,
      cell: (call: Call): Text =>
        nameCell({
          href: `/dashboard/calls/${call.execution_id}`,
          name: html`<code>${call.tool_name}</code>`,
        }),
    },
    { label: callWords.columns.time, cell: (call: Call): Text => time(call.at), leftOutOn: 'phone' as const },
    {
      label: callWords.columns.took,
      cell: (call: Call): Text => duration(call.duration_ms),
      isNumber: true,
      leftOutOn: 'phone' as const,
    },
    { label: callWords.columns.outcome, cell: (call: Call): Text => outcomeBadge(call) },
  ];
  return card({
    id: 'calls',
    title: words.one.calls,
    ...(executions.length > 0 && {
      action: link(`/dashboard/calls?account=${encodeURIComponent(id)}`, words.one.allCalls),
    }),
    content:
      executions.length === 0
        ? empty(
            words.one.noCalls,
            linkButton(`/dashboard/tools?app=${encodeURIComponent(provider)}`, callWords.try),
          )
        : table(words.one.calls, columns, executions),
  });
}

function configCard({ api_config: config }: AccountView): Html {
  const { config: title, noConfig } = words.one;
  const isEmpty = Object.keys(config).length === 0;
  return card({
    id: 'config',
    title,
    content: isEmpty ? empty(noConfig) : codeBlock(title, JSON.stringify(config, null, 2)),
  });
}
