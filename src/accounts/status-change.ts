/**
 * Applies one transition of status.ts inside a transaction: the row, the event that makes it readable, and
 * the end of waiting credentials. Nothing else writes `accounts.status`.
 */
import { newId } from '../core/ids.ts';
import { AccountStore, type AccountRow } from '../store/account-store.ts';
import { AuthRequestStore, type AuthRequestEnd } from '../store/auth-request-store.ts';
import type { WriteTransaction } from '../store/database.ts';
import { AccountEventStore } from '../store/event-store.ts';
import { nextStatus, type AccountStatus, type StatusTrigger } from './status.ts';

/** What changes with the status. */
export interface StatusChange {
  trigger: StatusTrigger;
  actor: string;
  now: number;
  statusBefore?: AccountStatus | undefined;
  /** Columns that change together with the status. */
  set?: Parameters<AccountStore['update']>[2];
  /** The change is refused when the account's generation is no longer this one. */
  generation?: number;
}

/**
 * Returns the new status, or undefined when the account is gone or its generation has moved on.
 *
 * An event is written when the status changes, and for every trigger that replaces credentials.
 */
export async function changeStatus(
  tx: WriteTransaction,
  row: Pick<AccountRow, 'id' | 'environment_id' | 'status'>,
  change: StatusChange,
): Promise<AccountStatus | undefined> {
  const from = row.status as AccountStatus;
  const to = nextStatus(from, change.trigger, { statusBefore: change.statusBefore });
  const updated = await new AccountStore(tx).update(
    row.environment_id,
    row.id,
    { ...change.set, status: to, updated_at: change.now },
    change.generation,
  );
  if (!updated) return undefined;
  await appendEvent(tx, row, { from, to, cause: change.trigger, actor: change.actor, now: change.now });
  return to;
}

/** Writes one event of an account. `from` null: it has just been created. */
export async function appendEvent(
  tx: WriteTransaction,
  row: Pick<AccountRow, 'id' | 'environment_id'>,
  event: { from: AccountStatus | null; to: AccountStatus; cause: string; actor: string; now: number },
): Promise<void> {
  await new AccountEventStore(tx).append({
    id: newId('evt', event.now),
    environment_id: row.environment_id,
    account_id: row.id,
    at: event.now,
    from_status: event.from,
    to_status: event.to,
    cause: event.cause,
    actor: event.actor,
  });
}

/** Ends what waits for verify on this account and erases it. Returns the status it would have gone back to. */
export async function endWaiting(
  tx: WriteTransaction,
  row: Pick<AccountRow, 'id' | 'environment_id'>,
  by: AuthRequestEnd,
  now: number,
): Promise<AccountStatus | undefined> {
  const requests = new AuthRequestStore(tx);
  const open = await requests.findOpenByAccount(row.environment_id, row.id);
  if (open === undefined) return undefined;
  const ended = await requests.end(row.environment_id, open.id, by, now);
  return ended?.status_before as AccountStatus | undefined;
}
