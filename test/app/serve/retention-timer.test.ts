import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatRetention } from '../../../src/app/serve/retention-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const MINUTE = 60_000;
const HOUR = 3_600_000;

it('runs retention a minute after the start and then every hour, until it stops', async () => {
  const runs: number[] = [];
  const startedAt = Date.now();
  const stop = repeatRetention(
    async () => {
      runs.push(Date.now() - startedAt);
    },
    { warn: () => {} },
  );
  await vi.advanceTimersByTimeAsync(2 * HOUR + 2 * MINUTE);
  await stop();
  await vi.advanceTimersByTimeAsync(5 * HOUR);
  expect(runs).toEqual([MINUTE, MINUTE + HOUR, MINUTE + 2 * HOUR]);
});

it('logs a failed run of retention as a warning and runs again', async () => {
  const failure = new Error('the database is busy');
  let runs = 0;
  const warnings: unknown[] = [];
  const stop = repeatRetention(
    async () => {
      runs++;
      throw failure;
    },
    { warn: (event, fields) => warnings.push([event, fields?.err]) },
  );
  await vi.advanceTimersByTimeAsync(HOUR + MINUTE);
  await stop();
  expect(runs).toBe(2);
  expect(warnings).toEqual([
    ['retention_failed', failure],
    ['retention_failed', failure],
  ]);
});

it('waits for a running retention on stop, and tells it to end', async () => {
  const finish = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const stop = repeatRetention(
    async (given) => {
      signal = given;
      await finish.promise;
    },
    { warn: () => {} },
  );
  await vi.advanceTimersByTimeAsync(MINUTE);
  let isStopped = false;
  const stopped = (async () => {
    await stop();
    isStopped = true;
  })();
  await vi.advanceTimersByTimeAsync(0);
  expect([signal?.aborted, isStopped]).toEqual([true, false]);
  finish.resolve();
  await stopped;
});
