/**
 * Counts calls per minute, for all processes of the installation together.
 *
 * A window begins with its first call and lasts 60 s. If the database cannot be written, calls continue and
 * this process counts on its own. docs/decisions/0007-rate-windows.md says why this is a statement of ours
 * and not a driver of a rate limiting library.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { silentLog, type Log } from '../../core/log.ts';
import { rateRefusals } from '../../core/telemetry/measured.ts';
import type { Database } from '../engine/database.ts';
import { databaseTime } from '../engine/database-time.ts';
import type { Tables } from '../tables/tables.ts';

/** After a failure the database is not used for this long: a locked one makes every caller wait 5 s. */
const OUTAGE_MS = 5_000;

/** Interval in which an outage is logged once. */
const LOG_INTERVAL_MS = 60_000;

/** Maximum refusals remembered in this process; further ones are answered from the database. */
const MAX_REMEMBERED = 10_000;

/** The call exceeds the limit; the window ends after this time. */
export interface RateRefusal {
  retryAfterMs: number;
}

export class RateLimiter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #memory: MemoryWindows;
  /** Keys over their limit, with the time until which they are refused: they need no statement. */
  readonly #refusedUntil = new Map<string, number>();
  /** Time until which the database is not used; `undefined` while it can be written. */
  #outageUntil: number | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param clock counts on SQLite, where all processes are on one machine; Postgres uses the database's clock
   * @param log receives an entry when calls are counted in memory
   */
  constructor(db: Database, clock: Clock, log: Log = silentLog) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#memory = new MemoryWindows(clock);
  }

  /**
   * Counts one call; in memory if the database cannot be written.
   *
   * @param key the limited thing; begins with the environment's id
   * @param perMinute calls allowed in a window
   * @returns `undefined` if the call is allowed
   */
  async take(key: string, perMinute: number): Promise<RateRefusal | undefined> {
    return this.#remembered(key) ?? this.#judge(key, perMinute + 1, await this.#count(key));
  }

  /**
   * Whether the next `take` would be refused, without counting. Used for limits on failures, which are
   * counted when they happen, and for calls that count in several limits.
   */
  async peek(key: string, perMinute: number): Promise<RateRefusal | undefined> {
    return this.peekInMemory(key, perMinute) ?? this.#judge(key, perMinute, await this.#stored(key));
  }

  /** As `take`, in this process alone: a key that strangers choose then costs no row. */
  takeInMemory(key: string, perMinute: number): RateRefusal | undefined {
    return this.#remembered(key) ?? this.#judge(key, perMinute + 1, this.#memory.take(key));
  }

  /** As `peek`, for keys of `takeInMemory`. */
  peekInMemory(key: string, perMinute: number): RateRefusal | undefined {
    return this.#remembered(key) ?? this.#judge(key, perMinute, this.#memory.peek(key));
  }

  /**
   * Removes windows that are over, among the first `limit` keys after one.
   *
   * @returns the last of these keys, from which to continue; `undefined` at the end
   * @throws ServiceError UNAVAILABLE if the database cannot be written
   */
  async removeExpired(after = '', limit = 500): Promise<string | undefined> {
    return this.#write(async (db) => {
      const { rows } = await sql<{ last: string | null; keys: number }>`
        select max(key) as last, count(*) as keys
        from (select key from rate_windows where key > ${after} order by key limit ${limit}) as next`.execute(
        db,
      );
      const { last = null, keys = 0 } = rows[0] ?? {};
      if (last === null) return undefined;
      const now = databaseTime(this.#db, this.#clock);
      await sql`delete from rate_windows
        where key > ${after} and key <= ${last} and ${isOver(sql`expire`, now)}`.execute(db);
      return keys < limit ? undefined : last;
    });
  }

  async #count(key: string): Promise<RateWindow | undefined> {
    if (this.#isOutage()) return this.#memory.take(key);
    // One call finds out whether the outage is over; meanwhile the others do not wait.
    if (this.#outageUntil !== undefined) this.#outageUntil = this.#clock.now() + OUTAGE_MS;
    try {
      const window = await this.#write((db) => this.#countIn(db, key));
      this.#outageUntil = undefined;
      return window;
    } catch (error) {
      this.#noteOutage(error);
      return this.#memory.take(key);
    }
  }

  /**
   * Reads the time only now, in its turn: with an older time, the window of another process would end too far
   * ahead.
   */
  async #countIn(db: Kysely<Tables>, key: string): Promise<RateWindow | undefined> {
    const now = databaseTime(this.#db, this.#clock);
    const over = isOver(sql`counted.expire`, now);
    const { rows } = await sql<RateWindow>`
      insert into rate_windows as counted (key, points, expire) values (${key}, 1, ${now} + ${sql.lit(WINDOW_MS)})
      on conflict (key) do update set
        points = case when ${over} then 1 else counted.points + 1 end,
        expire = case when ${over} then excluded.expire else counted.expire end
      returning points, expire - ${now} as remaining_ms`.execute(db);
    return rows[0];
  }

  /** The count in the database; `undefined` if the database cannot be read. */
  async #stored(key: string): Promise<RateWindow | undefined> {
    if (this.#isOutage()) return undefined;
    try {
      const now = databaseTime(this.#db, this.#clock);
      const { rows } = await sql<RateWindow>`
        select points, expire - ${now} as remaining_ms from rate_windows where key = ${key}`.execute(
        this.#db.read,
      );
      return rows[0];
    } catch (error) {
      this.#noteOutage(error);
      return undefined;
    }
  }

  #isOutage(): boolean {
    return this.#outageUntil !== undefined && isRunning(this.#outageUntil - this.#clock.now(), OUTAGE_MS);
  }

  /** @throws any error that is not an outage of the database */
  #noteOutage(error: unknown): void {
    if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
    const now = this.#clock.now();
    this.#outageUntil = now + OUTAGE_MS;
    if (isRunning(this.#loggedAt + LOG_INTERVAL_MS - now, LOG_INTERVAL_MS)) return;
    this.#loggedAt = now;
    this.#log.warn('rates_counted_in_memory', { err: error });
  }

  /**
   * On Postgres one statement is its own transaction, outside SERIALIZABLE: calls with the same key wait for
   * each other, where serializable transactions would fail and repeat.
   */
  async #write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#db.dialect === 'postgres' ? work(this.#db.read) : this.#db.transaction(work);
  }

  #judge(key: string, refusedAt: number, window: RateWindow | undefined): RateRefusal | undefined {
    if (window === undefined || !isRunning(window.remaining_ms) || window.points < refusedAt)
      return undefined;
    if (this.#refusedUntil.size >= MAX_REMEMBERED) this.#refusedUntil.clear();
    this.#refusedUntil.set(key, this.#clock.now() + window.remaining_ms);
    rateRefusals.tell({ key });
    return { retryAfterMs: window.remaining_ms };
  }

  #remembered(key: string): RateRefusal | undefined {
    const until = this.#refusedUntil.get(key);
    if (until === undefined) return undefined;
    const retryAfterMs = until - this.#clock.now();
    if (isRunning(retryAfterMs)) {
      rateRefusals.tell({ key });
      return { retryAfterMs };
    }
    this.#refusedUntil.delete(key);
    return undefined;
  }
}

