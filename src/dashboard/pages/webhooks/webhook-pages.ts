/** Pages of webhooks: the list, one webhook with its deliveries, the form. */
import { html } from 'hono/html';
import { WEBHOOK_EVENTS } from '../../../core/webhook-events.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../core/stored-words.ts';
import type { DeliveryPage, DeliveryView } from '../../../webhooks/delivery-log.ts';
import type { WebhookView } from '../../../webhooks/webhook-rules.ts';
import { badge, tag, type Tone } from '../../components/badge.ts';
import { card, empty, facts, link, linkButton } from '../../components/card.ts';
import { codeBlock, copyable } from '../../components/code.ts';
import { segmented } from '../../components/filters.ts';
import {
  actionButton,
  buttons,
  check,
  checks,
  field,
  form,
  problems,
  type Typed,
} from '../../components/form.ts';
import { time } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import { nameCell, paging, table, withQuery } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { webhooks as words } from '../../words/webhooks.ts';

/** Path of the list. */
export const WEBHOOKS = '/dashboard/webhooks';

const SIGNING_SECRET = '/dashboard/interceptors/signing-secret';

const TONES: Readonly<Record<DeliveryStatus, Tone>> = { delivered: 'ok', pending: 'wait', failed: 'bad' };

/** Path of one webhook. */
export function webhookPath({ id }: { id: string }): string {
  return `${WEBHOOKS}/${encodeURIComponent(id)}`;
}

/** The list, by name. */
export function webhookList(rows: readonly WebhookView[]): Page {
  const { columns } = words;
  return {
    title: words.title,
    lead: words.lead,
    actions: linkButton(`${WEBHOOKS}/new`, words.add, 'primary'),
    content: card({
      id: 'webhooks',
      title: words.heading,
      content:
        rows.length === 0
          ? empty(words.none, linkButton(`${WEBHOOKS}/new`, words.add))
          : table<WebhookView>(
              words.title,
              [
                { label: columns.name, cell: nameOf },
                {
                  label: columns.events,
                  cell: ({ events }) => words.count(events.length, WEBHOOK_EVENTS.length),
                  leftOutOn: 'phone',
                },
                { label: columns.state, cell: stateOf },
                { label: columns.changed, cell: (row) => time(row.updated_at), leftOutOn: 'phone' },
              ],
              rows,
            ),
    }),
  };
}

function nameOf(webhook: WebhookView): Html {
  return nameCell({
    href: webhookPath(webhook),
    name: webhook.name,
    detail: html`${webhook.url} ${webhook.managed_by_file ? tag(words.declared) : ''}`,
  });
}

function stateOf({ enabled }: WebhookView): Html {
  return enabled ? badge('ok', words.enabled) : badge('idle', words.disabled);
}

/** One webhook with a page of its deliveries. */
export function webhookPage(
  c: DashboardContext,
  webhook: WebhookView,
  page: DeliveryPage,
  query: URLSearchParams,
): Page {
  const { facts: labels } = words;
  return {
    title: webhook.name,
    ...(!webhook.managed_by_file && { actions: actionsOf(c, webhook) }),
    content: html`${webhook.managed_by_file ? note(words.declaredNote) : ''}
    ${card({
      id: 'facts',
      title: labels.heading,
      action: stateOf(webhook),
      content: facts([
        { label: labels.id, value: copyable(webhook.id, labels.id) },
        { label: labels.url, value: html`<code>${webhook.url}</code>` },
        {
          label: labels.events,
          value: html`<ul>
            ${webhook.events.map((event) => html`<li><code>${event}</code></li>`)}
          </ul>`,
        },
        { label: labels.secret, value: link(SIGNING_SECRET, labels.secretOf) },
        { label: labels.changed, value: time(webhook.updated_at) },
      ]),
    })}
    ${deliveriesCard(c, webhook, page, query)}`,
  };
}

function actionsOf(c: DashboardContext, webhook: WebhookView): Text {
  const path = webhookPath(webhook);
  const { actions } = words;
  return html`<div class="acts-row">
    ${linkButton(`${path}/edit`, actions.change)}
    ${webhook.enabled ? actionButton(c, `${path}/disable`, actions.disable) : actionButton(c, `${path}/enable`, actions.enable, { kind: 'primary' })}
    ${linkButton(`${path}/delete`, actions.delete, 'danger')}
  </div>`;
}

