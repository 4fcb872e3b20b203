/** Connections as the program sees them, made from rows of the table `connections`. */
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { ManagedBy } from '../../core/stored-words.ts';
import { changedColumns } from '../engine/row-reader.ts';
import type { ReadForm, StoredForm } from '../tables/column-types.ts';
import type { ConnectionOverrides, ConnectionTable, JsonObject } from '../tables/tables.ts';

/** A connector set up for use in an environment. Its one secret is sealed. */
export interface Connection {
  /** `conn_…` */
  id: string;
  environmentId: string;
  /** Unique in its environment. */
  name: string;
  /** Name of the catalog connector. */
  connector: string;
  type: AuthorizationType;
  clientId: string | null;
  /** Client secret, or its replacement (connections/secret-params.ts); null without a secret. */
  clientSecretSealed: string | null;
  /** When the secret was given; null without a secret, or if that is not known. */
  secretSetAt: number | null;
  scopes: readonly string[];
  params: JsonObject;
  overrides: ConnectionOverrides;
  postUserVerifyRedirectUrl: string | null;
  managedBy: ManagedBy;
  /** Time before which the provider wants no calls; may be over. */
  pausedUntil: number | null;
  createdAt: number;
  updatedAt: number;
}

/** The connection of a row. */
export function connectionOf(row: ReadForm<ConnectionTable>): Connection {
  return {
    id: row.id,
    environmentId: row.environment_id,
    name: row.name,
    connector: row.connector,
    type: row.authorization_type,
    clientId: row.client_id,
    clientSecretSealed: row.client_secret_sealed,
    secretSetAt: row.secret_set_at,
    scopes: row.scopes,
    params: row.params,
    overrides: row.overrides,
    postUserVerifyRedirectUrl: row.post_user_verify_redirect_url,
    managedBy: row.managed_by,
    pausedUntil: row.paused_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The wanted columns, in their stored form, whose values differ from the connection's. */
export function changedConnectionColumns(
  connection: Connection,
  wanted: Partial<StoredForm<ConnectionTable>>,
): Partial<StoredForm<ConnectionTable>> {
  return changedColumns('connections', rowOf(connection), wanted);
}

function rowOf(connection: Connection): ReadForm<ConnectionTable> {
  return {
    id: connection.id,
    environment_id: connection.environmentId,
    name: connection.name,
    connector: connection.connector,
    authorization_type: connection.type,
    client_id: connection.clientId,
    client_secret_sealed: connection.clientSecretSealed,
    secret_set_at: connection.secretSetAt,
    scopes: connection.scopes,
    params: connection.params,
    overrides: connection.overrides,
    post_user_verify_redirect_url: connection.postUserVerifyRedirectUrl,
    managed_by: connection.managedBy,
    paused_until: connection.pausedUntil,
    created_at: connection.createdAt,
    updated_at: connection.updatedAt,
  };
}
