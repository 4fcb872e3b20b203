/** Waiting, as a dependency: rules about time are tested without any passing. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Timers {
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `work` again and again, `ms` apart; the returned function ends it. */
  every(ms: number, work: () => void): () => void;
}

/** The machine's timers. A repeated work keeps no process alive. */
export const systemTimers: Timers = {
  sleep: async (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
