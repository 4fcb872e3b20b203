/** What a provider's failed answers mean and what to do about them, as its connector declares it. Pure. */
import { isAmong } from './error-code.ts';

/** One kind of answer. Needs one of `statuses` and one of `codes`, where there are any. */
export interface AdviceRule {
  statuses?: readonly number[];
  codes?: readonly string[];
  /** Whole sentences: what it means and what to do. */
  says: string;
  /** Whether the same call may succeed a little later. */
  retry: boolean;
  /** Time zone at whose midnight the call may succeed again. */
  resets_daily_in?: string;
}

/** The first rule that fits an answer. */
export function adviceFor(
  rules: readonly AdviceRule[],
  status: number,
  code: string | undefined,
): AdviceRule | undefined {
  return rules.find(
    ({ statuses, codes }) =>
      (statuses?.includes(status) ?? true) && (codes === undefined || isAmong(codes, code)),
  );
}

const DAY_SECONDS = 86_400;

/**
 * Seconds until the next midnight of a time zone, also over a change of the clocks there.
 *
 * @param now Unix milliseconds
 */
export function secondsToMidnight(timeZone: string, now: number): number {
  const left = DAY_SECONDS - secondOfDay(timeZone, now);
  const there = secondOfDay(timeZone, now + left * 1_000);
  return left + (there > DAY_SECONDS / 2 ? DAY_SECONDS - there : -there);
}

function secondOfDay(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((p) => p.type === type)?.value ?? 0);
  return part('hour') * 3_600 + part('minute') * 60 + part('second');
}
