/**
 * Spares a server that fails: after several failures in a row it gets no call for a while, except one trial.
 * Failures are counted per origin, so other origins are not affected.
 */
const FAILURES = 5;
const WINDOW_MS = 60_000;
const LONGEST_MS = 60_000;

interface Health {
  failures: number;
  /** Time of the first failure in the row, in Unix milliseconds. */
  since: number;
  /** No call is made before this time; 0 while calls are made. */
  closedUntil: number;
  /** Length of the last pause, in milliseconds. */
  pauseMs: number;
}

/** Health of origins. Each method is given the current time, in Unix milliseconds. */
export class Breaker {
  readonly #health = new Map<string, Health>();

  /**
   * Milliseconds until the next trial; 0 if a call may be made. After a pause the first caller gets 0 and makes the
   * trial.
   */
  waitMs(origin: string, now: number): number {
    const health = this.#health.get(origin);
    if (health === undefined || health.closedUntil === 0) return 0;
    if (now < health.closedUntil) return health.closedUntil - now;
    // Others wait while this one tries.
    health.closedUntil = now + health.pauseMs;
    return 0;
  }

  /** Time of the next trial; `undefined` while calls are made. Changes nothing. */
  closedUntil(origin: string, now: number): number | undefined {
    const until = this.#health.get(origin)?.closedUntil ?? 0;
    return until > now ? until : undefined;
  }

  /** Number of origins that get no calls before their next trial. */
  closedCount(now: number): number {
    return [...this.#health.values()].filter(({ closedUntil }) => closedUntil > now).length;
  }

  succeeded(origin: string): void {
    this.#health.delete(origin);
  }

  failed(origin: string, now: number): void {
    const known = this.#health.get(origin);
    const isOver = known === undefined || (known.closedUntil === 0 && now - known.since > WINDOW_MS);
    const health = isOver ? { failures: 0, since: now, closedUntil: 0, pauseMs: 0 } : known;
    this.#health.set(origin, health);
    health.failures += 1;
    if (health.failures < FAILURES) return;
    health.pauseMs = Math.min(health.pauseMs === 0 ? 1_000 : 2 * health.pauseMs, LONGEST_MS);
    health.closedUntil = now + health.pauseMs;
  }
}