/** The opposite of `isRunning` for a stored window, as SQL. */
function isOver(expire: RawBuilder<unknown>, now: RawBuilder<number>): RawBuilder<boolean> {
  return sql`(${expire} <= ${now} or ${expire} > ${now} + ${sql.lit(WINDOW_MS)})`;
}

/** A window begins with its first call and lasts 60 s. */
const WINDOW_MS = 60_000;

const MAX_WINDOWS = 10_000;

/** Calls counted in a window, and the milliseconds until it ends. */
interface RateWindow {
  points: number;
  remaining_ms: number;
}

/**
 * Whether a period of `lengthMs` that ends in `remainingMs` is still running. A remaining time above its
 * length means that the clock was set back. It then counts as over, because otherwise it would last as long
 * as the clock was wrong.
 */
function isRunning(remainingMs: number, lengthMs: number = WINDOW_MS): boolean {
  return remainingMs > 0 && remainingMs <= lengthMs;
}

/**
 * Windows of calls counted in this process alone: of failures, and while the database cannot be written.
 *
 * Bounded: beyond the limit the window that ends first is dropped.
 */
class MemoryWindows {
  readonly #clock: Clock;
  /** Ordered by their start, so the first one ends first. */
  readonly #windows = new Map<string, { points: number; expire: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one call; begins a window if none is running. */
  take(key: string): RateWindow {
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (window === undefined || !isRunning(window.expire - now)) {
      window = { points: 0, expire: now + WINDOW_MS };
      this.#begin(key, window);
    }
    window.points += 1;
    return { points: window.points, remaining_ms: window.expire - now };
  }

  /** The count in this process; `undefined` without a window. The window may be over. */
  peek(key: string): RateWindow | undefined {
    const window = this.#windows.get(key);
    return window && { points: window.points, remaining_ms: window.expire - this.#clock.now() };
  }

  #begin(key: string, window: { points: number; expire: number }): void {
    this.#windows.delete(key);
    const [first] = this.#windows.keys();
    if (first !== undefined && this.#windows.size >= MAX_WINDOWS) this.#windows.delete(first);
    this.#windows.set(key, window);
  }
}
