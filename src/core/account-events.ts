/** Events of connected accounts that webhooks can be sent (docs/contract.md#10-webhooks). */

/**
 * - `created`: the account was created, with or without credentials
 * - `updated`: credentials or configuration were replaced and the status stayed; not for a silent refresh
 * - `status_updated`: the status changed, for any reason
 * - `deleted`: the account was deleted
 * - `token_refresh_failed`: the provider did not renew the credentials
 */
export const ACCOUNT_EVENTS = [
  'connected_account.created',
  'connected_account.updated',
  'connected_account.status_updated',
  'connected_account.deleted',
  'connected_account.token_refresh_failed',
] as const;

export type AccountEventType = (typeof ACCOUNT_EVENTS)[number];
