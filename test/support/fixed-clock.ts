/** A clock that moves only when told. */
import type { Clock } from '../../src/core/clock.ts';

export interface FixedClock extends Clock {
  advance(ms: number): void;
}

/** Starts at 2026-11-20T12:00:00.000Z. */
export function fixedClock(start: number = Date.UTC(2026, 10, 20, 12)): FixedClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}
