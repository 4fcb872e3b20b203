/**
 * The end of a live credential (docs/contract.md#states): the provider refuses its refresh token, it cannot be
 * renewed and its time is over, or it cannot be renewed and is refused by two calls in a row. A single refusal may
 * be the provider's mistake.
 */
import { IDLE } from '../../accounts/new-account.ts';
import { changeStatus } from '../../accounts/status-change.ts';
import type { StatusTrigger } from '../../accounts/account-status.ts';
import type { Clock } from '../../core/clock.ts';
import { AccountStore, type AccountRow } from '../../store/accounts/account-store.ts';
import { AuthRequestStore } from '../../store/accounts/auth-request-store.ts';
import type { Database, WriteTransaction } from '../../store/engine/database.ts';

const REFUSALS_THAT_EXPIRE = 2;

/**
 * Counts one refusal. Returns the account as it is afterwards when it has expired by it or had ended before, else
 * undefined.
 *
 * Refusals of an older generation do not count: the credential has been replaced meanwhile.
 */
export async function countRefusal(
  db: Database,
  clock: Clock,
  row: AccountRow,
): Promise<AccountRow | undefined> {
  return db.transaction(async (tx) => {
    const accounts = new AccountStore(tx);
    const reach = { environmentId: row.environment_id };
    const current = await accounts.find(reach, row.id);
    if (current === undefined) return undefined;
    if (current.status !== 'ACTIVE') return current;
    if (current.generation !== row.generation) return undefined;
    const refusals = current.refusals + 1;
    if (refusals < REFUSALS_THAT_EXPIRE) {
      await accounts.update(row.environment_id, row.id, { refusals });
      return undefined;
    }
    const change = { trigger: 'credential_refused', actor: 'provider', now: clock.now() } as const;
    await expireCredential(tx, current, change);
    return accounts.find(reach, row.id);
  });
}

/** Ends a credential whose expiry is over. Returns the account as it is afterwards; undefined: it is gone. */
export async function endOverdue(
  db: Database,
  clock: Clock,
  row: AccountRow,
): Promise<AccountRow | undefined> {
  return db.transaction(async (tx) => {
    const accounts = new AccountStore(tx);
    const reach = { environmentId: row.environment_id };
    const current = await accounts.find(reach, row.id);
    if (current === undefined || current.generation !== row.generation || current.status !== 'ACTIVE')
      return current;
    const change = { trigger: 'credential_expired', actor: 'gatehouse', now: clock.now() } as const;
    await expireCredential(tx, current, change);
    return accounts.find(reach, row.id);
  });
}

/**
 * Takes an ACTIVE account, read in the same transaction, to EXPIRED; where new credentials wait for verify, to
 * PENDING_VERIFICATION with EXPIRED as the status before.
 */
export async function expireCredential(
  tx: WriteTransaction,
  row: AccountRow,
  change: { trigger: StatusTrigger & `credential_${'refused' | 'expired'}`; actor: string; now: number },
): Promise<void> {
  const requests = new AuthRequestStore(tx);
  const waiting = await requests.findOpenByAccount(row.environment_id, row.id);
  if (waiting !== undefined) await requests.setStatusBefore(row.environment_id, waiting.id, 'EXPIRED');
  await changeStatus(tx, row, {
    ...change,
    statusBefore: waiting?.statusBefore,
    set: IDLE,
  });
}
