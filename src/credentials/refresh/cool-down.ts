/**
 * Waiting time after a failed refresh: 1, 2, 4 … 30 s, and never less than the provider asks for. A random part is
 * added so that processes do not retry at the same moment. Pure.
 */

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Largest random part, as a share of the time. */
const JITTER = 0.25;

/** Longest wait that a provider may ask for: a mistaken Retry-After must not disable an account for days. */
export const MAX_COOL_DOWN_MS = 3_600_000;

/**
 * @param failures in a row, this one included; at least 1
 * @param random from 0 to below 1
 * @returns milliseconds
 */
export function coolDownMs(failures: number, retryAfterMs: number | undefined, random: number): number {
  const base = Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 10), LONGEST_MS);
  const own = Math.round(base * (1 + JITTER * random));
  return Math.min(Math.max(own, retryAfterMs ?? 0), MAX_COOL_DOWN_MS);
}
