/** Time as a dependency: rules take a clock, so tests fix it. */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** RFC 3339 UTC with milliseconds, the only time format of the API (docs/contract.md#names-times-and-ids). */
export function toTimestamp(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

/** The same, for an absent time. */
export function toTimestampOrNull(unixMs: number | null): string | null {
  return unixMs === null ? null : toTimestamp(unixMs);
}
