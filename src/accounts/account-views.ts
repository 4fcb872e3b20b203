/** How accounts look to callers (docs/contract.md#fields-of-an-account). A view never holds waiting credentials. */
import { toTimestamp, toTimestampOrNull } from '../core/clock.ts';
import type { AccountRow } from '../store/accounts/account-store.ts';
import {
  detailsWithoutSecrets,
  type AuthorizationDetails,
  type InternalDetails,
} from './authorization-details.ts';

/** An item of the list. */
export interface AccountListItem {
  id: string;
  connection_id: string;
  connector: string;
  provider: string;
  identifier: string;
  authorization_type: string;
  status: string;
  token_expires_at: string | null;
  last_used_at: string | null;
  updated_at: string;
}

/** An account with all fields. Which credentials it shows is decided by who makes it. */
export interface AccountView extends AccountListItem {
  organization_id: string;
  user_id: string;
  api_config: Record<string, unknown>;
  authorization_details: Record<string, unknown>;
}

export function toListItem(row: AccountRow): AccountListItem {
  return {
    id: row.id,
    connection_id: row.connection_id,
    connector: row.connection_name,
    provider: row.provider,
    identifier: row.identifier,
    authorization_type: row.authorization_type,
    status: row.status,
    token_expires_at: toTimestampOrNull(row.token_expires_at),
    last_used_at: toTimestampOrNull(row.last_used_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/** The account with no credential in it. */
export function toView(row: AccountRow, details: AuthorizationDetails): AccountView {
  return withDetails(row, withResponseOnly(row, detailsWithoutSecrets(details), details.internal, false));
}

/**
 * The account with its live credentials: `/auth` only (docs/security.md#credentials-in-two-places). Whoever calls a
 * FHIR server with them needs the launch context (`patient`), which has no place among the credentials
 * (docs/contract.md#credentials-of-an-account): it stands in `api_config.launch`.
 */
export function toViewWithCredentials(row: AccountRow, details: AuthorizationDetails): AccountView {
  const { internal, ...variant } = details;
  const view = withDetails(row, withResponseOnly(row, variant, internal, true));
  const launch = internal?.launch;
  return launch === undefined ? view : { ...view, api_config: { ...view.api_config, launch } };
}

/**
 * Adds the response-only members of docs/contract.md#credentials-of-an-account.
 *
 * @param isSecretShown whether the access token is among them; `secret_access_key` and `session_token` never are
 */
function withResponseOnly(
  row: AccountRow,
  shown: AuthorizationDetails,
  internal: InternalDetails | undefined,
  isSecretShown: boolean,
): Record<string, unknown> {
  if (internal === undefined) return { ...shown };
  const expiry = toTimestampOrNull(row.token_expires_at);
  const { access_token, scopes, access_key_id } = internal;
  if (row.authorization_type === 'WORKSPACE_DWD') {
    const token = {
      ...(isSecretShown && access_token !== undefined && { access_token }),
      ...(scopes !== undefined && { scopes }),
      ...(expiry !== null && { token_expires_at: expiry }),
    };
    return { ...shown, workspace_dwd: { ...shown.workspace_dwd, ...token } };
  }
  if (row.authorization_type === 'TRUSTED_IDP') {
    const session = {
      ...(isSecretShown && access_key_id !== undefined && { access_key_id }),
      ...(expiry !== null && { expiry }),
    };
    return { ...shown, trusted_idp: { ...shown.trusted_idp, ...session } };
  }
  return { ...shown };
}

function withDetails(row: AccountRow, details: Record<string, unknown>): AccountView {
  return {
    ...toListItem(row),
    organization_id: row.organization_id,
    user_id: row.user_id,
    api_config: JSON.parse(row.api_config) as Record<string, unknown>,
    authorization_details: details,
  };
}
