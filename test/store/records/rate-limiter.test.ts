import { expect, it } from 'vitest';
import { sql } from 'kysely';
import type { Database } from '../../../src/store/engine/database.ts';
import { RateLimiter } from '../../../src/store/records/rate-limiter.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { measuring } from '../../support/measured.ts';

/** How many of `calls` takes at once were allowed. */
async function allowed(limiter: RateLimiter, key: string, perMinute: number, calls: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: calls }, async () => limiter.take(key, perMinute)));
  return answers.filter((answer) => answer === undefined).length;
}

/** Lets all windows end, as if a minute had passed for the database. */
async function endWindows(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`update rate_windows set expire = 1`.execute(tx);
  });
}

forEachDatabase((_name, open, newUrl) => {
  it('allows exactly as many calls as the rate limit', async () => {
    const limiter = new RateLimiter(await open(), fixedClock());
    expect(await allowed(limiter, 'env_1:ca_1', 60, 70)).toBe(60);
    expect(await allowed(limiter, 'env_1:ca_1', 60, 5)).toBe(0);
  });

  it('returns the wait until the next minute', async () => {
    const limiter = new RateLimiter(await open(), fixedClock());
    await limiter.take('env_1:ca_1', 1);
    const { retryAfterMs = 0 } = (await limiter.take('env_1:ca_1', 1)) ?? {};
    expect(retryAfterMs).toBeGreaterThan(55_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it('measures each refusal of a rate limit, and nothing that was allowed', async () => {
    const series = measuring();
    const limiter = new RateLimiter(await open(), fixedClock());
    expect(await allowed(limiter, 'env_1:ca_1:search', 2, 5)).toBe(2);
    expect(await series('gatehouse_rate_limit_refusals_total')).toEqual([
      'gatehouse_rate_limit_refusals_total{of="account"} 3',
    ]);
  });

  it('counts each key of the rate limiter separately', async () => {
    const limiter = new RateLimiter(await open(), fixedClock());
    expect(await allowed(limiter, 'env_1:ca_1', 2, 3)).toBe(2);
    expect(await allowed(limiter, 'env_2:ca_1', 2, 3)).toBe(2);
  });

  it('shares one rate limit between all processes', async () => {
    const url = await newUrl();
    const limiters = [
      new RateLimiter(await open({ url }), fixedClock()),
      new RateLimiter(await open({ url }), fixedClock()),
    ];
    const counts = await Promise.all(limiters.map(async (limiter) => allowed(limiter, 'env_1:ca_1', 20, 20)));
    expect(counts[0]! + counts[1]!).toBe(20);
  });

  it('begins a new rate window when the old one is over', async () => {
    const db = await open();
    const clock = fixedClock();
    const limiter = new RateLimiter(db, clock);
    expect(await allowed(limiter, 'env_1:ca_1', 2, 3)).toBe(2);
    clock.advance(60_000);
    await endWindows(db);
    expect(await allowed(limiter, 'env_1:ca_1', 2, 3)).toBe(2);
  });

  it('answers a refused key from memory until its window ends', async () => {
    const db = await open();
    const clock = fixedClock();
    const limiter = new RateLimiter(db, clock);
    await allowed(limiter, 'env_1:ca_1', 1, 2);
    await endWindows(db);
    clock.advance(10_000);
    const { retryAfterMs = 0 } = (await limiter.take('env_1:ca_1', 1)) ?? {};
    expect(retryAfterMs).toBeGreaterThan(45_000);
    expect(retryAfterMs).toBeLessThanOrEqual(50_000);
  });

  it('reads a rate window without counting', async () => {
    const limiter = new RateLimiter(await open(), fixedClock());
    expect(await limiter.peek('env_1:failures', 2)).toBeUndefined();
    await limiter.take('env_1:failures', 2);
    for (let n = 0; n < 5; n++) expect(await limiter.peek('env_1:failures', 2)).toBeUndefined();
    await limiter.take('env_1:failures', 2);
    expect(await limiter.peek('env_1:failures', 2)).toHaveProperty('retryAfterMs');
  });

  it('removes rate windows that are over, and only those', async () => {
    const db = await open();
    const limiter = new RateLimiter(db, fixedClock());
    await limiter.take('env_1:old', 5);
    await endWindows(db);
    await limiter.take('env_1:new', 5);
    await limiter.removeExpired();
    expect(await db.read.selectFrom('rate_windows').select('key').execute()).toEqual([{ key: 'env_1:new' }]);
  });
});

onDatabase('sqlite', (_name, open) => {
  it('ends a rate window by the clock of the process', async () => {
    const clock = fixedClock();
    const limiter = new RateLimiter(await open(), clock);
    await limiter.take('env_1:ca_1', 1);
    clock.advance(59_999);
    expect(await limiter.take('env_1:ca_1', 1)).toEqual({ retryAfterMs: 1 });
    clock.advance(1);
    expect(await limiter.take('env_1:ca_1', 1)).toBeUndefined();
  });
});

onDatabase('postgres', (_name, open) => {
  it('ends a rate window by the clock of the database, whatever the clock of the process', async () => {
    const db = await open();
    const slow = new RateLimiter(db, fixedClock(0));
    const fast = new RateLimiter(db, fixedClock(4_000_000_000_000));
    expect(await allowed(slow, 'env_1:ca_1', 2, 1)).toBe(1);
    expect(await allowed(fast, 'env_1:ca_1', 2, 2)).toBe(1);
  });
});
