/**
 * Connections of a pool while its server refuses new ones.
 *
 * pg opens a new connection as long as the pool has fewer than its maximum, and passes a refusal on to the caller,
 * although one of the pool's own connections would be free in a moment. Here the pool stops opening connections for
 * a while, so that callers wait in turn for the open ones.
 */
import type { Pool, PoolClient } from 'pg';
import { isOutOfConnections } from './database-errors.ts';

/** Time for which a pool uses only its open connections before it opens more. */
const MAKE_DO_MS = 250;

export class ConnectionSource {
  readonly #pool: Pool;
  readonly #size: number;
  /** Connections that the server has granted; the pool counts those that it asks for too. */
  #granted: number;
  #isMakingDo = false;

  /** @param pool with open connections only */
  constructor(pool: Pool) {
    this.#pool = pool;
    this.#size = pool.options.max;
    this.#granted = pool.totalCount;
    pool.on('connect', () => this.#granted++);
    pool.on('remove', () => this.#granted--);
  }

  /** Waits for a free connection as long as the pool does. @throws errors of pg */
  async take(): Promise<PoolClient> {
    const deadline = performance.now() + (this.#pool.options.connectionTimeoutMillis ?? 0);
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isOutOfConnections(error) || performance.now() >= deadline) throw error;
        this.#makeDo();
      }
    }
  }

  /** A full pool queues; the queue is served as its connections become free. */
  #makeDo(): void {
    this.#pool.options.max = this.#granted;
    if (this.#isMakingDo) return;
    this.#isMakingDo = true;
    setTimeout(() => {
      this.#isMakingDo = false;
      void this.#askForMore();
    }, MAKE_DO_MS).unref();
  }

  /** One connection at a time, so that a refusal does not cost a waiting caller its place. Never rejects. */
  async #askForMore(): Promise<void> {
    const pool = this.#pool;
    for (;;) {
      pool.options.max = this.#size;
      if (pool.waitingCount === 0 || pool.ending || this.#granted >= this.#size) return;
      const asked = pool.connect();
      pool.options.max = this.#granted;
      try {
        (await asked).release();
      } catch (error) {
        pool.options.max = this.#size;
        if (isOutOfConnections(error)) this.#makeDo();
        return;
      }
    }
  }
}
