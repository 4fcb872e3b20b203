/**
 * The lease of a refresh: columns of accounts that let only one process at a time present a refresh token and
 * store the outcome (docs/security.md#one-refresh-per-expiry). Knows SQL and nothing else.
 *
 * Each change is one statement. Lease and cool-down are measured by the database's clock on Postgres and by the
 * process clock on SQLite, where all processes run on one machine. An end further ahead than the longest possible one
 * means that a clock was set back, and counts as passed.
 */
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { AccountStatus } from '../../core/stored-words.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../engine/database.ts';
import { databaseTime } from '../engine/database-time.ts';
import type { Tables } from '../tables/tables.ts';

/** Longest valid lease, unless `leaseMs` is longer. Processes with different settings still respect each other. */
const LEASE_BOUND_MS = 60_000;

/** One account at one version of its credentials. */
export interface RefreshTarget {
  environmentId: string;
  id: string;
  generation: number;
}

/** State of an account's refresh. */
export interface RefreshState {
  generation: number;
  status: AccountStatus;
  isLeased: boolean;
  /** End of the lease, as stored: changed by each extension. */
  leaseUntil: number | null;
  /** The holder of a lease let it run out. */
  isAbandoned: boolean;
  /** Milliseconds until the next attempt is allowed; 0 means now. */
  coolDownMs: number;
  failedReason: string | null;
}

/** A lease that was taken. */
export interface TakenLease {
  /** The same refresh token was presented before with an unknown outcome. */
  isRepeat: boolean;
  /** Failures in a row so far. */
  failedAttempts: number;
}

/** The columns that a refresh sets. */
export interface RenewedColumns {
  credentials_sealed: string | null;
  token_expires_at: number | null;
  token_received_at: number;
  updated_at: number;
}

export class RefreshStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #maxCoolDownMs: number;

  /** @param options.maxCoolDownMs longest cool-down that is stored */
  constructor(db: Database, clock: Clock, options: { leaseMs: number; maxCoolDownMs: number }) {
    this.#db = db;
    this.#clock = clock;
    this.#leaseMs = Math.round(options.leaseMs);
    this.#maxCoolDownMs = options.maxCoolDownMs;
  }

  async look({ environmentId, id }: RefreshTarget): Promise<RefreshState | undefined> {
    const now = this.#now();
    const row = await this.#db.read
      .selectFrom('accounts')
      .select(['generation', 'status', 'lease_owner', 'lease_until', 'failed_reason'])
      .select([
        sql<number | null>`lease_until - ${now}`.as('lease_ms'),
        sql<number | null>`failed_until - ${now}`.as('cool_down_ms'),
      ])
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { generation, status, lease_owner: owner, failed_reason: failedReason } = row;
    const isLeased = owner !== null && within(row.lease_ms, this.#leaseBound()) > 0;
    return {
      generation,
      status,
      isLeased,
      leaseUntil: row.lease_until,
      isAbandoned: owner !== null && !isLeased,
      coolDownMs: within(row.cool_down_ms, this.#maxCoolDownMs),
      failedReason,
    };
  }

  /** Takes the lease for `owner`. `undefined` if it is taken, a cool-down runs, or the account has changed. */
  async take(target: RefreshTarget, owner: string): Promise<TakenLease | undefined> {
    const taken = await this.#write(async (db) => {
      const now = this.#now();
      return db
        .updateTable('accounts')
        .set((e) => ({
          lease_owner: owner,
          lease_until: this.#leaseEnd(now),
          refresh_state: e
            .case()
            .when('refresh_state', '=', 'idle')
            .then('sent' as const)
            .else('resent' as const)
            .end(),
        }))
        .where('environment_id', '=', target.environmentId)
        .where('id', '=', target.id)
        .where('generation', '=', target.generation)
        .where('status', '=', 'ACTIVE')
        .where(isOver('lease_until', now, this.#leaseBound()))
        .where(isOver('failed_until', now, this.#maxCoolDownMs))
        .returning(['refresh_state', 'failed_attempts'])
        .executeTakeFirst();
    });
    return taken && { isRepeat: taken.refresh_state === 'resent', failedAttempts: taken.failed_attempts };
  }

  /** Extends the lease for another period. Returns false if another owner or nobody has it now. */
  async extend(target: RefreshTarget, owner: string): Promise<boolean> {
    return this.#write(async (db) => {
      const change = { lease_until: this.#leaseEnd(this.#now()) };
      return (await owned(db, target, owner).set(change).executeTakeFirst()).numUpdatedRows === 1n;
    });
  }

  /**
   * Stores the provider's tokens over the generation that they were requested for. Returns false if the lease was lost
   * or the credentials have changed: nothing is stored then.
   */
  async save(target: RefreshTarget, owner: string, renewed: RenewedColumns): Promise<boolean> {
    return this.#write(async (db) => {
      const result = await owned(db, target, owner)
        .set({
          ...renewed,
          generation: target.generation + 1,
          lease_owner: null,
          lease_until: null,
          refresh_state: 'idle',
          failed_until: null,
          failed_attempts: 0,
          failed_reason: null,
          refusals: 0,
        })
        .where('generation', '=', target.generation)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    });
  }

  /**
   * Returns the lease without a result, in a transaction of the caller.
   *
   * @param failure `undefined` if the attempt does not count and the next one may follow at once
   * @param isUnknown whether the token may have been spent: the next attempt is then a retry
   */
  async release(
    tx: Kysely<Tables>,
    target: RefreshTarget,
    owner: string,
    outcome: { failure?: { attempts: number; reason: string; coolDownMs: number }; isUnknown: boolean },
  ): Promise<boolean> {
    const { failure, isUnknown } = outcome;
    const result = await owned(tx, target, owner)
      .set({
        lease_owner: null,
        lease_until: null,
        refresh_state: isUnknown ? 'sent' : 'idle',
        ...(failure !== undefined && {
          failed_attempts: failure.attempts,
          failed_reason: failure.reason,
          failed_until: sql<number>`${this.#now()} + ${sql.lit(Math.round(failure.coolDownMs))}`,
        }),
      })
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  #now(): RawBuilder<number> {
    return databaseTime(this.#db, this.#clock);
  }

  #leaseEnd(now: RawBuilder<number>): RawBuilder<number> {
    return sql<number>`${now} + ${sql.lit(this.#leaseMs)}`;
  }

  #leaseBound(): number {
    return Math.max(this.#leaseMs, LEASE_BOUND_MS);
  }

  /** On Postgres, one statement is its own transaction: a serializable one would fail and repeat if the row is locked. */
  async #write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#db.dialect === 'postgres' ? work(this.#db.read) : this.#db.transaction(work);
  }
}

/** Milliseconds left; 0 if the time is over or cannot be right. */
function within(leftMs: number | null, boundMs: number): number {
  return leftMs !== null && leftMs > 0 && leftMs <= boundMs ? leftMs : 0;
}

/** The same check as SQL. */
function isOver(
  column: 'lease_until' | 'failed_until',
  now: RawBuilder<number>,
  boundMs: number,
): RawBuilder<SqlBool> {
  const end = sql.ref(column);
  return sql<SqlBool>`(${end} is null or ${end} <= ${now} or ${end} > ${now} + ${sql.lit(boundMs)})`;
}

function owned(db: Kysely<Tables>, target: RefreshTarget, owner: string) {
  return db
    .updateTable('accounts')
    .where('environment_id', '=', target.environmentId)
    .where('id', '=', target.id)
    .where('lease_owner', '=', owner);
}
