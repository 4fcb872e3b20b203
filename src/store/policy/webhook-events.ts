/**
 * Writes events for webhooks (docs/contract.md#10-webhooks): one delivery per enabled webhook that wants the event, in
 * the transaction of the change. Committed changes are announced at least once, rolled-back ones never. Sending is the
 * task of webhooks/webhook-deliverer.ts.
 */
import { toTimestamp } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { WebhookEventType } from '../../core/webhook-events.ts';
import type { WriteTransaction } from '../engine/database.ts';
import { markOutbox } from '../engine/outbox-signal.ts';
import { rows } from '../engine/rows.ts';
import { dueDelivery } from './webhook-delivery-store.ts';
import { enabledWebhooks } from './webhook-store.ts';

/** An event that webhooks announce. */
export interface WebhookEvent {
  environmentId: string;
  type: WebhookEventType;
  /** The account or connection of the event. Events of one arrive in their order. */
  subjectId: string;
  /** Unix milliseconds. */
  now: number;
}

/**
 * Writes the deliveries of one event. Costs one cheap read if no webhook wants it.
 *
 * @param dataOf returns `data` of the event; called only if a webhook wants it. `undefined` if there is nothing to
 *   report
 */
export async function writeEvent(
  tx: WriteTransaction,
  { environmentId, type, subjectId, now }: WebhookEvent,
  dataOf: () => object | undefined | Promise<object | undefined>,
): Promise<void> {
  const enabled = await enabledWebhooks(tx, { environmentId });
  const subscribed = enabled.filter(({ events }) => events.includes(type));
  if (subscribed.length === 0) return;
  const data = await dataOf();
  if (data === undefined) return;
  const eventId = newId('evt', now);
  const body = JSON.stringify({
    id: eventId,
    type,
    environment_id: environmentId,
    occurred_at: toTimestamp(now),
    data,
  });
  await rows(tx, 'webhook_deliveries').insert(
    ...subscribed.map(({ id }) => ({
      ...dueDelivery(now),
      environment_id: environmentId,
      webhook_id: id,
      event_id: eventId,
      event_type: type,
      account_id: subjectId,
      body,
    })),
  );
  markOutbox(tx);
}
