/** A database that cannot be written, and a clock that is set back. */
import { sql } from 'kysely';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { silentLog, type Log, type LogFields } from '../../../src/core/log.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { RateLimiter } from '../../../src/store/records/rate-limiter.ts';
import { startChild } from '../../support/child.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const LOCKED = new ServiceError('UNAVAILABLE', 'The database is busy. Try again in a moment.');

/** An SQLite database whose transactions fail while `failure` is set. `attempts` counts them. */
async function faultyDatabase() {
  const db = await openDatabase({ url: 'sqlite::memory:' });
  const state = { failure: LOCKED as Error | undefined, attempts: 0 };
  const database: Database = {
    dialect: db.dialect,
    read: db.read,
    longRead: db.longRead,
    version: () => db.version(),
    transaction: async (work) => {
      state.attempts += 1;
      if (state.failure !== undefined) throw state.failure;
      return db.transaction(work);
    },
    close: async () => db.close(),
  };
  return { database, state };
}

function watchedLog(): { log: Log; warnings: [string, LogFields | undefined][] } {
  const warnings: [string, LogFields | undefined][] = [];
  return { warnings, log: { ...silentLog, warn: (event, fields) => warnings.push([event, fields]) } };
}

async function allowed(limiter: RateLimiter, key: string, perMinute: number, calls: number): Promise<number> {
  let count = 0;
  for (let n = 0; n < calls; n++) if ((await limiter.take(key, perMinute)) === undefined) count += 1;
  return count;
}

describe('rate limiter without a writable database', () => {
  it('does not stop calls: the process counts by itself', async () => {
    const { database } = await faultyDatabase();
    const clock = fixedClock();
    const limiter = new RateLimiter(database, clock);
    expect(await allowed(limiter, 'env_1:ca_1', 60, 70)).toBe(60);
    expect(await allowed(limiter, 'env_1:ca_2', 3, 5)).toBe(3);
    clock.advance(59_999);
    expect(await limiter.take('env_1:ca_1', 60)).toEqual({ retryAfterMs: 1 });
    clock.advance(1);
    expect(await allowed(limiter, 'env_1:ca_1', 60, 70)).toBe(60);
  });

  it('blocks calls after as many failures as the limit', async () => {
    const { database } = await faultyDatabase();
    const clock = fixedClock();
    const limiter = new RateLimiter(database, clock);
    for (let n = 0; n < 20; n++) {
      expect(await limiter.peek('env_1:client', 20)).toBeUndefined();
      await limiter.take('env_1:client', 20);
    }
    clock.advance(6_000);
    expect(await limiter.peek('env_1:client', 20)).toEqual({ retryAfterMs: 54_000 });
  });

  it('leaves the database alone for 5 s, then asks it in one call while others go on', async () => {
    const { database, state } = await faultyDatabase();
    const clock = fixedClock();
    const limiter = new RateLimiter(database, clock);
    await allowed(limiter, 'env_1:ca_1', 60, 10);
    expect(state.attempts).toBe(1);
    clock.advance(4_999);
    await allowed(limiter, 'env_1:ca_1', 60, 10);
    expect(state.attempts).toBe(1);
    clock.advance(1);
    await Promise.all(Array.from({ length: 10 }, async () => limiter.take('env_1:ca_1', 60)));
    expect(state.attempts).toBe(2);
  });

  it('counts in the database again as soon as it can be written', async () => {
    const { database, state } = await faultyDatabase();
    const clock = fixedClock();
    const limiter = new RateLimiter(database, clock);
    await limiter.take('env_1:ca_1', 60);
    state.failure = undefined;
    clock.advance(5_000);
    await allowed(limiter, 'env_1:ca_1', 60, 3);
    const { rows } = await sql`select points from rate_windows`.execute(database.read);
    expect(rows).toEqual([{ points: 3 }]);
  });

  it('asks the database again when the clock was set back', async () => {
    const { database, state } = await faultyDatabase();
    const clock = fixedClock();
    const limiter = new RateLimiter(database, clock);
    await limiter.take('env_1:ca_1', 60);
    state.failure = undefined;
    clock.advance(-3_600_000);
    await limiter.take('env_1:ca_1', 60);
    expect(state.attempts).toBe(2);
  });

  it('logs the outage once a minute', async () => {
    const { database } = await faultyDatabase();
    const clock = fixedClock();
    const { log, warnings } = watchedLog();
    const limiter = new RateLimiter(database, clock, log);
    for (let n = 0; n < 12; n++) {
      await limiter.take('env_1:ca_1', 60);
      clock.advance(5_000);
    }
    expect(warnings).toEqual([['rates_counted_in_memory', { err: LOCKED }]]);
    await limiter.take('env_1:ca_1', 60);
    expect(warnings).toHaveLength(2);
  });

  it('does not hide a defect of the program', async () => {
    const { database, state } = await faultyDatabase();
    state.failure = new TypeError('a defect');
    const limiter = new RateLimiter(database, fixedClock());
    await expect(limiter.take('env_1:ca_1', 60)).rejects.toThrow('a defect');
  });
});

