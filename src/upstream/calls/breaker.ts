/**
 * Spares a server that fails: after several failures in a row no call for a while, except one trial. Per origin; other
 * origins are not touched.
 */
const FAILURES = 5;
const WINDOW_MS = 60_000;
const LONGEST_MS = 60_000;

interface Health {
  failures: number;
  /** Of the first of them. */
  since: number;
  /** No call before this time; 0 while calls are made. */
  closedUntil: number;
  /** How long it was last closed. */
  pauseMs: number;
}

/** Health of origins, by the clock that each method is given. */
export class Breaker {
  readonly #health = new Map<string, Health>();

  /** Milliseconds until the next trial; 0 if a call may be made. The call that is let through is the trial. */
  waitMs(origin: string, now: number): number {
    const health = this.#health.get(origin);
    if (health === undefined || health.closedUntil === 0) return 0;
    if (now < health.closedUntil) return health.closedUntil - now;
    // Others wait while this one tries.
    health.closedUntil = now + health.pauseMs;
    return 0;
  }

  /** When the next trial may be made; `undefined` while calls are made. Changes nothing. */
  closedUntil(origin: string, now: number): number | undefined {
    const until = this.#health.get(origin)?.closedUntil ?? 0;
    return until > now ? until : undefined;
  }

  /** How many origins get no calls before their next trial. */
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
