/**
 * Closed sets of words that the database stores and the API shows. Columns are declared with these types, so a word read
 * from a row needs no check. Renaming a word would make stored rows unreadable.
 */

/** Statuses of a connected account; accounts/account-status.ts has the transitions between them. */
export const ACCOUNT_STATUSES = [
  'ACTIVE',
  'EXPIRED',
  'PENDING_AUTH',
  'PENDING_VERIFICATION',
  'DISCONNECTED',
] as const;

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/**
 * Kinds of sessions: `browser` (a cookie), `client` (code exchange), `api` (created by an application for a
 * person) and `mcp_server` (a short token for one virtual server).
 */
export const SESSION_KINDS = ['browser', 'client', 'api', 'mcp_server'] as const;

export type SessionKind = (typeof SESSION_KINDS)[number];

/** Moments at which interceptors are called. */
export const TRIGGER_POINTS = [
  'PRE_SIGNUP',
  'PRE_SESSION_CREATION',
  'PRE_USER_INVITATION',
  'PRE_M2M_TOKEN_CREATION',
] as const;

export type TriggerPoint = (typeof TRIGGER_POINTS)[number];

/** Decisions that hold when an interceptor gives no readable answer in time. */
export const FALLBACKS = ['allow', 'block'] as const;

export type Fallback = (typeof FALLBACKS)[number];

/** States of delivering one event to one webhook. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Doors through which tools are called. */
export const CALL_SOURCES = ['api', 'mcp', 'cli', 'proxy', 'dashboard'] as const;

/** Outcomes of an execution. */
export const EXECUTION_STATUSES = ['ok', 'error'] as const;

/** Owner of a declared resource: the operator, the settings file, or the catalog (a connector that needs no operator). */
export type ManagedBy = 'operator' | 'file' | 'catalog';

/** Reasons why an auth request ended. */
export type AuthRequestEnd =
  'verified' | 'expired' | 'wrong_identifiers' | 'superseded' | 'updated' | 'disconnected';

/**
 * Returns a text as a word of a closed set, after rules have checked it.
 *
 * @throws Error for any other text: that is a bug of the caller
 */
export function wordOf<Word extends string>(words: readonly Word[], text: string): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`${text} is not one of ${words.join(', ')}`);
  return found;
}
