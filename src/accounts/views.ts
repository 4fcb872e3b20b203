/** How accounts look to callers (specification 2.1). A view never holds waiting credentials. */
import { toTimestamp, toTimestampOrNull } from '../core/clock.ts';
import type { AccountRow } from '../store/account-store.ts';
import { detailsWithoutSecrets, type AuthorizationDetails } from './authorization-details.ts';

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
  return withDetails(row, detailsWithoutSecrets(details));
}

/** The account with its live credentials: `/auth` only (promise P10). */
export function toViewWithCredentials(row: AccountRow, details: AuthorizationDetails): AccountView {
  return withDetails(row, details);
}

function withDetails(row: AccountRow, details: AuthorizationDetails): AccountView {
  return {
    ...toListItem(row),
    organization_id: row.organization_id,
    user_id: row.user_id,
    api_config: JSON.parse(row.api_config) as Record<string, unknown>,
    authorization_details: { ...details },
  };
}
