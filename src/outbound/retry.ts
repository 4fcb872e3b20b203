/**
 * Decides whether a provider call may be repeated, and after how long. Pure: takes time and chance as
 * arguments.
 *
 * A write is repeated only if the provider certainly has not seen it. A read is repeated also after a broken
 * connection and after answers that ask to try again, a 429 only if it asks for a short wait. Nothing is repeated
 * after a timeout, because the provider is already slow.
 */
import type { OutboundFailure } from './outbound-failure.ts';

/** Effect of a tool on the provider's data; decides about repeats. */
export type Effect = 'read' | 'create' | 'update' | 'delete';

/** Maximum repeats after the first attempt. */
export const MAX_RETRIES = 2;

const BASE_DELAY_MS = 250;

/** Longest wait that a provider can ask for: a mistaken header must not stop a caller for days. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** A 429 that asks for a longer wait is not repeated: its caller waits elsewhere. */
const MAX_WAIT_AFTER_429_MS = 2_000;

/** Answers of a provider that has too much to do; repeating them takes from the RetryBudget. */
const OVERLOADED_STATUSES: ReadonlySet<number> = new Set([429, 503]);

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** True if a call that ended like this may be sent again. @param retryAfterMs what the answer asks for */
export function mayRetry(
  effect: Effect,
  outcome: OutboundFailure | { status: number },
  retryAfterMs?: number,
): boolean {
  if ('kind' in outcome && outcome.kind === 'connect') return !outcome.sent;
  if (effect !== 'read') return false;
  if ('kind' in outcome) return outcome.kind === 'reset';
  if (outcome.status === 429) return retryAfterMs !== undefined && retryAfterMs <= MAX_WAIT_AFTER_429_MS;
  return RETRYABLE_STATUSES.has(outcome.status);
}

/** True for an answer of a provider that has too much to do. */
export function isOverloaded(outcome: OutboundFailure | { status: number }): boolean {
  return 'status' in outcome && OVERLOADED_STATUSES.has(outcome.status);
}

/**
 * Milliseconds to wait: what the provider asked for, otherwise 250 ms, 500 ms, each with jitter of half
 * either way.
 *
 * @param attempt 0 before the first repeat
 * @param random from 0 to below 1
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const jittered = Math.round(BASE_DELAY_MS * 2 ** attempt * (0.5 + random));
  return retryAfterMs === undefined ? jittered : Math.max(retryAfterMs, jittered);
}

/**
 * Reads `Retry-After`: seconds, fractions of seconds, or a date in any of HTTP's three forms.
 *
 * @returns milliseconds from now, never negative, an hour at most; `undefined` if absent or unreadable
 * @see RFC 9110 sections 10.2.3 and 5.6.7
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\s*(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(value)?.[1];
  const waitMs = seconds === undefined ? parseHttpDate(value) - now : Number(seconds) * 1_000;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS);
}

function parseHttpDate(value: string): number {
  if (!/^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(value)) return Number.NaN;
  // The asctime form names no zone and means UTC.
  return Date.parse(/gmt\s*$/i.test(value) ? value : `${value} GMT`);
}
