/**
 * Ends verifications whose time is over: waiting credentials are erased, the account goes back to the status
 * before (contract section 5). Runs on a timer and before anything that depends on it.
 */
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { AccountStore } from '../store/account-store.ts';
import { AuthRequestStore, type AuthRequestRow } from '../store/auth-request-store.ts';
import type { Database } from '../store/database.ts';
import { changeStatus } from './status-change.ts';
import type { AccountStatus } from './status.ts';

/**
 * Ends every expired auth request. Cheap when there are none.
 *
 * A database that cannot be written keeps nobody from reading: what is left is ended by a later run, and
 * verify refuses an expired request by its time.
 */
export async function endExpiredVerifications(db: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  const expired = await new AuthRequestStore(db.read).listExpired(now);
  try {
    for (const request of expired) await endOne(db, request, now);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
  }
}

async function endOne(db: Database, { id, environment_id }: AuthRequestRow, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await new AuthRequestStore(tx).end(environment_id, id, 'expired', now);
    if (ended === undefined) return;
    const row = await new AccountStore(tx).find({ environmentId: environment_id }, ended.account_id);
    if (row === undefined) return;
    await changeStatus(tx, row, {
      trigger: 'verification_ended',
      actor: 'gatehouse',
      now,
      statusBefore: ended.status_before as AccountStatus,
    });
  });
}
