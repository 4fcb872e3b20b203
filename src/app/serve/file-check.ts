/** Checks the database file of a process that serves, when the last one ended without closing it. */
import type { Services } from '../services/services.ts';

/** A session that ends at once checks nothing, and the first callers do not share the disk with the check. */
const FIRST_LOOK_MS = 1_000;

/** The check in the background. */
export interface RunningFileCheck {
  /** Whether the file was found to be damaged. */
  foundDamage(): boolean;
  /** Ends it at once; the next start repeats it. */
  stop(): Promise<void>;
}

/** Starts the check soon after the start. Does not keep the process alive. */
export function startFileCheck({ checkFile, log }: Pick<Services, 'checkFile' | 'log'>): RunningFileCheck {
  const stopping = new AbortController();
  let isDamaged = false;
  let running: Promise<void> = Promise.resolve();
  const check = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      const outcome = await checkFile(stopping.signal);
      if (outcome === undefined) return;
      isDamaged = !outcome.isSound;
      const { path, finding: message } = outcome;
      const duration_ms = Math.round(performance.now() - startedAt);
      if (isDamaged) log.error('database_damaged', { path, duration_ms, message });
      else log.info('database_checked', { path, duration_ms });
    } catch (err) {
      log.warn('database_check_failed', { err });
    }
  };
  const timer = setTimeout(() => {
    running = check();
  }, FIRST_LOOK_MS).unref();
  return {
    foundDamage: () => isDamaged,
    stop: async () => {
      clearTimeout(timer);
      stopping.abort();
      await running;
    },
  };
}
