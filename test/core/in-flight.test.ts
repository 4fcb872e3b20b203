import { describe, expect, it } from 'vitest';
import { InFlight } from '../../src/core/in-flight.ts';

describe('requests in flight at shutdown', () => {
  it('waits for all work, including work that starts in the meantime', async () => {
    const inFlight = new InFlight();
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<void>();
    const outcome = inFlight.track(first.promise);
    let isSettled = false;
    const settled = inFlight.settled().then(() => (isSettled = true));
    const later = inFlight.track(second.promise);
    first.resolve('done');
    expect(await outcome).toBe('done');
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
    second.resolve();
    await later;
    await settled;
    expect(isSettled).toBe(true);
  });

  it('settles after work that failed, whose error goes to its caller', async () => {
    const inFlight = new InFlight();
    const failed = inFlight.track(Promise.reject(new Error('no')));
    await inFlight.settled();
    await expect(failed).rejects.toThrow('no');
  });

  it('settles at once where no work is under way', async () => {
    await expect(new InFlight().settled()).resolves.toBeUndefined();
  });
});
