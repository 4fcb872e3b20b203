/**
 * A kysely dialect over one better-sqlite3 connection.
 *
 * Statements run synchronously and resolve in the microtask queue. Transactions begin with `begin immediate`:
 * a deferred one that reads before it writes fails at once under contention (SQLITE_BUSY_SNAPSHOT). It does
 * not queue: its user has to run one transaction at a time.
 */
import type SqliteHandle from 'better-sqlite3';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely';
import { statements } from '../../core/telemetry/measured.ts';
import { toServiceError } from './database-errors.ts';
import { SqliteStatements, type SqliteResult, type SqliteStatement } from './sqlite-statements.ts';

/**
 * @param handle is owned by the caller, who closes it
 * @param access `read` refuses every statement that could change the database
 */
export function sqliteDialect(handle: SqliteHandle.Database, access: 'read' | 'write'): Dialect {
  return dialectOf(() => new SqliteDriver(new SqliteConnection(handle, access)));
}

/**
 * The same statements, run in a worker thread that answers later. There are no transactions.
 *
 * @param run receives one statement and its values
 */
export function sqliteReaderDialect(run: (statement: SqliteStatement) => Promise<SqliteResult>): Dialect {
  return dialectOf(() => new ReaderDriver(run));
}

function dialectOf(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver,
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  };
}

class Adapter extends SqliteAdapter {
  /** Statements are synchronous, so kysely need not guard the connection with a lock of its own. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Writes `+?` for every parameter, which means the same as `?`.
 *
 * With a bare `?`, SQLite ties the plan of a query with a join or an order to the bound values.
 * better-sqlite3 clears them after each run, so such a query would be prepared again every time (43 µs
 * instead of 6).
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

const BEGIN = CompiledQuery.raw('begin immediate');
const COMMIT = CompiledQuery.raw('commit');
const ROLLBACK = CompiledQuery.raw('rollback');

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    this.#connection.run(BEGIN);
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run(COMMIT);
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly #handle: SqliteHandle.Database;
  readonly #access: 'read' | 'write';
  readonly #statements: SqliteStatements;

  constructor(handle: SqliteHandle.Database, access: 'read' | 'write') {
    this.#handle = handle;
    this.#access = access;
    this.#statements = new SqliteStatements(handle, access);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#access === 'write') return this.run(query);
    try {
      return this.run(query);
    } catch (error) {
      throw toServiceError(error);
    }
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    const startedAt = performance.now();
    try {
      return this.#statements.run(query) as QueryResult<R>;
    } finally {
      statements.tell({ sql: query.sql, startedAt, endedAt: performance.now() });
    }
  }

  /** After some errors, such as a full disk, SQLite has already rolled back. */
  rollback(): void {
    if (this.#handle.inTransaction) this.run(ROLLBACK);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw noStreaming();
  }
}

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(run: (statement: SqliteStatement) => Promise<SqliteResult>) {
    this.#connection = {
      executeQuery: async <R>(query: CompiledQuery) => {
        const startedAt = performance.now();
        try {
          return (await run(query)) as QueryResult<R>;
        } catch (error) {
          throw toServiceError(error);
        } finally {
          statements.tell({ sql: query.sql, startedAt, endedAt: performance.now() });
        }
      },
      streamQuery: () => {
        throw noStreaming();
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Database.longRead has no transactions. Use Database.transaction.');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

function noStreaming(): Error {
  return new Error('Streaming is not supported: read pages instead.');
}
