/**
 * Calls of the last 24 hours. They are counted from the records, because sums have no owner and no virtual server.
 */
import type { AccountCount } from '../../../accounts/accounts.ts';
import type { Caller } from '../../../core/caller.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { count } from '../../components/format.ts';

const DAY_MS = 86_400_000;

/** Number of calls, up to the limit of counts. */
export interface RecentCalls {
  all: AccountCount;
  /** Calls that were not answered, including those that wait for a person. */
  failed: AccountCount;
}

/** Counts calls within the caller's reach. @param virtualServerId counts only calls at the address of this server */
export async function recentCalls(
  { executions, clock }: Pick<DashboardDependencies, 'executions' | 'clock'>,
  caller: Caller,
  virtualServerId?: string,
): Promise<RecentCalls> {
  const from = clock.now() - DAY_MS;
  const counted = async (status?: 'error'): Promise<AccountCount> => {
    const page = await executions.list(caller, { from, status, virtualServerId, pageSize: 1 });
    return { count: page.total_size, isAtLeast: page.total_size_is_at_least === true };
  };
  const [all, failed] = await Promise.all([counted(), counted('error')]);
  return { all, failed };
}

/** `1,262`, or `10,000+` where counting stopped. */
export function countedText({ count: value, isAtLeast }: AccountCount): string {
  return isAtLeast ? `${count(value)}+` : count(value);
}
