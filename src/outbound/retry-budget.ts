/**
 * Limits the repeats that an overloaded provider gets. Repeats of its refusals would otherwise multiply its load.
 *
 * Each origin has a few repeats in reserve. Ten answers earn one more, so in the long run at most a tenth of the
 * requests are repeats.
 */

/** Repeats in reserve, in units of a tenth. */
const RESERVE = 100;

/** Cost of a repeat; an answer earns one unit. */
const REPEAT = 10;

/** Maximum origins remembered; beyond it the oldest one gets its reserve back. */
const MAX_ORIGINS = 1_000;

export class RetryBudget {
  /** Spent units by origin; origins that have spent nothing are absent. */
  readonly #spent = new Map<string, number>();

  /** Takes a repeat from the reserve. @returns false if none is left */
  take(origin: string): boolean {
    const spent = this.#spent.get(origin) ?? 0;
    if (spent > RESERVE - REPEAT) return false;
    const [oldest] = this.#spent.keys();
    if (oldest !== undefined && this.#spent.size >= MAX_ORIGINS) this.#spent.delete(oldest);
    this.#spent.set(origin, spent + REPEAT);
    return true;
  }

  /** Counts an answer other than a refusal. */
  earn(origin: string): void {
    const spent = this.#spent.get(origin);
    if (spent === undefined) return;
    if (spent > 1) this.#spent.set(origin, spent - 1);
    else this.#spent.delete(origin);
  }
}
