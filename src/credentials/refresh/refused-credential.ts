/**
 * Ends live credentials (docs/contract.md#states) in three cases: the provider refuses the refresh token; a credential
 * that cannot be renewed expires; or two calls in a row have such a credential refused. A single refusal may be the
 * provider's mistake.
 */
import { IDLE } from '../../accounts/new-account.ts';
import { changeStatus } from '../../accounts/status-change.ts';
import type { StatusTrigger } from '../../accounts/account-status.ts';
import type { Clock } from '../../core/clock.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import { AuthRequestStore } from '../../store/accounts/auth-request-store.ts';
import type { Database, WriteTransaction } from '../../store/engine/database.ts';

const REFUSALS_THAT_EXPIRE = 2;

/**
 * Counts one refusal. Returns the account afterwards if this refusal expired it or it had ended before, otherwise
 * `undefined`.
 *
 * Refusals of an older generation do not count: the credential was replaced meanwhile.
 */
export async function countRefusal(
  db: Database,
  clock: Clock,
  account: Account,
): Promise<Account | undefined> {
  return db.transaction(async (tx) => {
    const accounts = new AccountStore(tx);
    const reach = { environmentId: account.environmentId };
    const grant = await accounts.findGrant(reach, account.id);
    if (grant === undefined) return undefined;
    const { account: current } = grant;
    if (current.status !== 'ACTIVE') return current;
    if (current.generation !== account.generation) return undefined;
    const refusals = grant.refusals + 1;
    if (refusals < REFUSALS_THAT_EXPIRE) {
      await accounts.update(account.environmentId, account.id, { refusals });
      return undefined;
    }
    const change = { trigger: 'credential_refused', actor: 'provider', now: clock.now() } as const;
    await expireCredential(tx, current, change);
    return accounts.find(reach, account.id);
  });
}

/** Ends a credential that has expired. Returns the account afterwards, or `undefined` if it is gone. */
export async function endOverdue(db: Database, clock: Clock, account: Account): Promise<Account | undefined> {
  return db.transaction(async (tx) => {
    const accounts = new AccountStore(tx);
    const reach = { environmentId: account.environmentId };
    const current = await accounts.find(reach, account.id);
    if (current === undefined || current.generation !== account.generation || current.status !== 'ACTIVE')
      return current;
    const change = { trigger: 'credential_expired', actor: 'gatehouse', now: clock.now() } as const;
    await expireCredential(tx, current, change);
    return accounts.find(reach, account.id);
  });
}

/**
 * Changes an ACTIVE account, read in the same transaction, to EXPIRED. If new credentials wait for verify, it becomes
 * PENDING_VERIFICATION with EXPIRED as the status before.
 */
export async function expireCredential(
  tx: WriteTransaction,
  account: Account,
  change: { trigger: StatusTrigger & `credential_${'refused' | 'expired'}`; actor: string; now: number },
): Promise<void> {
  const requests = new AuthRequestStore(tx);
  const waiting = await requests.findOpenByAccount(account.environmentId, account.id);
  if (waiting !== undefined) await requests.setStatusBefore(account.environmentId, waiting.id, 'EXPIRED');
  await changeStatus(tx, account, {
    ...change,
    statusBefore: waiting?.statusBefore,
    set: IDLE,
  });
}
