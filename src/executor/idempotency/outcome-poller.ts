/**
 * Waiting for a call that somebody else makes under the same idempotency key.
 *
 * All who wait in this process look at the database together, at longer and longer intervals. The end of a call that this
 * process makes is told at once.
 */
import type { Timers } from '../../core/timers.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { IdempotencyKey, IdempotencyStore } from '../../store/records/idempotency-store.ts';

/** The pause before the first look; each is twice as long as the one before. */
const FIRST_PAUSE_MS = 20;

/** How late the end of a call in another process is learned at most. */
const LONGEST_PAUSE_MS = 320;

/** Longest wait for another call: longer than any call takes. */
const MAX_WAIT_MS = 125_000;

/** One pause and the look after it. */
interface Look {
  /** Aborted when the call has ended in this process. */
  ended: AbortController;
  isRunning: Promise<boolean>;
}

export class OutcomePoller {
  readonly #store: Pick<IdempotencyStore, 'isRunning'>;
  readonly #clock: Clock;
  readonly #timers: Timers;
  /** What is under way, by key. */
  readonly #looks = new Map<string, Look>();

  constructor(store: Pick<IdempotencyStore, 'isRunning'>, clock: Clock, timers: Timers) {
    this.#store = store;
    this.#clock = clock;
    this.#timers = timers;
  }

  /**
   * Waits until nobody makes the call, or perhaps nobody.
   *
   * @param since when the caller began to wait for its call, whoever makes it (Unix milliseconds)
   * @param signal ends the waiting at the next look
   * @throws ServiceError UNAVAILABLE when the call still runs after 125 s, or the caller has left
   */
  async wait(key: IdempotencyKey, since: number, signal: AbortSignal | undefined): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (signal?.aborted === true || this.#clock.now() > since + MAX_WAIT_MS) throw stillRunning();
      if (!(await this.#look(key, pauseMs))) return;
    }
  }

  /** Tells those who wait in this process that the call has ended here. */
  end(key: IdempotencyKey): void {
    this.#looks.get(nameOf(key))?.ended.abort();
  }

  /** Who has waited longest begins the next look, so that somebody new does not make the pauses short again. */
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

/** Whoever waits has waited long enough. */
function stillRunning(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The first call under this idempotency_key is still running. Ask again.',
    { retryAfterSeconds: 5 },
  );
}
