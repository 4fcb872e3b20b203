/**
 * Waits for another call under the same idempotency key.
 *
 * All calls that wait in this process share one check of the database, at growing intervals. They are notified at once
 * if the call ends in this process.
 */
import type { Timers } from '../../core/timers.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { IdempotencyKey, IdempotencyStore } from '../../store/records/idempotency-store.ts';

/** The pause before the first check; each further one is twice as long. */
const FIRST_PAUSE_MS = 20;

/** Longest delay until the end of a call in another process is noticed. */
const LONGEST_PAUSE_MS = 320;

/** Longest wait for another call: longer than any call takes. */
const MAX_WAIT_MS = 125_000;

/** One pause and the check after it. */
interface Look {
  /** Aborted when the call has ended in this process. */
  ended: AbortController;
  isRunning: Promise<boolean>;
}

export class OutcomePoller {
  readonly #store: Pick<IdempotencyStore, 'isRunning'>;
  readonly #clock: Clock;
  readonly #timers: Timers;
  /** Running checks, by key. */
  readonly #looks = new Map<string, Look>();

  constructor(store: Pick<IdempotencyStore, 'isRunning'>, clock: Clock, timers: Timers) {
    this.#store = store;
    this.#clock = clock;
    this.#timers = timers;
  }

  /**
   * Waits until no process makes the call, as far as known.
   *
   * @param since time at which the caller began to wait, in Unix milliseconds
   * @param signal ends the wait at the next check
   * @throws ServiceError UNAVAILABLE if the call still runs after 125 s, or the caller has left
   */
  async wait(key: IdempotencyKey, since: number, signal: AbortSignal | undefined): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (signal?.aborted === true || this.#clock.now() > since + MAX_WAIT_MS) throw stillRunning();
      if (!(await this.#look(key, pauseMs))) return;
    }
  }

  /** Notifies the calls that wait in this process that the call has ended here. */
  end(key: IdempotencyKey): void {
    this.#looks.get(nameOf(key))?.ended.abort();
  }

  /** The longest wait starts the next check, so that a new one does not make the pauses short again. */
  async #look(key: IdempotencyKey, pauseMs: number): Promise<boolean> {
    const name = nameOf(key);
    let look = this.#looks.get(name);
    if (look === undefined) {
      const ended = new AbortController();
      const isRunning = this.#isRunning(key, pauseMs, ended.signal).finally(() => this.#looks.delete(name));
      look = { ended, isRunning };
      this.#looks.set(name, look);
    }
    return look.isRunning;
  }

  async #isRunning(key: IdempotencyKey, pauseMs: number, ended: AbortSignal): Promise<boolean> {
    try {
      await this.#timers.sleep(pauseMs, ended);
    } catch (error) {
      if (!ended.aborted) throw error;
    }
    return !ended.aborted && (await this.#store.isRunning(key)) && !ended.aborted;
  }
}

function nameOf({ environmentId, actor, accountId, keyHash }: IdempotencyKey): string {
  return `${environmentId} ${actor} ${accountId} ${keyHash}`;
}

/** The error after the longest wait. */
function stillRunning(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The first call with this idempotency_key is still running. Try again.',
    { retryAfterSeconds: 5 },
  );
}
