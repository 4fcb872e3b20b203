/** The first steps of a new installation, as a checklist that updates itself. */
import { html } from 'hono/html';
import type { Caller } from '../../../core/caller.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { badge } from '../../components/badge.ts';
import { card, linkButton } from '../../components/card.ts';
import { copyableCode } from '../../components/code.ts';
import { actionButton } from '../../components/form.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { overview } from '../../words/overview.ts';
import type { AccountCounts, ConnectionHealth } from './overview-data.ts';

const words = overview.start;

/** The steps, and whether each is done. */
export interface FirstSteps {
  connection: boolean;
  account: boolean;
  tool: boolean;
  agent: boolean;
  people: boolean;
}

type Reader = Pick<DashboardDependencies, 'executions' | 'users'>;

/** @param connections with their accounts */
export async function firstSteps(
  { executions, users }: Reader,
  caller: Caller,
  connections: readonly ConnectionHealth[],
  accounts: AccountCounts,
): Promise<FirstSteps> {
  const one = { pageSize: 1 };
  const [calls, byAgents, known] = await Promise.all([
    executions.list(caller, one),
    executions.list(caller, { ...one, source: 'mcp' }),
    users.list(caller, {}, one),
  ]);
  return {
    // A connection that came with the catalog counts as set up once somebody uses it.
    connection: connections.some(({ connection, accounts: own }) => isSetUp(connection, own)),
    account: accounts.all.count > 0,
    tool: calls.total_size > 0,
    agent: byAgents.total_size > 0,
    people: known.total_size > 1,
  };
}

function isSetUp(connection: ConnectionHealth['connection'], accounts: AccountCounts | undefined): boolean {
  return connection.managed_by_file || connection.client_id !== null || (accounts?.all.count ?? 0) > 0;
}

/** Whether all steps are done. */
export function isStarted(steps: FirstSteps): boolean {
  return Object.values(steps).every(Boolean);
}

/** The card with the list. @param dismissPath path of the POST that hides it */
export function firstStepsCard(c: DashboardContext, steps: FirstSteps, dismissPath: string): Html {
  const { email } = c.get('viewer');
  const url = `${c.get('environment').baseUrl}/mcp`;
  const { signedIn, connection, account, tool, agent, people } = words;
  const rows = [
    step(true, signedIn.what, signedIn.how(email)),
    step(steps.connection, connection.what, connection.how, [
      '/dashboard/connections/new',
      connection.action,
    ]),
    step(steps.account, account.what, account.how, ['/accounts/connect', account.action]),
    step(steps.tool, tool.what, tool.how, ['/dashboard/tools', tool.action]),
    step(
      steps.agent,
      agent.what,
      html`${agent.how}
      ${copyableCode(agent.clients.claude, `claude mcp add --transport http gatehouse ${url}`)}
      ${copyableCode(agent.clients.json, JSON.stringify({ mcpServers: { gatehouse: { type: 'http', url } } }, null, 2))}`,
    ),
    step(steps.people, people.what, people.how, ['/dashboard/users', people.action]),
  ];
  return card({
    id: 'first-steps',
    title: words.title,
    content: html`<ol>
      ${rows.map((row) => row)}
    </ol>`,
    foot: html`<span>${words.lead}</span
      >${actionButton(c, dismissPath, words.dismiss, { kind: 'small plain' })}`,
  });
}

function step(
  isDone: boolean,
  what: string,
  how: Text,
  action?: readonly [href: string, label: string],
): Html {
  return html`<li class="tick ${isDone ? 'done' : ''}">
    <span class="mark" aria-hidden="true">${isDone ? '✓' : ''}</span>
    <span><b>${what}</b>${isDone ? '' : html`<span class="how">${how}</span>`}</span>
    ${
      isDone ? badge('ok', words.done) : action === undefined ? '' : linkButton(action[0], action[1], 'small')
    }
  </li>`;
}
