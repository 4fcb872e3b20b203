/**
 * `/dashboard/connections/{id}`: the redirect URI first, then the values that are set or missing and the steps to
 * set it up.
 */
import { html } from 'hono/html';
import type { Tool } from '../../../catalog/model/types.ts';
import type { ConnectionView } from '../../../connections/connection-views.ts';
import type { ConnectionUsage } from '../../../connections/connections.ts';
import { card, facts, link, linkButton, twoColumns } from '../../components/card.ts';
import { codeBlock, copyable } from '../../components/code.ts';
import { count, time } from '../../components/format.ts';
import { note, warnings } from '../../components/note.ts';
import { tag } from '../../components/badge.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { frame } from '../../words/frame.ts';
import { connections as words } from '../../words/connections.ts';
import type { ConnectionShape } from './connection-shape.ts';

/** Path of the list. */
export const CONNECTIONS = '/dashboard/connections';

/** Path of one connection. */
export function connectionPath({ id }: { id: string }): string {
  return `${CONNECTIONS}/${encodeURIComponent(id)}`;
}

/**
 * The best tool to try a connection with: it reads, and needs the least input.
 *
 * @param tools of the catalog
 */
export function testTool(connector: string, tools: Iterable<Tool>): Tool | undefined {
  const inputs = ({ inputSchema }: Tool): number => inputSchema.required?.length ?? 0;
  return [...tools]
    .filter((tool) => tool.connector === connector && tool.effect === 'read')
    .toSorted((one, other) => inputs(one) - inputs(other))[0];
}

/**
 * The page.
 *
 * @param shape `undefined` if the catalog no longer has the connector or the type
 * @param test the tool of `testTool`
 */
export function connectionPage(
  connection: ConnectionView,
  shape: ConnectionShape | undefined,
  usage: ConnectionUsage,
  test: Tool | undefined,
): Page {
  const path = connectionPath(connection);
  const { managed_by_file: isDeclared } = connection;
  return {
    title: connection.name,
    lead: shape?.connector.description ?? '',
    actions: html`<div class="acts-row">
      ${linkButton(`/dashboard/accounts/new?${new URLSearchParams({ connector: connection.name }).toString()}`, words.tryIt)}
      ${test === undefined || usage.accounts === 0 ? '' : linkButton(`/dashboard/tools/${encodeURIComponent(test.name)}`, words.test)}
      ${isDeclared || shape === undefined ? '' : linkButton(`${path}/edit`, words.change, 'primary')}
      ${isDeclared ? '' : linkButton(`${path}/delete`, words.delete, 'danger')}
    </div>`,
    content: html`${isDeclared ? note(words.declaredNote) : ''}
    ${twoColumns(
      html`<div class="col">
        ${shape?.isByConsent === true ? redirectCard(connection, shape) : ''}
        ${connection.warnings.length === 0 ? '' : card({ id: 'attention', title: words.attention, content: warnings(connection.warnings) })}
        ${card({ id: 'facts', title: words.facts.heading, content: shownFacts(connection, shape, usage) })}
      </div>`,
      html`<div class="col">${shape === undefined ? '' : stepsCard(connection, shape)}</div>`,
    )}`,
  };
}

function redirectCard(connection: ConnectionView, { connector }: ConnectionShape): Html {
  const { heading, what, hint } = words.redirect;
  return card({
    id: 'redirect',
    title: heading,
    content: html`<div class="body">
      ${copyable(connection.redirect_uri, what)}
      <p class="hint">${hint(connector.title)}</p>
    </div>`,
  });
}

function stepsCard({ redirect_uri: redirectUri }: ConnectionView, { steps }: ConnectionShape): Html {
  return card({
    id: 'steps',
    title: words.steps,
    content: html`<div class="body">
      <ol class="steps">
        ${steps.map(
          ({ text, link: page, code }) =>
            html`<li>
              ${text}
              ${page === undefined ? '' : html`<a class="link" href="${page.href}" rel="noreferrer" target="_blank">${page.label}</a>`}
              ${code === undefined ? '' : codeBlock(text, code(redirectUri))}
            </li>`,
        )}
      </ol>
    </div>`,
  });
}

function shownFacts(
  connection: ConnectionView,
  shape: ConnectionShape | undefined,
  usage: ConnectionUsage,
): Html {
  const { facts: labels } = words;
  const total = words.accounts(count(usage.accounts), usage.isAtLeast);
  const query = new URLSearchParams({ connector: connection.name }).toString();
  const client = [
    { label: labels.clientId, value: html`<code>${connection.client_id ?? frame.none}</code>` },
    {
      label: labels.secret,
      value: secretOf(connection, usage),
    },
    {
      label: labels.scopes,
      value: connection.scopes.length === 0 ? labels.scopesOfTools : scopesOf(connection, shape),
    },
  ];
  return facts([
    { label: labels.id, value: copyable(connection.id, labels.id) },
    { label: labels.connector, value: shape?.connector.title ?? connection.connector },
    { label: labels.type, value: connection.authorization_type },
    ...(shape?.hasClient === true ? client : []),
    ...pairs(labels.params, connection.params),
    ...pairs(labels.overrides, connection.overrides),
    { label: labels.afterwards, value: connection.post_user_verify_redirect_url ?? labels.ownPage },
    { label: labels.accounts, value: link(`/dashboard/accounts?${query}`, total) },
    { label: labels.changed, value: time(usage.updatedAt) },
  ]);
}

function secretOf({ secret_set_at: at }: ConnectionView, { hasSecret }: ConnectionUsage): string {
  const { facts: labels } = words;
  if (!hasSecret) return labels.secretMissing;
  return at === null ? labels.secretSet : labels.secretSetOn(at.slice(0, 10));
}

function scopesOf({ scopes }: ConnectionView, shape: ConnectionShape | undefined): Html {
  const meanings = new Map(shape?.scopes.map(({ value, meaning }) => [value, meaning]));
  return html`<ul class="plain-list">
    ${scopes.map((scope) => {
      const meaning = meanings.get(scope);
      return html`<li>${tag(scope)} ${meaning === undefined ? '' : html`<small>${meaning}</small>`}</li>`;
    })}
  </ul>`;
}

/** Names and values; nothing if there are none. */
function pairs(label: string, values: Readonly<Record<string, unknown>>): { label: string; value: Text }[] {
  const all = Object.entries(values);
  if (all.length === 0) return [];
  const value = html`<ul>
    ${all.map(([name, one]) => html`<li><code>${name}</code>: ${typeof one === 'string' ? one : JSON.stringify(one)}</li>`)}
  </ul>`;
  return [{ label, value }];
}
