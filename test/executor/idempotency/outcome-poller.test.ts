/** How often the database is asked about a call that somebody else makes under the same key. */
import { beforeEach, describe, expect, it } from 'vitest';
import { OutcomePoller } from '../../../src/executor/idempotency/outcome-poller.ts';
import { fixedClock, type FixedClock } from '../../support/fixed-clock.ts';
import { ManualTimers, turns, until } from '../../support/manual-timers.ts';

const KEY = { environmentId: 'env_test', actor: 'cred_1', accountId: 'ca_1', keyHash: 'k' };

/** Says how long every pause is, the short ones too, and lets none of them pass by itself. */
class CountedTimers extends ManualTimers {
  readonly pauses: number[] = [];

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.pauses.push(ms);
    return super.sleep(ms + 1_000, signal);
  }
}

let clock: FixedClock;
let timers: CountedTimers;
let looked: string[];
let answer: () => Promise<boolean>;
let looks: OutcomePoller;
beforeEach(() => {
  clock = fixedClock();
  timers = new CountedTimers();
  looked = [];
  answer = async () => true;
  const store = {
    isRunning: async ({ keyHash }: { keyHash: string }) => {
      looked.push(keyHash);
      return answer();
    },
  };
  looks = new OutcomePoller(store, clock, timers);
});

const wait = async (key = KEY, signal?: AbortSignal): Promise<void> => looks.wait(key, clock.now(), signal);

/** Lets a pause pass, so that those who waited check again. */
async function pass(): Promise<void> {
  timers.elapse();
  await turns();
}

describe('waiting for a call of another process', () => {
  it('polls once for all callers with one idempotency key', async () => {
    const waiting = Promise.all(Array.from({ length: 100 }, async () => wait()));
    for (let n = 0; n < 3; n++) await pass();
    expect(looked).toEqual(['k', 'k', 'k']);
    answer = async () => false;
    await pass();
    await waiting;
    expect(looked).toHaveLength(4);
  });

  it('polls for each idempotency key separately', async () => {
    const waiting = [wait(), wait({ ...KEY, keyHash: 'other' }), wait({ ...KEY, environmentId: 'env_2' })];
    answer = async () => false;
    await pass();
    await Promise.all(waiting);
    expect(looked).toEqual(['k', 'other', 'k']);
  });

  it('waits longer and longer between polls, also if other calls come later', async () => {
    const waiting = [wait()];
    for (let n = 0; n < 6; n++) {
      await pass();
      waiting.push(wait());
    }
    expect(timers.pauses).toEqual([20, 40, 80, 160, 320, 320, 320]);
    answer = async () => false;
    await pass();
    await Promise.all(waiting);
  });

  it('fails for all callers when the database refuses', async () => {
    answer = () => Promise.reject(new Error('locked'));
    const waiting = Promise.allSettled([wait(), wait()]);
    await pass();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    answer = async () => false;
    const again = wait();
    await pass();
    await again;
  });

  it('ends at the next poll after its caller disconnects, and continues for the others', async () => {
    const leaving = new AbortController();
    const left = wait(KEY, leaving.signal);
    const other = wait();
    leaving.abort();
    timers.elapse();
    await expect(left).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    answer = async () => false;
    await pass();
    await other;
  });

  it('ends after 125 seconds without an outcome', async () => {
    const waiting = wait();
    clock.advance(125_000);
    await pass();
    clock.advance(1);
    timers.elapse();
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(looked).toHaveLength(2);
  });
});

describe('waiting for a call of the same process', () => {
  it('ends with the call, without another poll', async () => {
    const waiting = [wait(), wait()];
    looks.end(KEY);
    await Promise.all(waiting);
    expect(looked).toEqual([]);
  });

  it('ends with the call also during a query', async () => {
    const asked = Promise.withResolvers<boolean>();
    answer = async () => asked.promise;
    const waiting = wait();
    timers.elapse();
    await until(() => looked.length === 1);
    looks.end(KEY);
    asked.resolve(true);
    await waiting;
  });

  it('continues where the call under another idempotency key ends', async () => {
    const waiting = wait();
    looks.end({ ...KEY, keyHash: 'other' });
    await pass();
    expect(looked).toEqual(['k']);
    looks.end(KEY);
    await waiting;
  });
});
