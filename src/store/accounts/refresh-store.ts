/**
 * The lease of a refresh: columns of accounts that let one process at a time present a refresh token, and only
 * that one store the outcome (docs/security.md#one-refresh-per-expiry). Knows SQL and nothing else.
 *
 * Each change is one statement. Lease and cool-down are measured by the database's clock on Postgres and by the
 * process clock on SQLite, where all processes are on one machine. An end that lies further ahead than it can
 * means that a clock was set back, and counts as passed.
 */
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { AccountStatus } from '../../core/stored-words.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../engine/database.ts';
import { databaseTime } from '../engine/database-time.ts';
import type { Tables } from '../tables/tables.ts';

/** A lease is never longer than this or `leaseMs`; processes with different settings still respect each other. */
const LEASE_BOUND_MS = 60_000;

/** One account at one version of its credentials. */
export interface RefreshTarget {
  environmentId: string;
  id: string;
  generation: number;
}

/** How the refresh of an account stands. */
export interface RefreshState {
  generation: number;
  status: AccountStatus;
  isLeased: boolean;
  /** Milliseconds until the next attempt is allowed; 0: now. */
  coolDownMs: number;
  failedReason: string | null;
}

/** A lease that was taken. */
export interface TakenLease {
  /** The same refresh token has been presented before, and what came of it is not known. */
  isRepeat: boolean;
  /** Failures in a row so far. */
  failedAttempts: number;
}

/** What a refresh brought. */
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

  /** @param options.maxCoolDownMs longest cool-down that is ever stored */
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
      .select(['generation', 'status', 'lease_owner', 'failed_reason'])
      .select([
        sql<number | null>`lease_until - ${now}`.as('lease_ms'),
        sql<number | null>`failed_until - ${now}`.as('cool_down_ms'),
      ])
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { generation, status, lease_owner: owner, failed_reason: failedReason } = row;
    return {
      generation,
      status,
      isLeased: owner !== null && within(row.lease_ms, this.#leaseBound()) > 0,
      coolDownMs: within(row.cool_down_ms, this.#maxCoolDownMs),
      failedReason,
    };
  }

  /** Takes the lease for `owner`; undefined when somebody has it, a cool-down runs, or the account has moved on. */
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

  /** Keeps the lease for another period. False when it is somebody else's or nobody's now. */
  async extend(target: RefreshTarget, owner: string): Promise<boolean> {
    return this.#write(async (db) => {
      const change = { lease_until: this.#leaseEnd(this.#now()) };
      return (await owned(db, target, owner).set(change).executeTakeFirst()).numUpdatedRows === 1n;
    });
  }

  /**
   * Stores what the provider gave, over the generation it was asked for. False when the lease was lost or the
   * credentials have changed: nothing is stored then.
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
   * Gives the lease back without a result; in a transaction of the caller.
   *
   * @param failure undefined: the attempt does not count, the next one may follow at once
   * @param isUnknown the token may have been spent: the next attempt is a repeat
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

  /** One statement is its own transaction on Postgres: who waits for the row there would fail and repeat in a serializable one. */
  async #write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#db.dialect === 'postgres' ? work(this.#db.read) : this.#db.transaction(work);
  }
}

/** Milliseconds left, 0 where the time is over or cannot be right. */
function within(leftMs: number | null, boundMs: number): number {
  return leftMs !== null && leftMs > 0 && leftMs <= boundMs ? leftMs : 0;
}

/** The same as SQL. */
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
