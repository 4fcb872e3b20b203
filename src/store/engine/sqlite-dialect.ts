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
import { toServiceError } from './database-errors.ts';

const MAX_CACHED_STATEMENTS = 256;
/** Maximum length of cached statements. Longer ones insert many rows, and their texts differ each time. */
const MAX_CACHED_SQL_LENGTH = 2000;

/**
 * @param handle is owned by the caller, who closes it
 * @param access `read` refuses every statement that could change the database
 */
export function sqliteDialect(handle: SqliteHandle.Database, access: 'read' | 'write'): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new SqliteDriver(new SqliteConnection(handle, access)),
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
  readonly #statements = new Map<string, SqliteHandle.Statement>();

  constructor(handle: SqliteHandle.Database, access: 'read' | 'write') {
    this.#handle = handle;
    this.#access = access;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#access === 'write') return this.run(query);
    try {
      return this.run(query);
    } catch (error) {
      throw toServiceError(error);
    }
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** After some errors, such as a full disk, SQLite has already rolled back. */
  rollback(): void {
    if (this.#handle.inTransaction) this.run(ROLLBACK);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read pages instead.');
  }

  #prepare(sql: string): SqliteHandle.Statement {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#handle.prepare(sql);
    if (this.#access === 'read' && !statement.readonly) {
      throw new Error('Database.read cannot write. Use Database.transaction.');
    }
    if (sql.length <= MAX_CACHED_SQL_LENGTH) {
      if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#statements.delete(firstKey(this.#statements));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function firstKey(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value ?? '';
}
