/**
 * Notifies webhooks of what happens to accounts (docs/contract.md#10-webhooks): one delivery per enabled webhook that
 * wants the event, written in the transaction of the change. Committed changes are announced at least once, rolled-back
 * ones never. Sending is the task of webhooks/webhook-deliverer.ts.
 *
 * `updated` means that credentials or configuration were replaced and the status did not change: by an update, by a
 * consent or form that went live, by verify. A refresh, a use, and credentials that still wait for verify are not
 * announced.
 */
import type { AccountEventType } from '../core/account-events.ts';
import { toTimestamp } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { markOutbox } from '../store/engine/outbox-signal.ts';
import { dueDelivery } from '../store/policy/webhook-delivery-store.ts';
import { enabledWebhooks } from '../store/policy/webhook-store.ts';
import { rows } from '../store/engine/rows.ts';
import { toListItem } from './account-views.ts';
import type { AccountStatus } from '../core/stored-words.ts';

/** What happened to an account. */
export interface Announcement {
  environmentId: string;
  accountId: string;
  type: AccountEventType;
  /** For `status_updated`. */
  oldStatus?: AccountStatus | undefined;
  now: number;
}

/**
 * Writes the deliveries of one event. Costs one cheap read if no webhook wants it.
 *
 * Call it after the change, so that the event shows the new state; for `deleted` just before the account is deleted.
 */
export async function announce(tx: WriteTransaction, announcement: Announcement): Promise<void> {
  const { environmentId, accountId, type, oldStatus, now } = announcement;
  const enabled = await enabledWebhooks(tx, { environmentId });
  const subscribed = enabled.filter(({ events }) => events.includes(type));
  if (subscribed.length === 0) return;
  const account = await new AccountStore(tx).find({ environmentId }, accountId);
  if (account === undefined) return;
  const eventId = newId('evt', now);
  const body = JSON.stringify({
    id: eventId,
    type,
    environment_id: environmentId,
    occurred_at: toTimestamp(now),
    data: {
      connected_account: toListItem(account),
      user_id: account.owner.userId,
      organization_id: account.owner.organizationId,
      ...(oldStatus !== undefined && { old_status: oldStatus }),
    },
  });
  await rows(tx, 'webhook_deliveries').insert(
    ...subscribed.map(({ id }) => ({
      ...dueDelivery(now),
      environment_id: environmentId,
      webhook_id: id,
      event_id: eventId,
      event_type: type,
      account_id: accountId,
      body,
    })),
  );
  markOutbox(tx);
}
