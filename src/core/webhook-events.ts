/** Events that webhooks can be sent (docs/contract.md#10-webhooks). */

/**
 * - `created`: the account was created, with or without credentials
 * - `updated`: credentials or configuration were replaced and the status stayed; not for a silent refresh
 * - `status_updated`: the status changed, for any reason
 * - `deleted`: the account was deleted
 * - `token_refresh_failed`: the provider did not renew the credentials
 */
const ACCOUNT_EVENTS = [
  'connected_account.created',
  'connected_account.updated',
  'connected_account.status_updated',
  'connected_account.deleted',
  'connected_account.token_refresh_failed',
] as const;

export type AccountEventType = (typeof ACCOUNT_EVENTS)[number];

/**
 * - `tools_changed`: a remote MCP server lists other tools, or other definitions of them
 * - `unavailable`: it has failed several times in a row, and gets no calls for a while
 * - `recovered`: it answers again
 * - `client_replaced`: another client was registered with its authorization server
 * - `authorization_server_changed`: its documents name another authorization server, or other addresses of it
 */
const UPSTREAM_EVENTS = [
  'upstream.tools_changed',
  'upstream.unavailable',
  'upstream.recovered',
  'upstream.client_replaced',
  'upstream.authorization_server_changed',
] as const;

export type UpstreamEventType = (typeof UPSTREAM_EVENTS)[number];

/** All of them, in the order in which people read them. */
export const WEBHOOK_EVENTS = [...ACCOUNT_EVENTS, ...UPSTREAM_EVENTS] as const;

export type WebhookEventType = AccountEventType | UpstreamEventType;
