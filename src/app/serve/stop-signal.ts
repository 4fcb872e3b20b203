/** The stop signals of a server, SIGTERM or SIGINT, sent once or repeatedly, and the forced exit if stopping hangs. */
import type { Log } from '../../core/log.ts';

/** Longest time from the first signal, or from the end of its drain delay, to the end of the process (docs/contract.md#12-operation). */
const HARD_STOP_MS = 15_000;

/**
 * Resolves at the first SIGTERM or SIGINT.
 *
 * Further signals change nothing: a runner such as npm sends a second one during shutdown, and that must not cut
 * running work short. After 15 s the process exits with code 1.
 *
 * @param drainDelayMs how long the caller serves on after a SIGTERM
 * @returns the first signal
 */
export async function toldToStop(log: Log, drainDelayMs = 0): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: 'SIGTERM' | 'SIGINT'): void => {
      if (isStopping) return;
      isStopping = true;
      log.info('stopping', { pid: process.pid });
      const delayMs = signal === 'SIGTERM' ? drainDelayMs : 0;
      setTimeout(() => process.exit(1), delayMs + HARD_STOP_MS).unref();
      resolve(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  });
}
