/** Rules for webhooks, and their view for callers. Pure. */
import { WEBHOOK_EVENTS } from '../core/webhook-events.ts';
import { toTimestamp } from '../core/clock.ts';
import type { FieldViolation } from '../core/errors.ts';
import { declaredNameViolations } from '../signed-sender/declared-names.ts';
import { endpointProblems, type IsReachable } from '../signed-sender/endpoint-rules.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { Webhook, WebhookTable } from '../store/tables/webhook-tables.ts';

/** A webhook as given in a request or in gatehouse.yaml. */
export interface WebhookInput {
  name: string;
  url: string;
  /** Some of WEBHOOK_EVENTS. */
  events: readonly string[];
  /** Default: true. */
  enabled?: boolean | undefined;
}

/** Changes to a webhook; absent members stay as they are. */
export type WebhookChange = { [Member in keyof WebhookInput]?: WebhookInput[Member] | undefined };

export interface WebhookView {
  id: string;
  name: string;
  url: string;
  events: string[];
  enabled: boolean;
  managed_by_file: boolean;
  created_at: string;
  updated_at: string;
}

/** Everything wrong with the given members; absent ones are skipped. */
export function webhookViolations(input: WebhookChange, isReachable: IsReachable): FieldViolation[] {
  const { name, url, events } = input;
  const out = declaredNameViolations(name);
  for (const description of url === undefined ? [] : endpointProblems(url, isReachable))
    out.push({ field: 'url', description, constraint: 'address' });
  const known = `Choose from ${WEBHOOK_EVENTS.join(', ')}.`;
  if (events?.length === 0)
    out.push({ field: 'events', description: `Name at least one event. ${known}`, constraint: 'min_items' });
  for (const [index, event] of (events ?? []).entries()) {
    if (WEBHOOK_EVENTS.some((ours) => ours === event)) continue;
    out.push({
      field: `events.${index}`,
      description: `There is no such event. ${known}`,
      constraint: 'enum',
    });
  }
  return out;
}

type Columns = StoredForm<WebhookTable>;

/** The columns that a request sets. */
export function webhookColumns({
  name,
  url,
  events,
  enabled,
}: WebhookChange): Partial<Pick<Columns, 'name' | 'url' | 'events' | 'enabled'>> {
  return {
    ...(name !== undefined && { name: name.normalize('NFC') }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && {
      events: JSON.stringify(WEBHOOK_EVENTS.filter((event) => events.includes(event))),
    }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
  };
}

/** A complete row from a complete input. */
export function newWebhookRow(
  input: WebhookInput,
  of: Pick<Columns, 'id' | 'environment_id' | 'managed_by'> & { now: number },
): Columns {
  const { now, ...rest } = of;
  const { name = '', url = '', events = '[]', enabled = 1 } = webhookColumns(input);
  return { ...rest, name, url, events, enabled, created_at: now, updated_at: now };
}

export function toWebhookView(row: Webhook): WebhookView {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: [...row.events],
    enabled: row.enabled,
    managed_by_file: row.managed_by === 'file',
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
