/** When an access token is renewed. Pure. */
import type { Account } from '../../store/accounts/account.ts';

/** Of its lifetime, how much of a token is left unused at most. */
const LARGEST_SHARE = 0.1;

/** Reads what decides about a token; `due` is still good. */
export type TokenAge = 'good' | 'due' | 'expired';

/** Times that say how old a token is. */
export type RenewalTimes = Pick<Account, 'tokenExpiresAt' | 'tokenReceivedAt'>;

/**
 * A token without known expiry is good until the provider says otherwise; where there is none yet, it is expired.
 *
 * @param credential the access token or the like; undefined: there is none
 * @param marginMs how long before its expiry a token is renewed; at most a tenth of its lifetime counts
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
