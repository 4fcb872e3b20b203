/** The row of a new account, and its creation when a link or an MCP call names one that does not exist yet. */
import type { ConnectorAuth } from '../catalog/model/types.ts';
import type { Owner } from '../core/caller.ts';
import { invalidField } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import { isUsableAt } from './account-input.ts';
import { appendEvent } from './status-change.ts';
import type { AccountStatus } from '../core/stored-words.ts';

export interface NewAccount {
  connection: Connection;
  owner: Owner;
  /** NFC. */
  identifier: string;
  now: number;
  /** The connection's authorization. An account that needs no credential is ACTIVE at once. */
  auth: ConnectorAuth;
}

/** No refresh is running, and neither a failure nor a pause is recorded against the credential. */
export const IDLE = {
  lease_owner: null,
  lease_until: null,
  refresh_state: 'idle',
  failed_until: null,
  failed_attempts: 0,
  failed_reason: null,
  refusals: 0,
  paused_until: null,
} as const;

/** The same for new credentials or none: what was known about those before is gone too. */
export const ANEW = { ...IDLE, declined_at: null, display_name_sealed: null } as const;

type Columns = Parameters<AccountStore['insert']>[0];

/** A complete row; `change` overrides the defaults of an account without credentials. */
export function newAccountRow(account: Omit<NewAccount, 'auth'>, change: Partial<Columns> = {}): Columns {
  return {
    id: newId('ca', account.now),
    environment_id: account.connection.environmentId,
    connection_id: account.connection.id,
    organization_id: account.owner.organizationId,
    user_id: account.owner.userId,
    identifier: account.identifier,
    status: 'PENDING_AUTH',
    credentials_sealed: null,
    token_expires_at: null,
    token_received_at: null,
    api_config: '{}',
    generation: 1,
    ...ANEW,
    last_used_at: null,
    created_at: account.now,
    updated_at: account.now,
    ...change,
  };
}

/**
 * Checks inside the transaction that the connection of a new account still exists and has the same type.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connector` if it was deleted or changed its type meanwhile
 */
export async function requireConnection(tx: WriteTransaction, connection: Connection): Promise<void> {
  const current = await new ConnectionStore(tx).findById(connection.environmentId, connection.id);
  if (current?.type === connection.type) return;
  throw invalidField(
    'connector',
    `The connection ${connection.name} was deleted or changed at the same time. Nothing was created; try again.`,
    'unknown',
  );
}

/**
 * Finds the account or creates it without credentials. Two simultaneous calls create one account.
 *
 * @throws ServiceError INVALID_ARGUMENT if the connection is deleted at the same time
 */
export async function findOrCreateAccount(
  db: Database,
  account: NewAccount,
  actor: string,
): Promise<Account> {
  const { connection, owner, identifier, now, auth } = account;
  const environmentId = connection.environmentId;
  const key = { connectionId: connection.id, ...owner, identifier };
  const existing = await new AccountStore(db.read).findByKey({ environmentId }, key);
  if (existing !== undefined) return existing;
  const to = firstStatus(auth, connection);
  return db.transaction(async (tx) => {
    await requireConnection(tx, connection);
    const store = new AccountStore(tx);
    const row = newAccountRow(account, { status: to });
    if (await store.insert(row)) {
      await appendEvent(tx, { id: row.id, environmentId }, { from: null, to, cause: 'created', actor, now });
    }
    const created = await store.findByKey({ environmentId }, key);
    if (created === undefined) throw new Error('an account vanished inside the transaction that made it');
    return created;
  });
}

/** Status of an account without credentials: ACTIVE only if the connection needs no credentials. */
function firstStatus(auth: ConnectorAuth, connection: Connection): AccountStatus {
  return isUsableAt(auth, {}, connection) ? 'ACTIVE' : 'PENDING_AUTH';
}
