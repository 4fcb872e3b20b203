/** How accounts look to callers (docs/contract.md#fields-of-an-account). A view never holds waiting credentials. */
import { typeNamed } from '../authorization-types/index.ts';
import { toTimestamp, toTimestampOrNull } from '../core/clock.ts';
import type { AccountRow } from '../store/accounts/account-store.ts';
import type { AuthorizationDetails, InternalDetails } from '../authorization-types/credentials.ts';
import { detailsWithoutSecrets } from './authorization-details.ts';

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
  api_config: Readonly<Record<string, unknown>>;
  authorization_details: Record<string, unknown>;
}

export function toListItem(row: AccountRow): AccountListItem {
  return {
    id: row.id,
    connection_id: row.connection_id,
    connector: row.connection_name,
    provider: row.connector,
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
 * The account with its live credentials, for `/auth` only (docs/security.md#credentials-in-two-places). Values that
 * have no place among the credentials, such as the launch context of a FHIR server, stand in `api_config`.
 */
export function toViewWithCredentials(row: AccountRow, details: AuthorizationDetails): AccountView {
  const { internal = {}, ...variant } = details;
  const view = withDetails(row, withResponseOnly(row, variant, details.internal, true));
  const config = typeNamed(row.authorization_type)?.obtainedConfig?.(internal) ?? {};
  return { ...view, api_config: { ...view.api_config, ...config } };
}

/**
 * Adds the response-only members of docs/contract.md#credentials-of-an-account.
 *
 * @param isSecretShown whether the access token is among them
 */
function withResponseOnly(
  row: AccountRow,
  shown: AuthorizationDetails,
  internal: InternalDetails | undefined,
  isSecretShown: boolean,
): Record<string, unknown> {
  const credentials = typeNamed(row.authorization_type)?.credentials;
  if (internal === undefined || credentials?.obtained === undefined) return { ...shown };
  const expiry = toTimestampOrNull(row.token_expires_at);
  const obtained = credentials.obtained({ internal, expiry, isSecretShown });
  return { ...shown, [credentials.variant]: { ...shown[credentials.variant], ...obtained } };
}

function withDetails(row: AccountRow, details: Record<string, unknown>): AccountView {
  return {
    ...toListItem(row),
    organization_id: row.organization_id,
    user_id: row.user_id,
    api_config: row.api_config,
    authorization_details: details,
  };
}
