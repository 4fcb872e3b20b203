/** Reads the data of the overview. Services decide who may see it. */
import type { AccountCount } from '../../../accounts/accounts.ts';
import type { Caller } from '../../../core/caller.ts';
import type { ConnectionView } from '../../../connections/connection-views.ts';
import type { ExecutionView } from '../../../executor/execution-list.ts';
import type { ExecutionTotal } from '../../../executor/execution-summary.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { isWaiting } from '../calls/outcome.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Periods to choose from, and their number of bars. The longest has no comparison, because twice the data would be
 * read.
 */
export const PERIODS = {
  '1h': { bucket: 'hour', spanMs: HOUR_MS, bars: 1, isCompared: true },
  '24h': { bucket: 'hour', spanMs: HOUR_MS, bars: 24, isCompared: true },
  '7d': { bucket: 'day', spanMs: DAY_MS, bars: 7, isCompared: true },
  '30d': { bucket: 'day', spanMs: DAY_MS, bars: 30, isCompared: false },
} as const;

/** The name of a period. */
export type Period = keyof typeof PERIODS;

/** Whether a text of the query names a period. */
export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text);
}

/** Connections whose accounts are counted; others are listed without a count. */
const MAX_COUNTED = 12;

/** Rows of a list on the overview. */
const LISTED = 5;

/** Calls in a time span, by outcome. */
export interface Outcomes {
  ok: number;
  wait: number;
  bad: number;
}

/** Calls of a period, of the whole environment. */
export interface CallSums {
  isDaily: boolean;
  /** Start of the first bar. */
  since: number;
  /** All bars of the period, including those without calls. */
  bars: readonly (Outcomes & { at: number; p95: number })[];
  total: Outcomes;
  p95: number;
  /** The previous period of the same length; all zero if it has no calls or is not compared. */
  before: Outcomes;
  beforeP95: number;
  /** Failures by error code, most frequent first, except those that wait for a person. */
  reasons: readonly { code: string; count: number }[];
  byConnection: ReadonlyMap<string, ExecutionTotal>;
}

type Reader = Pick<DashboardDependencies, 'executions' | 'accounts' | 'connections' | 'clock'>;

/** @throws ServiceError PERMISSION_DENIED for a caller that does not reach the whole environment */
export async function callSums(
  { executions, clock }: Reader,
  caller: Caller,
  period: Period,
): Promise<CallSums> {
  const { bucket, spanMs, bars: count, isCompared } = PERIODS[period];
  const now = clock.now();
  const since = Math.floor(now / spanMs) * spanMs - (count - 1) * spanMs;
  const [found, before] = await Promise.all([
    // The current hour or day counts too.
    executions.overview(caller, { from: since, to: now + 1, bucket }),
    isCompared ? executions.overview(caller, { from: since - count * spanMs, to: since, bucket }) : undefined,
  ]);
  const byTime = Map.groupBy(found.byErrorCode, ({ at }) => Date.parse(at));
  const times = new Map(found.byTime.map((one) => [Date.parse(one.at), one.p95_ms]));
  const bars = Array.from({ length: count }, (_, index) => {
    const at = since + index * spanMs;
    return { at, ...outcomesOf(byTime.get(at) ?? []), p95: times.get(at) ?? 0 };
  });
  const codes = Map.groupBy(found.byErrorCode, ({ group }) => group ?? '');
  return {
    isDaily: bucket === 'day',
    since,
    bars,
    total: outcomesOf(found.byErrorCode),
    p95: found.whole?.p95_ms ?? 0,
    before: outcomesOf(before?.byErrorCode ?? []),
    beforeP95: before?.whole?.p95_ms ?? 0,
    reasons: [...codes]
      .map(([code, buckets]) => ({ code, count: buckets.reduce((sum, { error }) => sum + error, 0) }))
      .filter((reason) => reason.count > 0 && !isWaiting(reason.code))
      .toSorted((one, other) => other.count - one.count),
    byConnection: new Map(found.byConnection.map((one) => [one.group ?? '', one])),
  };
}

function outcomesOf(totals: readonly ExecutionTotal[]): Outcomes {
  const sum = (of: readonly ExecutionTotal[], member: 'ok' | 'error'): number =>
    of.reduce((whole, total) => whole + total[member], 0);
  const waiting = totals.filter(({ group }) => isWaiting(group));
  const wait = sum(waiting, 'error');
  return { ok: sum(totals, 'ok'), wait, bad: sum(totals, 'error') - wait };
}

/** Statuses whose accounts are counted; `undefined` counts all accounts. */
const STATUSES = [undefined, 'ACTIVE', 'PENDING_AUTH', 'EXPIRED'] as const;

const NONE: AccountCount = { count: 0, isAtLeast: false };

/** Accounts by status, within the caller's reach. */
export interface AccountCounts {
  all: AccountCount;
  active: AccountCount;
  waiting: AccountCount;
  expired: AccountCount;
}

/** Accounts of all connections together, and of the connections with these ids. */
export async function accountCounts(
  { accounts }: Pick<Reader, 'accounts'>,
  caller: Caller,
  connectionIds: readonly string[] = [],
): Promise<{ whole: AccountCounts; ofConnections: readonly AccountCounts[] }> {
  const groups = [undefined, ...connectionIds].flatMap((connectionId) =>
    STATUSES.map((status) => ({ connectionId, status })),
  );
  const counted = await accounts.counts(caller, groups);
  const countsAt = (place: number): AccountCounts => {
    const [all, active, waiting, expired] = counted.slice(place * STATUSES.length);
    return { all: all ?? NONE, active: active ?? NONE, waiting: waiting ?? NONE, expired: expired ?? NONE };
  };
  return { whole: countsAt(0), ofConnections: connectionIds.map((_, place) => countsAt(place + 1)) };
}

/** A connection with the number of its accounts. If there are many connections, only the first few. */
export interface ConnectionHealth {
  connection: ConnectionView;
  accounts: AccountCounts | undefined;
}

/** All connections of the environment and its accounts, for operators. */
export async function environmentHealth(
  reader: Reader,
  caller: Caller,
): Promise<{ accounts: AccountCounts; connections: ConnectionHealth[] }> {
  const connections = await reader.connections.list(caller.environmentId);
  const ids = connections.slice(0, MAX_COUNTED).map(({ id }) => id);
  const { whole, ofConnections } = await accountCounts(reader, caller, ids);
  return {
    accounts: whole,
    connections: connections.map((connection, place) => ({ connection, accounts: ofConnections[place] })),
  };
}

/** The newest calls within the caller's reach. */
export async function latestCalls(
  { executions }: Pick<Reader, 'executions'>,
  caller: Caller,
): Promise<ExecutionView[]> {
  return (await executions.list(caller, { pageSize: LISTED })).executions;
}
