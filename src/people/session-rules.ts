/** Lifetimes of sessions, and their form for the rest of the program. Pure. */
import { toTimestamp, toTimestampOrNull } from '../core/clock.ts';
import type { SessionKind } from '../core/stored-words.ts';
import type { AddedClaims, ConnectionDetail, Device, StoredSession } from '../store/tables/people-tables.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Longest time that a browser stays signed in, however much it is used. */
const BROWSER_MAX_MS = 12 * HOUR_MS;

/** Sessions with refresh tokens: limits since the last refresh, and in all. */
const REFRESHED_MS = 30 * DAY_MS;
const REFRESHED_MAX_MS = 180 * DAY_MS;

/** A sign-in. Tokens of users name it in `gid` and end with it. */
export interface Session {
  /** `ses_…` */
  id: string;
  environmentId: string;
  kind: SessionKind;
  /** `usr_…`; for `mcp_server` any user id that the application knows. */
  userId: string;
  /** '' without an organization. */
  organizationId: string;
  /** OAuth client, or `client_id` of the API credential, that holds the tokens; '' for a browser. */
  clientId: string;
  /** The only audience of its tokens; '' for a browser. */
  resource: string;
  /** The user's proofs of identity; passed on to sessions that start from this one. */
  connectionDetails: readonly ConnectionDetail[];
  /** Claims that interceptors added; in every token of the session under `custom_claims`. */
  customClaims: AddedClaims;
  /** Device on which it began. */
  device: Device;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** A session as the API shows it. */
export interface SessionView {
  id: string;
  kind: SessionKind;
  user_id: string;
  organization_id: string;
  client_id: string;
  resource: string;
  custom_claims: Record<string, unknown>;
  device: Device;
  status: 'active' | 'expired' | 'ended';
  created_at: string;
  expires_at: string;
  ended_at: string | null;
}

/**
 * The new end of a session that is used now.
 *
 * @param lifetimeMs `lifetimes.session`
 */
export function sessionEnd(kind: SessionKind, createdAt: number, now: number, lifetimeMs: number): number {
  if (kind === 'browser') return Math.min(now + lifetimeMs, createdAt + BROWSER_MAX_MS);
  if (kind === 'mcp_server') return createdAt + lifetimeMs;
  return Math.min(now + REFRESHED_MS, createdAt + REFRESHED_MAX_MS);
}

/**
 * The last use or refresh of a session, computed from its end: accurate to a tenth of a browser's lifetime,
 * because shorter gains are not stored.
 *
 * @param lifetimeMs `lifetimes.session`
 * @returns `undefined` if use does not move the end (any more)
 */
export function lastUseOf(row: StoredSession, now: number, lifetimeMs: number): number | undefined {
  const { kind, created_at: createdAt, expires_at: expiresAt } = row;
  if (kind === 'mcp_server') return undefined;
  const isBrowser = kind === 'browser';
  if (expiresAt >= createdAt + (isBrowser ? BROWSER_MAX_MS : REFRESHED_MAX_MS)) return undefined;
  const usedAt = expiresAt - (isBrowser ? lifetimeMs : REFRESHED_MS);
  // The lifetime may have been changed since.
  return Math.min(Math.max(usedAt, createdAt), now);
}

/** Time for which a sign-in counts as fresh, in milliseconds. After that, dangerous actions ask for another proof. */
const FRESH_MS = 10 * 60_000;

/**
 * Whether somebody has proven who they are so lately that they may give away the power of an operator.
 *
 * An OpenID provider may sign in a browser that it remembers without asking for anything. So only the time that it
 * states counts.
 */
export function isFreshSession(
  { createdAt, connectionDetails }: Pick<Session, 'createdAt' | 'connectionDetails'>,
  now: number,
): boolean {
  const proofs = connectionDetails.map(({ type, provenAt }) =>
    type === 'OIDC' ? (provenAt ?? 0) : createdAt,
  );
  return now - Math.min(createdAt, ...proofs) < FRESH_MS;
}

/** Whether a session is neither ended nor expired. @param now Unix milliseconds */
export function isLiveAt(row: StoredSession, now: number): boolean {
  return row.ended_at === null && row.expires_at > now;
}

/** A stored session as rules and tokens use it. */
export function toSession(row: StoredSession): Session {
  return {
    id: row.id,
    environmentId: row.environment_id,
    kind: row.kind,
    userId: row.user_id,
    organizationId: row.organization_id,
    clientId: row.client_id,
    resource: row.resource,
    connectionDetails: row.connection_details,
    customClaims: row.custom_claims,
    device: row.device,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** @param now Unix milliseconds: a session that was not ended may have expired by then */
export function toSessionView(row: StoredSession, now: number): SessionView {
  return {
    id: row.id,
    kind: row.kind,
    user_id: row.user_id,
    organization_id: row.organization_id,
    client_id: row.client_id,
    resource: row.resource,
    custom_claims: row.custom_claims,
    device: row.device,
    status: row.ended_at === null ? (row.expires_at > now ? 'active' : 'expired') : 'ended',
    created_at: toTimestamp(row.created_at),
    expires_at: toTimestamp(row.expires_at),
    ended_at: toTimestampOrNull(row.ended_at),
  };
}

/** The proof of identity of a user whom an application or operator vouched for. @param actor `cred_…` or `local` */
export function vouchedBy(actor: string): ConnectionDetail[] {
  return [{ id: actor, type: 'OAUTH', provider: 'GATEHOUSE' }];
}
