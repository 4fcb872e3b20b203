/** Decides when an access token is renewed. Pure. */
import type { Account } from '../../store/accounts/account.ts';

/** Largest share of a token's lifetime that is left unused. */
const LARGEST_SHARE = 0.1;

/** A `due` token is still good, but should be renewed. */
export type TokenAge = 'good' | 'due' | 'expired';

/** The times that decide about a token's age. */
export type RenewalTimes = Pick<Account, 'tokenExpiresAt' | 'tokenReceivedAt'>;

/**
 * A token without known expiry is good until the provider refuses it; a missing one counts as expired.
 *
 * @param credential the access token or similar; `undefined` without a token
 * @param marginMs how long before its expiry a token is renewed; limited to a tenth of its lifetime
 */
export function tokenAge(
  { tokenExpiresAt: expiresAt, tokenReceivedAt: receivedAt }: RenewalTimes,
  credential: string | undefined,
  now: number,
  marginMs: number,
): TokenAge {
  if (credential === undefined) return 'expired';
  if (expiresAt === null || now < expiresAt - marginOf(expiresAt, receivedAt, marginMs)) return 'good';
  return now < expiresAt ? 'due' : 'expired';
}

function marginOf(expiresAt: number, receivedAt: number | null, marginMs: number): number {
  if (receivedAt === null) return marginMs;
  return Math.min(marginMs, Math.max(0, (expiresAt - receivedAt) * LARGEST_SHARE));
}
