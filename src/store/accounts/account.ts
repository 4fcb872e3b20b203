/** Connected accounts as the program sees them, made from rows of `accounts` joined with their connections. */
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { Owner } from '../../core/caller.ts';
import type { AccountStatus } from '../../core/stored-words.ts';
import type { ReadForm } from '../tables/column-types.ts';
import type { AccountTable, ConnectionOverrides, JsonObject } from '../tables/tables.ts';
import type { Connection } from './connection.ts';

/** The columns of the connection that a call needs. */
export type AccountConnection = Pick<
  Connection,
  | 'id'
  | 'environmentId'
  | 'name'
  | 'connector'
  | 'type'
  | 'params'
  | 'overrides'
  | 'pausedUntil'
  | 'updatedAt'
>;

/** One owner's access at one connection. Its credentials are sealed. Times are Unix milliseconds. */
export interface Account {
  /** `ca_…` */
  id: string;
  environmentId: string;
  owner: Owner;
  /** Unique for connection and owner; NFC. */
  identifier: string;
  status: AccountStatus;
  /** Configuration of the account, for its connector and for calls. */
  apiConfig: JsonObject;
  connection: AccountConnection;
  /** Live credentials; null for an account without credentials. */
  credentialsSealed: string | null;
  /** Incremented by every change of credentials. */
  generation: number;
  /** null if it never expires or the expiry is unknown. */
  tokenExpiresAt: number | null;
  /** Time at which the access token was received; null if unknown. */
  tokenReceivedAt: number | null;
  /** Time before which the provider wants no calls; may be over. */
  pausedUntil: number | null;
  /** When its owner last declined to connect it; null once it is connected. */
  declinedAt: number | null;
  /** The provider's name for the account, sealed; null if unknown. */
  displayNameSealed: string | null;
  lastUsedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** An account with the state of its renewals and refusals. */
export interface StoredGrant {
  account: Account;
  /** Owner of the running refresh; null if none is running. */
  leaseOwner: string | null;
  /** Number of 401 answers in a row to a credential that cannot be renewed. */
  refusals: number;
}

/** A row of `accounts` with columns of its connection. */
export interface AccountRow extends ReadForm<AccountTable> {
  connection_name: string;
  connector: string;
  authorization_type: AuthorizationType;
  connection_params: JsonObject;
  connection_overrides: ConnectionOverrides;
  connection_paused_until: number | null;
  connection_updated_at: number;
}

/** The account of a row. */
export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    environmentId: row.environment_id,
    owner: { userId: row.user_id, organizationId: row.organization_id },
    identifier: row.identifier,
    status: row.status,
    apiConfig: row.api_config,
    connection: {
      id: row.connection_id,
      environmentId: row.environment_id,
      name: row.connection_name,
      connector: row.connector,
      type: row.authorization_type,
      params: row.connection_params,
      overrides: row.connection_overrides,
      pausedUntil: row.connection_paused_until,
      updatedAt: row.connection_updated_at,
    },
    credentialsSealed: row.credentials_sealed,
    generation: row.generation,
    tokenExpiresAt: row.token_expires_at,
    tokenReceivedAt: row.token_received_at,
    pausedUntil: row.paused_until,
    declinedAt: row.declined_at,
    displayNameSealed: row.display_name_sealed,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The account of a row, with the state of its credential. */
export function grantOf(row: AccountRow): StoredGrant {
  return { account: accountOf(row), leaseOwner: row.lease_owner, refusals: row.refusals };
}
