/**
 * Calls under idempotency keys: the process that currently makes a call, and the outcomes of earlier ones.
 * Knows SQL and nothing else.
 *
 * A key is held by a lease, so that it becomes free if its process dies. Leases are measured by the
 * database's clock on Postgres, and by the process clock on SQLite, where all processes are on one machine. A
 * lease end further ahead than possible means that a clock was set back, and counts as passed.
 */
import { sql, type Kysely, type RawBuilder, type UpdateObject } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Database } from '../engine/database.ts';
import { databaseTime } from '../engine/database-time.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Maximum length of a lease, unless `leaseMs` is longer. Processes with different settings thus still respect
 * each other's leases.
 */
const LEASE_BOUND_MS = 60_000;

/** An idempotency key, with its sender and account. */
export interface IdempotencyKey {
  environmentId: string;
  /** The API credential that sends it. */
  actor: string;
  accountId: string;
  keyHash: string;
}

/** The row of a held key, and its holder. */
export interface HeldKey {
  environmentId: string;
  id: string;
  owner: string;
}

/** Outcome of claiming a key. */
export type Claim =
  /** The caller now holds the key and makes the call. */
  | { kind: 'held'; held: HeldKey }
  /** Also held, but a process that died may have sent the call: its outcome is unknown. */
  | { kind: 'unknown'; held: HeldKey }
  | { kind: 'done'; id: string; sealed: string }
  | { kind: 'running' }
  /** The key was used with another input. */
  | { kind: 'other_input' }
  /** The key is new, and no new key may be used. */
  | { kind: 'full' };

/** Parameters of a claim; see `claim`. */
export interface ClaimWish {
  inputHash: string;
  owner: string;
  repeatable: boolean;
  forgottenBefore: number;
  mayBegin: boolean;
}

