/**
 * The local half of disconnecting and deleting: the credentials are gone from the database, and the caller gets
 * them as they were, still sealed, to revoke them at the provider (credentials/disconnection.ts).
 */
import type { OAuthRules } from '../catalog/model/types.ts';
import { AccountStore, type AccountRow } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { isGrantShared } from '../store/accounts/shared-grant.ts';
import { announce } from './announce.ts';
import { IDLE } from './new-account.ts';
import { changeStatus, endWaiting } from './status-change.ts';

/** An account before its credentials were erased. */
export interface ErasedAccount {
  row: AccountRow;
  /** What waited for verify. */
  waiting: AuthRequest | undefined;
  /** The provider revokes whole grants only, and another account may hold the same one: it must stay. */
  isGrantKept: boolean;
}

/** How a provider revokes; undefined: it does not. */
export type RevocationMode = OAuthRules['revocation'] | undefined;

/** Erases the credentials and keeps the account. The event says when the grant at the provider stays. */
export async function disconnectAccount(
  tx: WriteTransaction,
  row: AccountRow,
  change: { actor: string; now: number; mode: RevocationMode },
): Promise<ErasedAccount> {
  const { actor, now, mode } = change;
  const waiting = await endWaiting(tx, row, 'disconnected', now);
  const isGrantKept = await mustKeepGrant(tx, row, mode);
  await changeStatus(tx, row, {
    trigger: 'disconnected',
    ...(isGrantKept && { cause: 'disconnected_grant_kept' }),
    actor,
    now,
    set: {
      credentials_sealed: null,
      token_expires_at: null,
      token_received_at: null,
      generation: row.generation + 1,
      ...IDLE,
    },
  });
  return { row, waiting, isGrantKept };
}

/** Deletes the account and everything that belongs to it. */
export async function deleteAccount(
  tx: WriteTransaction,
  row: AccountRow,
  change: { now: number; mode: RevocationMode },
): Promise<ErasedAccount> {
  const { environment_id, id } = row;
  const waiting = await new AuthRequestStore(tx).findOpenByAccount(environment_id, id);
  const isGrantKept = await mustKeepGrant(tx, row, change.mode);
  await announce(tx, {
    environmentId: environment_id,
    accountId: id,
    type: 'connected_account.deleted',
    now: change.now,
  });
  await new AccountStore(tx).delete(environment_id, id);
  return { row, waiting, isGrantKept };
}

async function mustKeepGrant(tx: WriteTransaction, row: AccountRow, mode: RevocationMode): Promise<boolean> {
  if (mode !== 'grant' || row.credentials_sealed === null) return false;
  return isGrantShared(tx, row);
}
