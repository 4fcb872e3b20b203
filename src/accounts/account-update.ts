/**
 * Replaces or merges credentials, merges configuration (docs/contract.md#create-update-read-and-list).
 *
 * Whether the status changes depends on the request: scopes or a domain for stored tokens are saved, but neither revive
 * an account nor end a verification.
 */
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { requireAccepted, type CredentialTrial } from './credential-trials.ts';
import { accountNotFound } from './account-finder.ts';
import { checkedDetails, inputExpiry, mergedConfig, type AccountInput } from './account-input.ts';
import { bringsCredential, filledVariants } from './authorization-details.ts';
import { announce } from './announce.ts';
import type { DisplayNames } from './display-names.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { ANEW } from './new-account.ts';
import type { SealedDetails } from './sealed-details.ts';
import { changeStatus, endWaiting } from './status-change.ts';
import type { WaitingCredentials } from './waiting-credentials.ts';

/** Called with an account whose credentials are new and in use. Never fails. */
export type OnConnected = (account: Pick<Account, 'id' | 'environmentId' | 'connection'>) => void;

/** Services that an update uses. */
export interface UpdateServices {
  db: Database;
  connections: ConnectionFinder;
  sealed: SealedDetails;
  waiting: WaitingCredentials;
  displayNames: Pick<DisplayNames, 'learn'>;
  clock: Clock;
  onConnected?: OnConnected;
}

/** The changes, the account that was read, and what tries new credentials, if the caller wants that. */
interface UpdateRequest {
  input: AccountInput;
  account: Account;
  trial: CredentialTrial | undefined;
}

/**
 * Applies `input` to the account read as `account`. Returns false if its credentials have changed since then: read it
 * again and repeat. (Sealing is asynchronous, so it cannot happen inside the transaction.)
 *
 * A stored credential that can no longer be opened is replaced by a new one, never by an incomplete one.
 *
 * @throws ServiceError INVALID_ARGUMENT with every violation; RESOURCE_NOT_FOUND; UnreadableSecret
 */
export async function updateAccount(
  { db, connections, sealed, waiting, displayNames, clock, onConnected }: UpdateServices,
  caller: Caller,
  { input, account, trial }: UpdateRequest,
): Promise<boolean> {
  const { connector, auth } = connections.connectorOf(account.connection);
  const connection = await new ConnectionStore(db.read).findById(
    account.environmentId,
    account.connection.id,
  );
  if (connection === undefined) throw accountNotFound();
  const given = filledVariants(input.connected_account?.authorization_details);
  const isReplaced = bringsCredential(given);
  const isChanged = Object.keys(given).length > 0;
  const stored = isChanged && !isReplaced ? await sealed.open(account) : await sealed.openIfReadable(account);
  const details = checkedDetails(auth, input, stored, connection);
  const apiConfig = mergedConfig({ connector, auth }, account.apiConfig, input);
  if (trial !== undefined) {
    const candidate = { connector, auth, connection, details, apiConfig };
    await requireAccepted(trial, isReplaced ? candidate : undefined);
  }
  const credentials = isChanged && {
    credentials_sealed: await sealed.seal(account.id, details),
    generation: account.generation + 1,
  };
  const expiresAt = inputExpiry(input);
  const now = clock.now();
  const done = await db.transaction(async (tx) => {
    const current = await new AccountStore(tx).find({ environmentId: account.environmentId }, account.id);
    if (current === undefined) throw accountNotFound();
    if (isChanged && current.generation !== account.generation) return undefined;
    const merged = mergedConfig({ connector, auth }, current.apiConfig, input);
    const set = { ...credentials, api_config: JSON.stringify(merged) };
    if (isReplaced) {
      const ended = await endWaiting(tx, current, 'updated', now);
      await changeStatus(tx, current, {
        trigger: 'credentials_updated',
        actor: caller.actor,
        now,
        set: { ...set, ...ANEW, token_expires_at: expiresAt ?? null, token_received_at: now },
      });
      return { ended };
    }
    const expiry = expiresAt === undefined ? {} : { token_expires_at: expiresAt, token_received_at: now };
    const columns = { ...set, ...expiry, updated_at: now };
    await new AccountStore(tx).update(account.environmentId, account.id, columns);
    if (isChanged || set.api_config !== JSON.stringify(current.apiConfig)) {
      const { environmentId, id: accountId } = account;
      await announce(tx, { environmentId, accountId, type: 'connected_account.updated', now });
    }
    return { ended: undefined };
  });
  waiting.erased(done?.ended);
  if (done !== undefined && isReplaced) onConnected?.(account);
  if (done !== undefined && isReplaced && (await trial?.mayAskWho()) === true) {
    await displayNames.learn(account, { details, apiConfig }, { generation: account.generation + 1 });
  }
  return done !== undefined;
}
