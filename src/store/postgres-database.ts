/** Postgres: one pool for reads and serializable write transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { Pool, types } from 'pg';
import type { Database, WriteTransaction } from './database.ts';
import { DatabaseProblem, isBusy, toServiceError } from './database-errors.ts';
import { postgresDialect } from './postgres-dialect.ts';
import type { Tables } from './tables.ts';

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly read: Kysely<Tables>;
  readonly #pool: Pool;
  readonly #retryForMs: number;

  private constructor(pool: Pool, retryForMs: number) {
    this.#pool = pool;
    this.read = new Kysely<Tables>({ dialect: postgresDialect(pool) });
    this.#retryForMs = retryForMs;
  }

  /** @throws DatabaseProblem when the server cannot be reached or refuses */
  static async open(url: string, poolSize: number, retryForMs: number): Promise<PostgresDatabase> {
    // pg gives int8 as text; ours are times and counts, below 2^53.
    const pool = new Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: retryForMs,
      keepAlive: true,
      application_name: 'gatehouse',
      types: {
        getTypeParser: (id, format) =>
          id === types.builtins.INT8 ? Number : types.getTypeParser(id, format),
      },
    });
    // A connection may end at any time, idle or in use. Its statements report that; the event would end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    try {
      await pool.query('select 1');
    } catch (error) {
      await pool.end();
      const reason = error instanceof Error && error.message !== '' ? error.message : 'no answer';
      throw new DatabaseProblem(
        `The Postgres database cannot be reached: ${reason}. Check GATEHOUSE_DATABASE_URL and that the server runs.`,
        { cause: error },
      );
    }
    return new PostgresDatabase(pool, retryForMs);
  }

  async transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#retryForMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.read.transaction().execute(work);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw toServiceError(error);
      }
      await sleep(Math.random() * Math.min(4 ** attempt, 100));
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}
