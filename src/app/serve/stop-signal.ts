/** How a server is told to stop: SIGTERM or SIGINT, once or several times, and the hard end if stopping takes too long. */
import type { Log } from '../../core/log.ts';

/** From the first signal to the end of the process, however much is still open (docs/contract.md#12-operation). */
const HARD_STOP_MS = 15_000;

/**
 * Resolves at the first SIGTERM or SIGINT.
 *
 * Further signals change nothing: a runner such as npm sends a second one while the first is obeyed, and that
 * must not cut short what is still running. After 15 s the process ends with exit code 1.
 */
export async function toldToStop(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) return;
      isStopping = true;
      log.info('stopping', { pid: process.pid });
      setTimeout(() => process.exit(1), HARD_STOP_MS).unref();
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  });
}
