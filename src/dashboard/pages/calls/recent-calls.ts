/** Calls of the last 24 hours, counted and not summed up: sums name no owner and no virtual server. */
import type { AccountCount } from '../../../accounts/accounts.ts';
import type { Caller } from '../../../core/caller.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { count } from '../../components/format.ts';

const DAY_MS = 86_400_000;

/** How many they are, as far as lists are counted. */
export interface RecentCalls {
  all: AccountCount;
  /** Not answered, those that wait for a person too. */
  failed: AccountCount;
}

/** Counts those within the caller's reach. @param virtualServerId counts those at the address of this server */
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
