/** Schedules the removal of expired data in long-running processes: soon after the start, then every hour. */
import type { Log } from '../../core/log.ts';
import { retentionRuns } from '../../core/telemetry/measured.ts';
import { Retention, type RetentionResult } from '../../operations/retention.ts';
import { renewStatistics } from '../../store/engine/statistics.ts';
import type { Services } from '../services/services.ts';

/** Many desktop sessions end within an hour, so the first run must come earlier. */
const FIRST_RUN_MS = 60_000;
const INTERVAL_MS = 3_600_000;

/** Runs the installation's retention on the timer, and renews statistics after it. Does not keep the process alive. */
export function startRetention({
  db,
  rates,
  clock,
  settings,
  log,
}: Pick<Services, 'db' | 'rates' | 'clock' | 'settings' | 'log'>): () => Promise<void> {
  const retention = new Retention(db, rates, clock, settings.retention);
  return repeatRetention(async (signal) => {
    await measured(async () => retention.run(signal));
    if (!signal.aborted) await db.transaction(async (tx) => renewStatistics(tx, db.dialect));
  }, log);
}

async function measured(run: () => Promise<RetentionResult>): Promise<void> {
  const startedAt = performance.now();
  try {
    const removed = await run();
    retentionRuns.tell({ outcome: 'ok', durationMs: performance.now() - startedAt, removed: { ...removed } });
  } catch (error) {
    retentionRuns.tell({ outcome: 'error', durationMs: performance.now() - startedAt, removed: {} });
    throw error;
  }
}

/**
 * Runs `work` after a minute and then every hour, never concurrently. A failed run is logged and retried an hour
 * later.
 *
 * @returns a function that stops the timer; it resolves when no run is in progress
 */
export function repeatRetention(
  work: (signal: AbortSignal) => Promise<unknown>,
  log: Pick<Log, 'warn'>,
): () => Promise<void> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = run();
    }, ms).unref();
  };
  const run = async (): Promise<void> => {
    try {
      await work(stopping.signal);
    } catch (err) {
      log.warn('retention_failed', { err });
    }
    if (!stopping.signal.aborted) schedule(INTERVAL_MS);
  };
  schedule(FIRST_RUN_MS);
  return async () => {
    stopping.abort();
    clearTimeout(timer);
    await running;
  };
}
