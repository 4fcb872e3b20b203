/**
 * What a provider's 401 means for an account whose credential cannot be renewed: the second in a row ends it
 * (contract section 5, "States"). A single one may be the provider's mistake.
 */
import { changeStatus } from '../accounts/status-change.ts';
import type { AccountStatus } from '../accounts/status.ts';
import type { Clock } from '../core/clock.ts';
import { AccountStore, type AccountRow } from '../store/account-store.ts';
import { AuthRequestStore } from '../store/auth-request-store.ts';
import type { Database } from '../store/database.ts';

const REFUSALS_THAT_EXPIRE = 2;

/**
 * Counts one refusal. Returns the account as it is afterwards when it has expired by it, else undefined.
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
    if (current === undefined || current.generation !== row.generation || current.status !== 'ACTIVE')
      return undefined;
    const refusals = current.refusals + 1;
    if (refusals < REFUSALS_THAT_EXPIRE) {
      await accounts.update(row.environment_id, row.id, { refusals });
      return undefined;
    }
    const requests = new AuthRequestStore(tx);
    const waiting = await requests.findOpenByAccount(row.environment_id, row.id);
    if (waiting !== undefined) await requests.setStatusBefore(row.environment_id, waiting.id, 'EXPIRED');
    await changeStatus(tx, current, {
      trigger: 'credential_refused',
      actor: 'provider',
      now: clock.now(),
      statusBefore: waiting?.status_before as AccountStatus | undefined,
      set: { refusals: 0 },
    });
    return accounts.find(reach, row.id);
  });
}