function deliveriesCard(
  c: DashboardContext,
  webhook: WebhookView,
  { deliveries: rows, ...links }: DeliveryPage,
  query: URLSearchParams,
): Html {
  const path = webhookPath(webhook);
  const { deliveries: texts } = words;
  const status = query.get('status') ?? '';
  const choices = ['', ...DELIVERY_STATUSES].map((value) => ({
    label: DELIVERY_STATUSES.find((one) => one === value) === undefined ? texts.every : labelOf(value),
    href: withQuery(path, query, { status: value }),
    isCurrent: value === status,
  }));
  return card({
    id: 'deliveries',
    title: texts.heading,
    action: html`${segmented(texts.status, choices)}
    ${actionButton(c, `${path}/redeliver`, texts.allAgain, { kind: 'small' })}`,
    content:
      rows.length === 0
        ? empty(status === '' ? texts.none : texts.noneSuch)
        : html`<ul class="entries">
            ${rows.map((row) => delivery(c, path, row))}
          </ul>`,
    foot: paging(path, query, links),
  });
}

function labelOf(value: string): string {
  const status = DELIVERY_STATUSES.find((one) => one === value);
  return status === undefined ? value : words.statuses[status];
}

function delivery(c: DashboardContext, path: string, row: DeliveryView): Html {
  const { deliveries: texts } = words;
  return html`<li>
    <details id="${row.id}">
      <summary>
        ${time(row.at)} ${badge(TONES[row.status], words.statuses[row.status])} <code>${row.type}</code>
        <small>${texts.attempts(row.attempts)}</small>
        ${row.last_status === null ? '' : html`<small>${texts.answered(row.last_status)}</small>`}
      </summary>
      ${row.last_failure === null ? '' : note(row.last_failure, row.status === 'failed' ? 'bad' : 'wait')}
      ${row.next_attempt_at === null ? '' : html`<p class="body">${texts.next}: ${time(row.next_attempt_at)}</p>`}
      <div class="body">
        ${codeBlock(`${texts.event}, ${row.id}`, JSON.stringify(row.body, null, 2))}
        <p class="acts-row">
          ${actionButton(c, `${path}/deliveries/${encodeURIComponent(row.id)}/redeliver`, texts.again, { kind: 'small' })}
        </p>
      </div>
    </details>
  </li>`;
}

/** Values of the form of a webhook. */
export interface ShownWebhook {
  values: Typed;
  /** Ticked events. */
  events: readonly string[];
}

/** @param stored of a change; `undefined` for a new one */
export function webhookForm(
  c: DashboardContext,
  stored: WebhookView | undefined,
  { values, events }: ShownWebhook,
  violations: readonly FieldViolation[] = [],
): Page {
  const { form: texts } = words;
  const path = stored === undefined ? WEBHOOKS : webhookPath(stored);
  const labels = { name: texts.name, url: texts.url, events: texts.events };
  const choices = WEBHOOK_EVENTS.map((value) => ({ value, label: words.eventNames[value], detail: value }));
  return {
    title: stored === undefined ? texts.add : texts.change(stored.name),
    ...(stored !== undefined && { crumbs: [{ label: stored.name, href: path }] }),
    hasProblems: violations.length > 0,
    content: html`${problems(violations, labels)}
    ${card({
      id: 'form',
      kind: 'narrow',
      title: texts.heading,
      content: form(
        c,
        stored === undefined ? `${WEBHOOKS}/new` : `${path}/edit`,
        html`${field({ name: 'name', label: texts.name, hint: texts.nameHint, input: { kind: 'text', maxLength: 200 }, value: values['name'] ?? '' }, violations)}
        ${field({ name: 'url', label: texts.url, hint: texts.urlHint, input: { kind: 'url', maxLength: 2_048 }, value: values['url'] ?? '' }, violations)}
        ${checks({ name: 'events', label: texts.events, choices, ticked: events }, violations)}
        ${stored === undefined ? check({ name: 'enabled', label: texts.enabledNow, isTicked: values['enabled'] === 'true' }) : ''}
        ${buttons(stored === undefined ? texts.create : texts.save, { cancel: { href: path, label: texts.cancel } })}`,
      ),
    })}`,
  };
}
