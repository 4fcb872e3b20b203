/** One call: how it ended, on whose account, and where its time went. */
import { html } from 'hono/html';
import { ServiceError } from '../../../core/errors.ts';
import type { AccountView } from '../../../accounts/account-views.ts';
import type { ExecutionDetails } from '../../../executor/execution-list.ts';
import type { McpServerView } from '../../../virtual-servers/mcp-servers.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import type { NameServices } from '../../access/names.ts';
import { tag } from '../../components/badge.ts';
import { card, facts, linkButton, twoColumns } from '../../components/card.ts';
import { meter } from '../../components/chart.ts';
import { copyable } from '../../components/code.ts';
import { duration, time } from '../../components/format.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { calls } from '../../words/calls.ts';
import { frame } from '../../words/frame.ts';
import { ownerOf, ownersOf } from './call-table.ts';
import { stepsCard } from './call-steps.ts';
import { isWaiting, outcomeBadge } from './outcome.ts';

const words = calls.one;

/** @throws ServiceError RESOURCE_NOT_FOUND, also for a call out of the viewer's reach */
export async function callPage(
  {
    executions,
    accounts,
    mcpServers,
    ...services
  }: NameServices & Pick<DashboardDependencies, 'executions' | 'accounts' | 'mcpServers'>,
  c: DashboardContext,
  id: string,
): Promise<Page> {
  const viewer = c.get('viewer');
  const { caller } = viewer;
  const call = await executions.describe(caller, id);
  const accountId = call.connected_account_id;
  const account =
    accountId === null ? undefined : await existing(accounts.describe(caller, { id: accountId }));
  const serverId = viewer.isOperator ? call.virtual_server_id : null;
  const server = serverId === null ? undefined : await existing(mcpServers.get(caller, serverId));
  const owner = ownerOf(call, await ownersOf(services, viewer, [call]));
  return {
    title: call.tool_name,
    content: twoColumns(
      html`<div class="col">
        ${factsCard(call, { account, owner, server: serverOf(serverId, server) })} ${errorCard(call, account)}
      </div>`,
      html`<div class="col">${timesCard(call)} ${stepsCard(call)}</div>`,
      'start',
    ),
  };
}

/**
 * `undefined` for a thing that no longer exists: an account or virtual server may be deleted while its calls are
 * kept.
 */
async function existing<T>(one: Promise<T>): Promise<T | undefined> {
  try {
    return await one;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND') return undefined;
    throw error;
  }
}

function factsCard(
  call: ExecutionDetails,
  { account, owner, server }: { account: AccountView | undefined; owner: Text; server: Text | undefined },
): Html {
  return card({
    id: 'facts',
    title: words.facts,
    action: outcomeBadge(call),
    content: facts([
      { label: words.tool, value: toolLink(call) },
      { label: words.at, value: time(call.at) },
      { label: words.account, value: accountOf(call, account) },
      { label: words.app, value: call.connector ?? frame.none },
      { label: words.owner, value: owner },
      { label: words.source, value: tag(calls.sources[call.source] ?? call.source) },
      ...(server === undefined ? [] : [{ label: words.server, value: server }]),
      { label: words.id, value: copyable(call.execution_id, words.id) },
    ]),
    foot: html`<span>${words.never}</span>`,
  });
}

/** A link to the tool; a plain text for a proxy request, which has no tool. */
function toolLink({ tool_name: name }: ExecutionDetails): Html {
  const shown = html`<span class="mono">${name}</span>`;
  return name === 'proxy'
    ? shown
    : html`<a class="link" href="/dashboard/tools/${encodeURIComponent(name)}">${shown}</a>`;
}

function accountOf({ connected_account_id: id }: ExecutionDetails, account: AccountView | undefined): Text {
  if (id === null) return words.noAccount;
  if (account === undefined) return html`<span class="mono">${id}</span><small>${words.gone}</small>`;
  return html`<a class="link" href="/dashboard/accounts/${id}"><bdi>${account.identifier}</bdi></a
    ><small class="mono">${id}</small>`;
}

function serverOf(id: string | null, server: McpServerView | undefined): Text | undefined {
  if (id === null) return undefined;
  return server === undefined
    ? html`<span class="mono">${id}</span><small>${words.serverGone}</small>`
    : html`<a class="link" href="/dashboard/servers/${id}">${server.name}</a>`;
}

function errorCard(call: ExecutionDetails, account: AccountView | undefined): Text {
  const { error_code: code, error_message: message, provider_status: status } = call;
  if (code === null) return '';
  return card({
    id: 'error',
    title: words.error,
    content: facts([
      { label: words.code, value: html`<span class="mono">${code}</span>` },
      ...(message === null ? [] : [{ label: words.message, value: message }]),
      ...(status === null ? [] : [{ label: words.status, value: String(status), hint: words.statusHint }]),
      { label: words.advice, value: calls.advice[code] ?? frame.none },
    ]),
    ...(isWaiting(code) && {
      foot: html`<span>${words.link}</span>${
          account === undefined
            ? ''
            : linkButton(`/dashboard/accounts/${account.id}`, words.openAccount, 'small')
        }`,
    }),
  });
}

function timesCard(call: ExecutionDetails): Html {
  const {
    own_ms: own,
    queue_ms: queue,
    provider_ms: provider,
    duration_ms: whole,
    attempts,
    refreshed,
  } = call;
  const isNoted = own !== null && queue !== null && provider !== null;
  const rows = [
    { label: words.provider, hint: words.providerHint, ms: provider },
    { label: words.queue, hint: words.queueHint, ms: queue },
    { label: words.own, hint: words.ownHint, ms: own },
  ];
  return card({
    id: 'times',
    title: words.path,
    action: html`<b class="num">${duration(whole)}</b>`,
    content: html`${isNoted ? html`<div class="body">${meter([provider, queue, own], 'stack', 'idle')}</div>` : ''}
      <ul class="states">
        ${
          isNoted
            ? rows.map(
                ({ label, hint, ms }) =>
                  html`<li>
                    <span>${label}<br /><span class="soft">${hint}</span></span
                    ><b>${duration(ms ?? 0)}</b>
                  </li>`,
              )
            : html`<li>${words.notNoted}</li>`
        }
      </ul>`,
    foot: html`<span
      >${attempts === null ? '' : attempts === 0 ? words.notSent : words.attempts(attempts)}
      ${refreshed === true ? words.refreshed : ''}</span
    >`,
  });
}
