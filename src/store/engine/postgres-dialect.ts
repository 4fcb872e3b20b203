/** A kysely dialect over a pg pool. A database that cannot be used becomes UNAVAILABLE; SQL errors pass unchanged. */
import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type IsolationLevel,
  type Kysely,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { tellWait } from '../../core/telemetry/call-times.ts';
import { statements } from '../../core/telemetry/measured.ts';
import { ConnectionSource } from './connection-source.ts';
import { isBusy, toServiceError } from './database-errors.ts';

/** @param pool is owned by the caller, who ends it */
export function postgresDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Maximum wait of a transaction's statement for a lock; then the transaction is repeated. */
const LOCK_TIMEOUT = '5s';

/**
 * Time after which Postgres ends a silent transaction and releases its locks. Its process is cut off; without
 * this limit Postgres would hold the locks until it notices, by default after two hours. Transactions await
 * only their own statements.
 */
const IDLE_TIMEOUT = '10s';

const BEGIN = 'begin';
const COMMIT = CompiledQuery.raw('commit');
const ROLLBACK = CompiledQuery.raw('rollback');

class PostgresDriver implements Driver {
  readonly #connections: ConnectionSource;

  constructor(pool: Pool) {
    this.#connections = new ConnectionSource(pool);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const startedAt = performance.now();
    try {
      return new PostgresConnection(await this.#connections.take());
    } catch (error) {
      throw toServiceError(error);
    } finally {
      tellWait('database', startedAt);
    }
  }

  /**
   * SERIALIZABLE, unless another level is requested, gives a transaction the same guarantee as SQLite's
   * single writer: what it read is still true when it commits. A transaction that loses against another fails
   * with 40001 and is repeated.
   */
  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings.isolationLevel ?? 'serializable');
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.executeQuery(COMMIT);
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  /** The pool closes a connection whose state is unknown. */
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async begin(isolationLevel: IsolationLevel): Promise<void> {
    const settings = `set local lock_timeout = '${LOCK_TIMEOUT}'; set local idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`;
    const startedAt = performance.now();
    try {
      await this.#client.query(`${BEGIN} isolation level ${isolationLevel}; ${settings}`);
    } catch (error) {
      // Kysely does not roll back a transaction that failed to begin, but it may have begun.
      this.#isBroken = true;
      throw known(error);
    } finally {
      statements.tell({ sql: BEGIN, startedAt, endedAt: performance.now() });
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const startedAt = performance.now();
    try {
      const { rows, rowCount } = await this.#client.query<R & object>(sql, [...parameters]);
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      // Without an answer from Postgres the statement may still run, or may have run.
      this.#isBroken ||= !(error instanceof DatabaseError);
      throw known(error);
    } finally {
      statements.tell({ sql, startedAt, endedAt: performance.now() });
    }
  }

  /** Never fails: the original error is the one to report. */
  async rollback(): Promise<void> {
    if (this.#isBroken) return;
    try {
      await this.executeQuery(ROLLBACK);
    } catch {
      this.#isBroken = true;
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read pages instead.');
  }
}

/** Leaves busy errors unchanged, because their code decides whether the transaction is repeated. */
function known(error: unknown): unknown {
  return isBusy(error) ? error : toServiceError(error);
}
