/**
 * The local half of disconnecting and deleting: erases the credentials from the database and returns them, still
 * sealed, so that the caller can revoke them at the provider (credentials/disconnection.ts).
 */
import type { OAuthRules } from '../catalog/model/types.ts';
import { rows } from '../store/engine/rows.ts';
import type { Account } from '../store/accounts/account.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { isGrantShared } from '../store/accounts/shared-grant.ts';
import { announce } from './announce.ts';
import { ANEW } from './new-account.ts';
import { changeStatus, endWaiting } from './status-change.ts';

/** An account before its credentials were erased. */
export interface ErasedAccount {
  account: Account;
  /** The request that waited for verify. */
  waiting: AuthRequest | undefined;
  /** The provider revokes whole grants only, and another account may share this one, so it must stay. */
  isGrantKept: boolean;
}

/** The way a provider revokes credentials; `undefined` if it cannot. */
export type RevocationMode = OAuthRules['revocation'] | undefined;

/** Erases the credentials and keeps the account. The event says so if the grant at the provider stays. */
export async function disconnectAccount(
  tx: WriteTransaction,
  account: Account,
  change: { actor: string; now: number; mode: RevocationMode },
): Promise<ErasedAccount> {
  const { actor, now, mode } = change;
  const waiting = await endWaiting(tx, account, 'disconnected', now);
  const isGrantKept = await mustKeepGrant(tx, account, mode);
  await changeStatus(tx, account, {
    trigger: 'disconnected',
    ...(isGrantKept && { cause: 'disconnected_grant_kept' }),
    actor,
    now,
    set: {
      credentials_sealed: null,
      token_expires_at: null,
      token_received_at: null,
      generation: account.generation + 1,
      ...ANEW,
    },
  });
  return { account, waiting, isGrantKept };
}

/** Deletes the account and everything that belongs to it. */
export async function deleteAccount(
  tx: WriteTransaction,
  account: Account,
  change: { now: number; mode: RevocationMode },
): Promise<ErasedAccount> {
  const { environmentId, id } = account;
  const waiting = await new AuthRequestStore(tx).findOpenByAccount(environmentId, id);
  const isGrantKept = await mustKeepGrant(tx, account, change.mode);
  await announce(tx, {
    environmentId,
    accountId: id,
    type: 'connected_account.deleted',
    now: change.now,
  });
  await rows(tx, 'accounts').delete(environmentId, id);
  return { account, waiting, isGrantKept };
}

async function mustKeepGrant(tx: WriteTransaction, account: Account, mode: RevocationMode): Promise<boolean> {
  if (mode !== 'grant' || account.credentialsSealed === null) return false;
  return isGrantShared(tx, account);
}
