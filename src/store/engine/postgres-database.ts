/** Postgres: one pool for reads and serializable write transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { Pool, types } from 'pg';
import type { OpenedDatabase, PoolUse, WriteTransaction } from './database.ts';
import { DatabaseError, isBusy, toServiceError } from './database-errors.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { ROW_READER } from './row-reader.ts';
import { SocketTimeouts } from './postgres-socket-timeouts.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * An idle connection is probed by the operating system after this time, and given up 10 s later. This ends
 * the long statements of a migration whose server is gone, and keeps a firewall from dropping the connection
 * while the server is there.
 */
const KEEP_ALIVE_MS = 10_000;

/** Least number of attempts. On a busy machine a single one may take the whole time for retries. */
const LEAST_ATTEMPTS = 3;

/** Maximum wait for a connection during shutdown. */
const STOPPING_CONNECT_MS = 2_000;

/** Settings of a pool; see OpenOptions. */
export interface PostgresOptions {
  poolSize: number;
  retryForMs: number;
  silenceMs: number;
}

export class PostgresDatabase implements OpenedDatabase {
  readonly dialect = 'postgres';
  readonly read: Kysely<Tables>;
  readonly longRead: Kysely<Tables>;
  readonly #pool: Pool;
  /** Usual value of the pool's `max`. It is lower while the server refuses connections. */
  readonly #size: number;
  readonly #timeouts: SocketTimeouts;
  readonly #retryForMs: number;

  private constructor(pool: Pool, timeouts: SocketTimeouts, retryForMs: number) {
    this.#pool = pool;
    this.#size = pool.options.max;
    this.#timeouts = timeouts;
    this.read = new Kysely<Tables>({ dialect: postgresDialect(pool), plugins: [ROW_READER] });
    this.longRead = this.read;
    this.#retryForMs = retryForMs;
  }

  /** @throws DatabaseError if the server cannot be reached or refuses the connection */
  static async open(
    url: string,
    { poolSize, retryForMs, silenceMs }: PostgresOptions,
  ): Promise<PostgresDatabase> {
    // pg returns int8 as text; our values are times and counts, below 2^53.
    const pool = new Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: retryForMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'gatehouse',
      types: {
        getTypeParser: (id, format) =>
          id === types.builtins.INT8 ? Number : types.getTypeParser(id, format),
      },
    });
    // A connection may end at any time, idle or in use. Its statements report that; an unhandled event would
    // end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    const timeouts = new SocketTimeouts(pool, silenceMs);
    try {
      await pool.query('select 1');
    } catch (error) {
      await pool.end();
      const reason = error instanceof Error && error.message !== '' ? error.message : 'no answer';
      throw new DatabaseError(
        `The Postgres database cannot be reached: ${reason}. Check database_url (GATEHOUSE_DATABASE_URL) and that the server runs.`,
        { cause: error },
      );
    }
    return new PostgresDatabase(pool, timeouts, retryForMs);
  }

  async transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#retryForMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.read.transaction().execute(work);
      } catch (error) {
        const isOver = attempt >= LEAST_ATTEMPTS && performance.now() >= deadline;
        if (!isBusy(error) || isOver) throw toServiceError(error);
      }
      await sleep(Math.random() * Math.min(4 ** attempt, 100));
    }
  }

  version(): undefined {
    return undefined;
  }

  async withoutTimeout<T>(work: () => Promise<T>): Promise<T> {
    return this.#timeouts.lifted(work);
  }

  shortenTimeouts(): void {
    const { options } = this.#pool;
    options.connectionTimeoutMillis = Math.min(this.#retryForMs, STOPPING_CONNECT_MS);
    this.#timeouts.shortenTimeouts();
  }

  largeFile(): undefined {}

  poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: this.#size };
  }

  async checkFile(): Promise<undefined> {}

  async close(): Promise<void> {
    if (this.#pool.ending) return;
    this.shortenTimeouts();
    await this.#pool.end();
    await this.#timeouts.closed();
  }
}
