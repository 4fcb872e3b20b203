/** Turns input about connections into columns, and seals their secret. No rules, no SQL. */
import type { Connector } from '../catalog/model/types.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { Vault } from '../vault/vault.ts';
import type { ConnectionInput, ConnectionPatch } from './connection-views.ts';
import { publicParams } from './secret-params.ts';
import { AUTHORIZATION_TYPE_NAMES, type AuthorizationType } from '../authorization-types/index.ts';
import { wordOf } from '../core/stored-words.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { ConnectionTable } from '../store/tables/tables.ts';

/** The columns that a caller decides, except the secret. */
export type ConnectionColumns = Pick<
  StoredForm<ConnectionTable>,
  | 'name'
  | 'connector'
  | 'authorization_type'
  | 'client_id'
  | 'scopes'
  | 'params'
  | 'overrides'
  | 'post_user_verify_redirect_url'
>;

/** The type that an input names, otherwise the connector's default. Not checked. */
export function typeOf({ authorization_type: type }: ConnectionInput, connector: Connector): string {
  return type ?? defaultType(connector);
}

/** The type of a connection that does not name one. */
function defaultType(connector: Connector): AuthorizationType {
  return connector.auth[0]?.type ?? 'NO_AUTH';
}

/** All columns of a checked input, with defaults for what it leaves out. */
export function allColumns(input: ConnectionInput, connector: Connector): ConnectionColumns {
  return {
    name: input.name ?? connector.name,
    connector: connector.name,
    authorization_type: wordOf(AUTHORIZATION_TYPE_NAMES, typeOf(input, connector)),
    client_id: input.client_id ?? null,
    scopes: JSON.stringify(eachOnce(input.scopes ?? [])),
    params: JSON.stringify(publicParams(input.params ?? {})),
    overrides: JSON.stringify(input.overrides ?? {}),
    post_user_verify_redirect_url: input.post_user_verify_redirect_url ?? null,
  };
}

/** The columns that a checked patch names; the others stay as they are. */
export function givenColumns(patch: ConnectionPatch): Partial<ConnectionColumns> {
  const { name, authorization_type, client_id, scopes, params, overrides } = patch;
  const { post_user_verify_redirect_url } = patch;
  return {
    ...(name !== undefined && { name }),
    ...(authorization_type !== undefined && {
      authorization_type: wordOf(AUTHORIZATION_TYPE_NAMES, authorization_type),
    }),
    ...(client_id !== undefined && { client_id }),
    ...(scopes !== undefined && { scopes: JSON.stringify(eachOnce(scopes)) }),
    ...(params !== undefined && { params: JSON.stringify(publicParams(params)) }),
    ...(overrides !== undefined && { overrides: JSON.stringify(overrides) }),
    ...(post_user_verify_redirect_url !== undefined && { post_user_verify_redirect_url }),
  };
}

/** Columns of a connection whose secret (client secret or its replacement: secret-params.ts) is set, or removed. */
export async function secretColumns(
  vault: Vault,
  connectionId: string,
  secret: string | null | undefined,
  now: number,
): Promise<Pick<ConnectionTable, 'client_secret_sealed' | 'secret_set_at'>> {
  if (secret === undefined || secret === null) return { client_secret_sealed: null, secret_set_at: null };
  const sealed = await vault.seal(connectionSecretPlace(connectionId), secret);
  return { client_secret_sealed: sealed, secret_set_at: now };
}

/** Opens the one secret of a connection; `undefined` without a secret. @throws UnreadableSecret */
export async function openClientSecret(
  vault: Vault,
  { id, clientSecretSealed: sealed }: Pick<Connection, 'id' | 'clientSecretSealed'>,
): Promise<string | undefined> {
  return sealed === null ? undefined : vault.open(connectionSecretPlace(id), sealed);
}

/** The place that the client secret of a connection is sealed for. */
export function connectionSecretPlace(row: string): Parameters<Vault['seal']>[0] {
  return { table: 'connections', row, column: 'client_secret_sealed' };
}

function eachOnce(scopes: readonly string[]): string[] {
  return [...new Set(scopes)];
}
