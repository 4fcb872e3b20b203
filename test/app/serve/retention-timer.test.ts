import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatRetention, startRetention } from '../../../src/app/serve/retention-timer.ts';
import { silentLog } from '../../../src/core/log.ts';
import { RateLimiter } from '../../../src/store/records/rate-limiter.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { measuring } from '../../support/measured.ts';

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

it('measures what retention removed, and runs that failed', async () => {
  const series = measuring();
  const db = await openDatabase({ url: 'sqlite::memory:' });
  const clock = fixedClock();
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
    await tx
      .insertInto('revoked_tokens')
      .values({ environment_id: 'env_1', token_id: 't', expires_at: 1 })
      .execute();
  });
  const settings = loadSettings({ flags: {}, env: {}, cwd: '/', homeDir: '/' });
  const stop = startRetention({ db, clock, settings, rates: new RateLimiter(db, clock), log: silentLog });
  await vi.advanceTimersByTimeAsync(MINUTE);
  vi.useRealTimers();
  await expect.poll(async () => series('gatehouse_retention_runs_total')).toHaveLength(1);
  expect(await series('gatehouse_retention_removed_rows_total')).toEqual([
    'gatehouse_retention_removed_rows_total{kind="revoked_tokens"} 1',
  ]);
  await stop();
  await db.close();
});
