/**
 * Limits on calls: those of the catalog per account, and those that the account or its connection sets itself.
 * A call is refused before anything is sent.
 */
import type { CallSettings } from '../../connections/call-settings.ts';
import type { CallLimit } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';

/** Limits calls per minute; shared by every process of the installation. */
export interface CallRates {
  /** Whether `take` would refuse, without counting. Another call may be counted before it. */
  peek(key: string, perMinute: number): Promise<{ retryAfterMs: number } | undefined>;
  /** Counts a call. Returns how long to wait when the limit is reached. */
  take(key: string, perMinute: number): Promise<{ retryAfterMs: number } | undefined>;
}

/** One limit that a call counts in. */
interface Rate {
  key: string;
  perMinute: number;
  /** For messages. */
  of: 'account' | 'connection';
}

/**
 * Counts a call in each of its limits. A refused call counts in none: the other limits are checked before the tightest
 * one counts it. With concurrent calls, some limits may count a call that another one refuses.
 *
 * @param groups of the catalog; they count per account
 * @throws ServiceError RATE_LIMITED with the time to wait
 */
export async function takeRates(
  rates: CallRates,
  account: Account,
  groups: readonly CallLimit[],
  settings: CallSettings,
): Promise<void> {
  const taken = ratesOf(account, groups, settings).toSorted((a, b) => a.perMinute - b.perMinute);
  for (const rate of taken.slice(1)) requireLeft(rate, await rates.peek(rate.key, rate.perMinute));
  for (const rate of taken) requireLeft(rate, await rates.take(rate.key, rate.perMinute));
}

function requireLeft({ perMinute, of }: Rate, refused: { retryAfterMs: number } | undefined): void {
  if (refused === undefined) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(refused.retryAfterMs / 1000));
  throw new ServiceError(
    'RATE_LIMITED',
    `${perMinute} calls a minute are allowed for this ${of} and they are used up. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, details: { limit: perMinute, retry_after: retryAfterSeconds } },
  );
}

/** Keys begin with the environment's id; a group of the catalog cannot hold a colon. */
function ratesOf(account: Account, groups: readonly CallLimit[], settings: CallSettings): Rate[] {
  const { environmentId, id, connection } = account;
  const { accountPerMinute, connectionPerMinute } = settings;
  const rates: Rate[] = groups.map(({ group, perMinute }) => ({
    key: `${environmentId}:${id}:${group}`,
    perMinute: Math.min(perMinute, accountPerMinute ?? perMinute),
    of: 'account',
  }));
  if (accountPerMinute !== undefined)
    rates.push({ key: `${environmentId}:${id}::all`, perMinute: accountPerMinute, of: 'account' });
  if (connectionPerMinute !== undefined)
    rates.push({
      key: `${environmentId}:${connection.id}::all`,
      perMinute: connectionPerMinute,
      of: 'connection',
    });
  return rates;
}
