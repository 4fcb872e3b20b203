/**
 * The progress of a link, for a caller that made it and waits. Reads only the database, so it does not matter
 * which process serves the link.
 */
import type { Clock } from '../core/clock.ts';
import { hashSecret } from '../core/ids.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { Database } from '../store/engine/database.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import { OAuthFlowStore } from '../store/accounts/oauth-flow-store.ts';
import type { AuthRequestEnd } from '../core/stored-words.ts';

/** Why a link can no longer connect its account. */
export type LinkEnd =
  /** Nobody completed the link in time. */
  | 'link_expired'
  /** The person declined. */
  | 'declined'
  /** The account was deleted, and the link with it. */
  | 'deleted'
  /** Consent was given, but the app did not confirm who gave it. */
  | Exclude<AuthRequestEnd, 'verified'>;

/**
 * - `open`: nobody has started the flow
 * - `away`: a browser is at the provider, or its callback is being processed
 * - `returned`: the browser came back without access; it shows why, and the link can be opened again
 * - `verifying`: access is granted and waits for the app to confirm who gave it
 */
export type LinkProgress =
  | { state: 'open' | 'away' | 'returned' | 'verifying' }
  | { state: 'connected'; account: { id: string; identifier: string; status: string } }
  | { state: 'ended'; why: LinkEnd };

/** Time for which a callback counts as being processed, because a token request takes time. */
const EXCHANGE_MS = 3_000;

/** @param token the last part of the link */
export async function linkProgress(
  { read }: Pick<Database, 'read'>,
  clock: Clock,
  environmentId: string,
  token: string,
): Promise<LinkProgress> {
  const now = clock.now();
  const link = await new LinkStore(read).findByToken(environmentId, hashSecret(token));
  const row =
    link === undefined ? undefined : await new AccountStore(read).find({ environmentId }, link.accountId);
  if (link === undefined || row === undefined) return { state: 'ended', why: 'deleted' };
  if (link.completedAt === null) {
    if (link.expiresAt <= now) return { state: 'ended', why: 'link_expired' };
    const flow = await new OAuthFlowStore(read).latestOfLink(environmentId, link.id);
    if (flow === undefined || flow.expiresAt <= now) return { state: 'open' };
    const isBack = flow.consumedAt !== null && flow.consumedAt + EXCHANGE_MS <= now;
    return { state: isBack ? 'returned' : 'away' };
  }
  if (link.declinedAt !== null) return { state: 'ended', why: 'declined' };
  const request = await new AuthRequestStore(read).findByLink(environmentId, link.id);
  if (request !== undefined && request.endedAt === null) {
    return request.expiresAt > now ? { state: 'verifying' } : { state: 'ended', why: 'expired' };
  }
  const why = request?.endedBy ?? undefined;
  if (why !== undefined && why !== 'verified') return { state: 'ended', why };
  return { state: 'connected', account: { id: row.id, identifier: row.identifier, status: row.status } };
}
