import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CallTimes, tellWait } from '../../../src/core/telemetry/call-times.ts';
import { queueWaits } from '../../../src/core/telemetry/measured.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number): void => {
  vi.advanceTimersByTime(ms);
};

/** Waits that are reported until the test ends. */
function toldWaits(): [queue: string, ms: number][] {
  const waits: [string, number][] = [];
  onTestFinished(queueWaits.listen(({ queue, durationMs }) => void waits.push([queue, durationMs])));
  return waits;
}

const summary = ({ attempts, queueMs, providerMs }: CallTimes) => ({ attempts, queueMs, providerMs });

describe('times of a call', () => {
  it('tell the wait for a connection from the time of the provider', async () => {
    const waits = toldWaits();
    const times = new CallTimes();
    await times.attempt(async (onTurn) => {
      pass(30);
      onTurn();
      pass(200);
    });
    expect(summary(times)).toEqual({ attempts: 1, queueMs: 30, providerMs: 200 });
    expect(waits).toEqual([['provider', 30]]);
  });

  it('count a request that never gets a connection as a wait', async () => {
    const waits = toldWaits();
    const times = new CallTimes();
    const attempt = times.attempt(async () => {
      pass(50);
      throw new Error('no connection in time');
    });
    await expect(attempt).rejects.toThrow('no connection in time');
    expect(summary(times)).toEqual({ attempts: 1, queueMs: 50, providerMs: 0 });
    expect(waits).toEqual([['provider', 50]]);
  });

  it('count time in which the provider has two requests once', async () => {
    const times = new CallTimes();
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const attempts = ends.map(async ({ promise }) =>
      times.attempt(async (onTurn) => {
        onTurn();
        await promise;
      }),
    );
    pass(100);
    ends[0]?.resolve();
    await attempts[0];
    pass(40);
    ends[1]?.resolve();
    await attempts[1];
    expect(summary(times)).toEqual({ attempts: 2, queueMs: 0, providerMs: 140 });
  });

  it('include the wait for a renewal, also for one that fails', async () => {
    const waits = toldWaits();
    const times = new CallTimes();
    const renewal = times.waiting(async () => {
      pass(700);
      throw new Error('refused');
    });
    await expect(renewal).rejects.toThrow('refused');
    expect(summary(times)).toEqual({ attempts: 0, queueMs: 700, providerMs: 0 });
    expect(waits).toEqual([['refresh', 700]]);
  });

  it('leave out what is hardly a wait', () => {
    const waits = toldWaits();
    const startedAt = performance.now();
    tellWait('database', startedAt - 0.9);
    tellWait('database', startedAt - 1);
    expect(waits).toEqual([['database', 1]]);
  });
});
