/**
 * Limits the idempotency keys of a credential, so that no caller fills the database with outcomes.
 *
 * Keys are counted rarely while there is much room, and always near the limit: several processes together exceed it
 * only slightly.
 */
import type { Clock } from '../../core/clock.ts';
import type { IdempotencyKey, IdempotencyStore } from '../../store/records/idempotency-store.ts';

/** Divisor of the room that may be used before keys are counted again. More processes than this are rare. */
const PROCESSES = 8;

/** Time during which a full quota is not counted again. */
const FULL_MS = 1_000;

/** Limit of remembered credentials; beyond it, all are counted again. */
const MAX_REMEMBERED = 10_000;

type Holder = Pick<IdempotencyKey, 'environmentId' | 'actor'>;

/** State of a credential: number of calls until the next count, or a full quota. */
type Known = { room: number } | { fullUntil: number; freeAt: number };

export class IdempotencyQuota {
  readonly #store: Pick<IdempotencyStore, 'keptOf'>;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly maxKeys: number;
  readonly #keptMs: number;

  /** @param options.keptMs lifetime of a key */
  constructor(
    store: Pick<IdempotencyStore, 'keptOf'>,
    clock: Clock,
    options: { maxKeys: number; keptMs: number },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.maxKeys = options.maxKeys;
    this.#keptMs = options.keptMs;
  }

  /** Counts a call under a key. @returns seconds until a key is free; `undefined` if one is free now */
  async wait(holder: Holder): Promise<number | undefined> {
    const now = this.#clock.now();
    const name = `${holder.environmentId} ${holder.actor}`;
    let known = this.#known.get(name);
    if (known === undefined || ('room' in known ? known.room <= 0 : known.fullUntil <= now)) {
      known = await this.#count(holder, now);
      if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
      this.#known.set(name, known);
    }
    if ('freeAt' in known) return Math.max(1, Math.ceil((known.freeAt - now) / 1_000));
    known.room -= 1;
    return undefined;
  }

  async #count(holder: Holder, now: number): Promise<Known> {
    const { keys, oldestAt } = await this.#store.keptOf(holder, now - this.#keptMs);
    const room = this.maxKeys - keys;
    if (room > 0) return { room: Math.ceil(room / PROCESSES) };
    return { fullUntil: now + FULL_MS, freeAt: (oldestAt ?? now) + this.#keptMs };
  }
}
