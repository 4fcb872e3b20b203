/** Accounts as callers see them (docs/contract.md#fields-of-an-account). A view never holds waiting credentials. */
import { typeNamed } from '../authorization-types/index.ts';
import { toTimestamp, toTimestampOrNull } from '../core/clock.ts';
import type { Account } from '../store/accounts/account.ts';
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

/** An item of the list with `view=full`. */
export interface FullListItem extends AccountListItem {
  /** The provider's name for the account; null if unknown. */
  display_name: string | null;
  organization_id: string;
  user_id: string;
  created_at: string;
  api_config: Readonly<Record<string, unknown>>;
}

/** An account with all fields. The function that builds it decides which credentials it shows. */
export interface AccountView extends AccountListItem {
  /** The provider's name for the account, null if unknown; in details only. */
  display_name?: string | null;
  organization_id: string;
  user_id: string;
  api_config: Readonly<Record<string, unknown>>;
  authorization_details: Record<string, unknown>;
}

export function toListItem(account: Account): AccountListItem {
  return {
    id: account.id,
    connection_id: account.connection.id,
    connector: account.connection.name,
    provider: account.connection.connector,
    identifier: account.identifier,
    authorization_type: account.connection.type,
    status: account.status,
    token_expires_at: toTimestampOrNull(account.tokenExpiresAt),
    last_used_at: toTimestampOrNull(account.lastUsedAt),
    updated_at: toTimestamp(account.updatedAt),
  };
}

export function toFullListItem(account: Account, displayName: string | null): FullListItem {
  return {
    ...toListItem(account),
    display_name: displayName,
    organization_id: account.owner.organizationId,
    user_id: account.owner.userId,
    created_at: toTimestamp(account.createdAt),
    api_config: account.apiConfig,
  };
}

/** The account without credentials. */
export function toView(account: Account, details: AuthorizationDetails): AccountView {
  return withDetails(
    account,
    withResponseOnly(account, detailsWithoutSecrets(details), details.internal, false),
  );
}

/**
 * The account with its live credentials, for `/auth` only (docs/security.md#credentials-in-two-places). Values that are
 * not credentials, such as the launch context of a FHIR server, are in `api_config`.
 */
export function toViewWithCredentials(account: Account, details: AuthorizationDetails): AccountView {
  const { internal = {}, ...variant } = details;
  const view = withDetails(account, withResponseOnly(account, variant, details.internal, true));
  const config = typeNamed(account.connection.type)?.obtainedConfig?.(internal) ?? {};
  return { ...view, api_config: { ...view.api_config, ...config } };
}

/**
 * Adds the response-only members of docs/contract.md#credentials-of-an-account.
 *
 * @param isSecretShown whether to include the access token
 */
function withResponseOnly(
  account: Account,
  shown: AuthorizationDetails,
  internal: InternalDetails | undefined,
  isSecretShown: boolean,
): Record<string, unknown> {
  const credentials = typeNamed(account.connection.type)?.credentials;
  if (internal === undefined || credentials?.obtained === undefined) return { ...shown };
  const expiry = toTimestampOrNull(account.tokenExpiresAt);
  const obtained = credentials.obtained({ internal, expiry, isSecretShown });
  return { ...shown, [credentials.variant]: { ...shown[credentials.variant], ...obtained } };
}

function withDetails(account: Account, details: Record<string, unknown>): AccountView {
  return {
    ...toListItem(account),
    organization_id: account.owner.organizationId,
    user_id: account.owner.userId,
    api_config: account.apiConfig,
    authorization_details: details,
  };
}
