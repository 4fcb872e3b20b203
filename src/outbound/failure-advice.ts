/**
 * Meanings of a provider's failed answers and what to do about them, as its connector declares them. Pure.
 */
import { isAmong } from './error-code.ts';

/** One kind of answer. It must have one of `statuses` and one of `codes`, if these are declared. */
export interface AdviceRule {
  statuses?: readonly number[];
  codes?: readonly string[];
  /** Whole sentences: the meaning and what to do. */
  says: string;
  /** Whether the same call may succeed shortly afterwards. */
  retry: boolean;
  /** Time zone at whose midnight the call may succeed again. */
  resets_daily_in?: string;
}

/** Returns the first rule that matches an answer. */
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
 * Seconds until the next midnight of a time zone, correct also when the clocks change there.
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
