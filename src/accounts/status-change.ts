/**
 * Applies one transition of account-status.ts inside a transaction: the row, its event in the history, the webhook deliveries,
 * and the end of waiting credentials. Nothing else writes `accounts.status`.
 */
import type { AccountEventType } from '../core/webhook-events.ts';
import { newId } from '../core/ids.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import { announce } from './announce.ts';
import { nextStatus, type StatusTrigger } from './account-status.ts';
import type { AuthRequestEnd, AccountStatus } from '../core/stored-words.ts';

/** Values that change together with the status. */
export interface StatusChange {
  trigger: StatusTrigger;
  actor: string;
  now: number;
  statusBefore?: AccountStatus | undefined;
  /** Cause recorded in the event; default: the trigger. */
  cause?: string | undefined;
  /** Columns that change together with the status. */
  set?: Parameters<AccountStore['update']>[2];
  /** The change is refused if the account's generation is no longer this one. */
  generation?: number;
}

/**
 * Returns the new status; `undefined` if the account is gone or its generation has changed.
 *
 * Every change is an event, even if the status stays the same.
 */
export async function changeStatus(
  tx: WriteTransaction,
  account: Pick<Account, 'id' | 'environmentId' | 'status'>,
  change: StatusChange,
): Promise<AccountStatus | undefined> {
  const from = account.status;
  const to = nextStatus(from, change.trigger, { statusBefore: change.statusBefore });
  const updated = await new AccountStore(tx).update(
    account.environmentId,
    account.id,
    { ...change.set, status: to, updated_at: change.now },
    change.generation,
  );
  if (!updated) return undefined;
  await appendEvent(tx, account, {
    from,
    to,
    cause: change.cause ?? change.trigger,
    actor: change.actor,
    now: change.now,
  });
  return to;
}

/** Triggers that put new credentials in use, whatever the status was. */
const REPLACES_CREDENTIALS: ReadonlySet<string> = new Set<StatusTrigger>([
  'connected',
  'verified',
  'credentials_updated',
]);

/** Writes one event of an account and notifies webhooks. `from` is null for a new account. */
export async function appendEvent(
  tx: WriteTransaction,
  account: Pick<Account, 'id' | 'environmentId'>,
  event: { from: AccountStatus | null; to: AccountStatus; cause: string; actor: string; now: number },
): Promise<void> {
  await rows(tx, 'account_events').insert({
    id: newId('evt', event.now),
    environment_id: account.environmentId,
    account_id: account.id,
    at: event.now,
    from_status: event.from,
    to_status: event.to,
    cause: event.cause,
    actor: event.actor,
  });
  const type = announced(event);
  if (type === undefined) return;
  await announce(tx, {
    environmentId: account.environmentId,
    accountId: account.id,
    type,
    oldStatus: type === 'connected_account.status_updated' ? (event.from ?? undefined) : undefined,
    now: event.now,
  });
}

/** The event for webhooks; `undefined` if nothing visible to them has changed. */
function announced(event: {
  from: AccountStatus | null;
  to: AccountStatus;
  cause: string;
}): AccountEventType | undefined {
  if (event.from === null) return 'connected_account.created';
  if (event.from !== event.to) return 'connected_account.status_updated';
  return REPLACES_CREDENTIALS.has(event.cause) ? 'connected_account.updated' : undefined;
}

/**
 * Ends the request that waits for verify on this account and erases its credentials. Returns the request as it was
 * before, for WaitingCredentials.erased after the commit; `status_before` is the status to restore.
 */
export async function endWaiting(
  tx: WriteTransaction,
  account: Pick<Account, 'id' | 'environmentId'>,
  by: AuthRequestEnd,
  now: number,
): Promise<AuthRequest | undefined> {
  const requests = new AuthRequestStore(tx);
  const open = await requests.findOpenByAccount(account.environmentId, account.id);
  if (open === undefined) return undefined;
  await requests.end(account.environmentId, open.id, by, now);
  return open;
}
