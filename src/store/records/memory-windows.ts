/**
 * Windows of calls counted in this process alone, for the time in which the database cannot be written.
 *
 * Bounded: beyond the limit the window that ends first is forgotten.
 */
import type { Clock } from '../../core/clock.ts';

/** A window begins with its first call and lasts 60 s. */
export const WINDOW_MS = 60_000;

const MAX_WINDOWS = 10_000;

/** Calls counted in a window, and for how many milliseconds it lasts yet. */
export interface RateWindow {
  points: number;
  remaining_ms: number;
}

/**
 * Whether a period of `lengthMs` that ends in `remainingMs` has not ended. More left than it can last means that
 * the clock was set back: it counts as over, or it would last as long as the clock was wrong.
 */
export function isRunning(remainingMs: number, lengthMs: number = WINDOW_MS): boolean {
  return remainingMs > 0 && remainingMs <= lengthMs;
}

export class MemoryWindows {
  readonly #clock: Clock;
  /** In the order in which they began, so the first one ends first. */
  readonly #windows = new Map<string, { points: number; expire: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one call; begins a window where none is running. */
  take(key: string): RateWindow {
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (window === undefined || !isRunning(window.expire - now)) {
      window = { points: 0, expire: now + WINDOW_MS };
      this.#begin(key, window);
    }
    window.points += 1;
    return { points: window.points, remaining_ms: window.expire - now };
  }

  /** What was counted here; undefined without a window. It may be over. */
  peek(key: string): RateWindow | undefined {
    const window = this.#windows.get(key);
    return window && { points: window.points, remaining_ms: window.expire - this.#clock.now() };
  }

  #begin(key: string, window: { points: number; expire: number }): void {
    this.#windows.delete(key);
    const [first] = this.#windows.keys();
    if (first !== undefined && this.#windows.size >= MAX_WINDOWS) this.#windows.delete(first);
    this.#windows.set(key, window);
  }
}
