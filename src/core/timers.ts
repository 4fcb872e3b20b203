/** Waiting as a dependency, so that rules about time are tested without waiting. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Timers {
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `work` every `ms` milliseconds; the returned function stops it. */
  every(ms: number, work: () => void): () => void;
}

/** The machine's timers. Repeated work does not keep the process alive. */
export const systemTimers: Timers = {
  sleep: async (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