onDatabase('sqlite', (_name, open, newUrl) => {
  it('counts rate limits in memory while the disk is full', async () => {
    const db = await open();
    const { log, warnings } = watchedLog();
    const limiter = new RateLimiter(db, fixedClock(), log);
    await db.transaction(async (tx) => sql`pragma max_page_count = 1`.execute(tx)); // SQLite takes the present size
    let last = '';
    for (let n = 0; n < 100 && warnings.length === 0; n++) {
      last = `env_1:${n}:`.padEnd(4_000, 'x');
      expect(await limiter.take(last, 3)).toBeUndefined();
    }
    expect(warnings).toMatchObject([
      [
        'rates_counted_in_memory',
        { err: { message: expect.stringContaining('disk of the database is full') } },
      ],
    ]);
    expect(await allowed(limiter, last, 3, 5)).toBe(2);
  });

  it('waits for a locked database once, not in every call', async () => {
    const url = await newUrl();
    const db = await open({ url, retryForMs: 400 });
    const child = startChild(join(import.meta.dirname, '../children/hold-lock.ts'), [
      url.slice('sqlite:'.length),
    ]);
    await child.line('locked');
    let waits = 0;
    const counted: Database = {
      dialect: db.dialect,
      read: db.read,
      longRead: db.longRead,
      version: () => db.version(),
      transaction: async (work) => {
        waits += 1;
        return db.transaction(work);
      },
      close: async () => db.close(),
    };
    const limiter = new RateLimiter(counted, fixedClock());
    expect(await allowed(limiter, 'env_1:ca_1', 15, 20)).toBe(15);
    child.process.stdin.write('go\n');
    await child.ended;
    expect(waits).toBe(1);
  });
});

forEachDatabase((_name, open) => {
  it('treats a rate window that ends in more than 60 s as over', async () => {
    const db = await open();
    const limiter = new RateLimiter(db, fixedClock());
    await limiter.take('env_1:ca_1', 2);
    await limiter.take('env_1:ca_1', 2);
    await db.transaction(async (tx) => sql`update rate_windows set expire = expire + 10000`.execute(tx));
    expect(await limiter.peek('env_1:ca_1', 2)).toBeUndefined();
    expect(await allowed(limiter, 'env_1:ca_1', 2, 3)).toBe(2);
  });

  it('removes a rate window that ends in more than 60 s', async () => {
    const db = await open();
    const limiter = new RateLimiter(db, fixedClock());
    await limiter.take('env_1:ahead', 2);
    await db.transaction(async (tx) => sql`update rate_windows set expire = expire + 10000`.execute(tx));
    await limiter.take('env_1:new', 2);
    await limiter.removeExpired();
    expect(await db.read.selectFrom('rate_windows').select('key').execute()).toEqual([{ key: 'env_1:new' }]);
  });
});

describe('rate limiter with a clock set back by an hour', () => {
  it.each([
    ['in the database', undefined],
    ['in memory', LOCKED],
  ])('ends windows and refusals counted %s', async (_name, failure) => {
    const { database, state } = await faultyDatabase();
    state.failure = failure;
    const clock = fixedClock();
    const limiter = new RateLimiter(database, clock);
    expect(await allowed(limiter, 'env_1:ca_1', 2, 3)).toBe(2);
    clock.advance(-3_600_000);
    expect(await limiter.peek('env_1:ca_1', 2)).toBeUndefined();
    expect(await allowed(limiter, 'env_1:ca_1', 2, 3)).toBe(2);
  });
});
