/** Answers of `executions:summary`: what the hourly sums say about a span of time (docs/contract.md#sums-of-executions). Pure. */
import { toTimestamp } from '../core/clock.ts';
import { invalidArgument, violation, type FieldViolation } from '../core/errors.ts';
import {
  HOUR_MS,
  type ExecutionSum,
  type SumGroup,
  type SumQuery,
} from '../store/records/execution-sum-store.ts';
import { DURATION_CLASSES } from '../store/tables/execution-sum-table.ts';

/** Lengths of a bucket; a day is one in UTC. */
const SPANS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;

/** Most hours, or days, of one answer. */
const MAX_BUCKETS = 800;

/** A question for sums of executions. */
export interface SummaryQuery {
  /** Unix milliseconds. The whole bucket in which it lies counts, and all before `to`. */
  from: number;
  to: number;
  /** Default `hour`. */
  bucket?: keyof typeof SPANS_MS | undefined;
  groupBy?: SumGroup | undefined;
}

/** Executions of one hour or day, and of one group. */
export interface SummaryBucket {
  /** Its begin. */
  at: string;
  /** null without `group_by`, and for successes by error code. */
  group: string | null;
  ok: number;
  error: number;
  /** Durations that half, and 95 of 100, do not exceed: estimates within a class of durations. */
  p50_ms: number;
  p95_ms: number;
}

/** The violation of a time range, if there is one. */
export function rangeViolation({
  from,
  to,
  bucket = 'hour',
}: Omit<SummaryQuery, 'groupBy'>): FieldViolation | undefined {
  if (from >= to) return violation('from', 'Must be before to.', 'range');
  const { from: begin, to: end, spanMs } = wholeBuckets({ from, to, bucket });
  if (end - begin <= MAX_BUCKETS * spanMs) return undefined;
  const longer = bucket === 'hour' ? ' Longer ranges come by day: bucket=day.' : '';
  return violation('from', `Must be at most ${MAX_BUCKETS} ${bucket}s before to.${longer}`, 'range');
}

/** @throws ServiceError INVALID_ARGUMENT */
export function sumQuery(query: SummaryQuery): SumQuery {
  const wrong = rangeViolation(query);
  if (wrong !== undefined) throw invalidArgument([wrong]);
  return { ...wholeBuckets(query), groupBy: query.groupBy };
}

function wholeBuckets({ from, to, bucket = 'hour' }: SummaryQuery): Omit<SumQuery, 'groupBy'> {
  const spanMs = SPANS_MS[bucket];
  return { from: Math.floor(from / spanMs) * spanMs, to: Math.ceil(to / spanMs) * spanMs, spanMs };
}

/** Executions of a range of time, and of one group. */
export type ExecutionTotal = Omit<SummaryBucket, 'at'>;

/** All that the sums of a range say, read once. */
export interface ExecutionOverview {
  /** Of each hour or day with a call. */
  byTime: SummaryBucket[];
  /** The same for each error code; null is that of successes. */
  byErrorCode: SummaryBucket[];
  byConnection: ExecutionTotal[];
  /** `undefined` without a call. */
  whole: ExecutionTotal | undefined;
}

/** @param sums by error code and connection */
export function overviewOf(sums: readonly ExecutionSum[]): ExecutionOverview {
  const codes = sums.map((sum) => ({ ...sum, group: sum.group.split(' ')[0] ?? '' }));
  const whole = sums.map((sum) => ({ ...sum, at: 0, group: '' }));
  return {
    byTime: summaryBuckets(sums.map((sum) => ({ ...sum, group: '' }))),
    byErrorCode: summaryBuckets(codes),
    byConnection: summaryBuckets(
      sums.map((sum) => ({ ...sum, at: 0, group: sum.group.split(' ')[1] ?? '' })),
    ),
    whole: summaryBuckets(whole)[0],
  };
}

/** @param sums in the order of their spans and groups */
export function summaryBuckets(sums: readonly ExecutionSum[]): SummaryBucket[] {
  const together = Map.groupBy(sums, ({ at, group }) => `${at} ${group}`);
  return [...together.values()].map((outcomes) => {
    const [{ at, group } = { at: 0, group: '' }] = outcomes;
    const counted = (status: ExecutionSum['status']): number =>
      outcomes.reduce((sum, one) => sum + (one.status === status ? totalOf(one.counts) : 0), 0);
    const counts = BOUNDS.map((_, i) => outcomes.reduce((sum, one) => sum + (one.counts[i] ?? 0), 0));
    return {
      at: toTimestamp(at),
      group: group === '' ? null : group,
      ok: counted('ok'),
      error: counted('error'),
      p50_ms: percentile(counts, 0.5),
      p95_ms: percentile(counts, 0.95),
    };
  });
}

const BOUNDS = Object.values(DURATION_CLASSES);

/** Assumes that the durations of a class lie evenly in it. Of the last class only its begin is known. */
function percentile(counts: readonly number[], share: number): number {
  const rank = totalOf(counts) * share;
  let below = 0;
  const place = counts.findIndex((count) => {
    below += count;
    return count > 0 && below >= rank;
  });
  const [least, most, count] = [BOUNDS[place - 1] ?? 0, BOUNDS[place] ?? 0, counts[place] ?? 1];
  if (most === Number.POSITIVE_INFINITY) return least;
  return Math.round(most - ((most - least) * (below - rank)) / count);
}

function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