export class IdempotencyStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #leaseMs: number;

  constructor(db: Database, clock: Clock, options: { leaseMs: number }) {
    this.#db = db;
    this.#clock = clock;
    this.#leaseMs = Math.round(options.leaseMs);
  }

  /**
   * Claims the key for `owner` if it is free.
   *
   * @param wish.repeatable the call may be made again even if it may have been sent before
   * @param wish.forgottenBefore rows created before this time count as absent (Unix milliseconds)
   * @param wish.mayBegin if false, only an existing key is claimed
   */
  async claim(key: IdempotencyKey, wish: ClaimWish): Promise<Claim> {
    return this.#db.transaction(async (tx) => {
      const now = databaseTime(this.#db, this.#clock);
      const row = await ofKey(tx, key)
        .selectAll()
        .select(sql<number | null>`lease_until - ${now}`.as('lease_ms'))
        .executeTakeFirst();
      const isLeased = row !== undefined && this.#isRunning(row.lease_ms);
      if (row === undefined || (row.created_at < wish.forgottenBefore && !isLeased)) {
        if (row !== undefined)
          await tx
            .deleteFrom('idempotency_keys')
            .where('environment_id', '=', row.environment_id)
            .where('id', '=', row.id)
            .execute();
        if (!wish.mayBegin) return { kind: 'full' };
        const id = await this.#insert(tx, key, wish, now);
        return id === undefined ? { kind: 'running' } : { kind: 'held', held: heldBy(wish, key, id) };
      }
      if (row.input_hash !== wish.inputHash) return { kind: 'other_input' };
      if (row.outcome_sealed !== null) return { kind: 'done', id: row.id, sealed: row.outcome_sealed };
      if (isLeased) return { kind: 'running' };
      await tx
        .updateTable('idempotency_keys')
        .set({ lease_owner: wish.owner, lease_until: this.#leaseEnd(now) })
        .where('environment_id', '=', row.environment_id)
        .where('id', '=', row.id)
        .execute();
      const isUnknown = row.state === 'sent' && !wish.repeatable;
      return { kind: isUnknown ? 'unknown' : 'held', held: heldBy(wish, key, row.id) };
    });
  }

  /** Number of a credential's stored keys created since a time, and the creation time of the first. */
  async keptOf(
    { environmentId, actor }: Pick<IdempotencyKey, 'environmentId' | 'actor'>,
    since: number,
  ): Promise<{ keys: number; oldestAt: number | null }> {
    const row = await this.#db.read
      .selectFrom('idempotency_keys')
      .select((e) => [e.fn.countAll<number>().as('keys'), e.fn.min('created_at').as('oldest_at')])
      .where('environment_id', '=', environmentId)
      .where('actor', '=', actor)
      .where('created_at', '>=', since)
      .executeTakeFirstOrThrow();
    return { keys: row.keys, oldestAt: row.oldest_at };
  }

  /** Whether a process is currently making the call. */
  async isRunning(key: IdempotencyKey): Promise<boolean> {
    const now = databaseTime(this.#db, this.#clock);
    const row = await ofKey(this.#db.read, key)
      .select(['outcome_sealed', sql<number | null>`lease_until - ${now}`.as('lease_ms')])
      .executeTakeFirst();
    return row !== undefined && row.outcome_sealed === null && this.#isRunning(row.lease_ms);
  }

  /** Marks the call as about to be sent. False if another process holds the key now: do not send. */
  async markSent(held: HeldKey): Promise<boolean> {
    return this.#change(held, (now) => ({ state: 'sent', lease_until: this.#leaseEnd(now) }));
  }

  /** Extends the lease by another period. False if another process holds the key now. */
  async extend(held: HeldKey): Promise<boolean> {
    return this.#change(held, (now) => ({ lease_until: this.#leaseEnd(now) }));
  }

  /**
   * Stores how the call ended, and releases the key. False if another process holds the key now: nothing is
   * stored.
   */
  async finish(held: HeldKey, sealed: string): Promise<boolean> {
    return this.#change(held, () => ({
      state: 'done',
      outcome_sealed: sealed,
      lease_owner: null,
      lease_until: null,
    }));
  }

  /** Deletes a call that was not sent. */
  async release({ environmentId, id, owner }: HeldKey): Promise<void> {
    await this.#write(async (db) =>
      db
        .deleteFrom('idempotency_keys')
        .where('environment_id', '=', environmentId)
        .where('id', '=', id)
        .where('lease_owner', '=', owner)
        .execute(),
    );
  }

  /** Returns `undefined` if another process was first. */
  async #insert(
    tx: Kysely<Tables>,
    key: IdempotencyKey,
    { inputHash, owner }: { inputHash: string; owner: string },
    now: RawBuilder<number>,
  ): Promise<string | undefined> {
    const createdAt = this.#clock.now();
    const id = newId('idk', createdAt);
    const made = await tx
      .insertInto('idempotency_keys')
      .values({
        id,
        environment_id: key.environmentId,
        actor: key.actor,
        account_id: key.accountId,
        key_hash: key.keyHash,
        input_hash: inputHash,
        state: 'held',
        lease_owner: owner,
        lease_until: this.#leaseEnd(now),
        outcome_sealed: null,
        created_at: createdAt,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return made?.id;
  }

  async #change(
    { environmentId, id, owner }: HeldKey,
    set: (now: RawBuilder<number>) => UpdateObject<Tables, 'idempotency_keys'>,
  ): Promise<boolean> {
    return this.#write(async (db) => {
      const result = await db
        .updateTable('idempotency_keys')
        .set(set(databaseTime(this.#db, this.#clock)))
        .where('environment_id', '=', environmentId)
        .where('id', '=', id)
        .where('lease_owner', '=', owner)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    });
  }

  #isRunning(leftMs: number | null): boolean {
    return leftMs !== null && leftMs > 0 && leftMs <= Math.max(this.#leaseMs, LEASE_BOUND_MS);
  }

  #leaseEnd(now: RawBuilder<number>): RawBuilder<number> {
    return sql<number>`${now} + ${sql.lit(this.#leaseMs)}`;
  }

  /**
   * On Postgres one statement is its own transaction, so that it waits for a locked row. In a serializable
   * transaction it would fail and repeat.
   */
  async #write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#db.dialect === 'postgres' ? work(this.#db.read) : this.#db.transaction(work);
  }
}

function heldBy({ owner }: ClaimWish, { environmentId }: IdempotencyKey, id: string): HeldKey {
  return { environmentId, id, owner };
}

function ofKey(db: Kysely<Tables>, { environmentId, actor, accountId, keyHash }: IdempotencyKey) {
  return db
    .selectFrom('idempotency_keys')
    .where('environment_id', '=', environmentId)
    .where('actor', '=', actor)
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash);
}
