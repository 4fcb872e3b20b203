/**
 * Notifies webhooks of what happens to accounts, in the transaction of the change (store/policy/webhook-events.ts).
 *
 * `updated` means that credentials or configuration were replaced and the status did not change: by an update, by a
 * consent or form that went live, by verify. A refresh, a use, and credentials that still wait for verify are not
 * announced.
 */
import type { AccountEventType } from '../core/webhook-events.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { writeEvent } from '../store/policy/webhook-events.ts';
import { toListItem } from './account-views.ts';
import type { AccountStatus } from '../core/stored-words.ts';

/** An event of an account. */
export interface Announcement {
  environmentId: string;
  accountId: string;
  type: AccountEventType;
  /** For `status_updated`. */
  oldStatus?: AccountStatus | undefined;
  now: number;
}

/**
 * Writes the deliveries of one event.
 *
 * Call it after the change, so that the event shows the new state; for `deleted` just before the account is deleted.
 */
export async function announce(tx: WriteTransaction, announcement: Announcement): Promise<void> {
  const { environmentId, accountId: subjectId, type, oldStatus, now } = announcement;
  await writeEvent(tx, { environmentId, type, subjectId, now }, async () => {
    const account = await new AccountStore(tx).find({ environmentId }, subjectId);
    return (
      account && {
        connected_account: toListItem(account),
        user_id: account.owner.userId,
        organization_id: account.owner.organizationId,
        ...(oldStatus !== undefined && { old_status: oldStatus }),
      }
    );
  });
}
