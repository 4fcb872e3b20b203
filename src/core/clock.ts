/**
 * Time as a dependency: rules take a clock, so tests can fix it. Also the written forms of times and
 * durations.
 */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * Milliseconds that are left of a period.
 *
 * @returns 0 also where the clock was set back since the period began: or it would last as much longer
 */
export function leftOf(clock: Clock, startedAt: number, lengthMs: number): number {
  const passedMs = clock.now() - startedAt;
  return passedMs < 0 ? 0 : Math.max(0, lengthMs - passedMs);
}

/** RFC 3339 UTC with milliseconds, the only time format of the API (docs/contract.md#names-times-and-ids). */
export function toTimestamp(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

/** Same as `toTimestamp`, for a time that may be absent. */
export function toTimestampOrNull(unixMs: number | null): string | null {
  return unixMs === null ? null : toTimestamp(unixMs);
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * A duration as people write them in settings: `250ms`, `2s`, `10m`, `1h`, `30d`.
 *
 * @returns milliseconds, or undefined when the text is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}
