/**
 * Applies one transition of status.ts inside a transaction: the row, the event that makes it readable, what
 * webhooks are told, and the end of waiting credentials. Nothing else writes `accounts.status`.
 */
import type { AccountEventType } from '../core/account-events.ts';
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

/** What changes with the status. */
export interface StatusChange {
  trigger: StatusTrigger;
  actor: string;
  now: number;
  statusBefore?: AccountStatus | undefined;
  /** Word of the event; default: the trigger. */
  cause?: string | undefined;
  /** Columns that change together with the status. */
  set?: Parameters<AccountStore['update']>[2];
  /** The change is refused when the account's generation is no longer this one. */
  generation?: number;
}

/**
 * Returns the new status, or undefined when the account is gone or its generation has moved on.
 *
 * Every change is an event, also one that leaves the status as it was.
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

/** Triggers after which other credentials are live, whatever the status was. */
const REPLACES_CREDENTIALS: ReadonlySet<string> = new Set<StatusTrigger>([
  'connected',
  'verified',
  'credentials_updated',
]);

/** Writes one event of an account and tells webhooks of it. `from` null: it has just been created. */
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

/** What webhooks are told of it; undefined: nothing that they could see has changed. */
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
 * Ends what waits for verify on this account and erases it. Returns the request as it was before, for
 * WaitingCredentials.erased after the commit; its `status_before` is the status it would have gone back to.
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
