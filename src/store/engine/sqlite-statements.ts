/** The statements of one better-sqlite3 connection: compiled once, and run synchronously. */
import type SqliteHandle from 'better-sqlite3';

const MAX_CACHED_STATEMENTS = 256;
/** Maximum length of cached statements: the longest insert of executions fits. Texts of longer ones differ each time. */
const MAX_CACHED_SQL_LENGTH = 4500;

/**
 * Moves the write-ahead log into the file, as far as no reader needs an older state. Stops no reader and no writer.
 */
export const CHECKPOINT = 'pragma wal_checkpoint(passive)';

/** A statement with its values. */
export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The rows of a statement, or what it changed. */
export interface SqliteResult {
  rows: unknown[];
  numAffectedRows?: bigint;
  insertId?: bigint;
}

/** Runs statements on one connection. */
export class SqliteStatements {
  readonly #handle: SqliteHandle.Database;
  readonly #access: 'read' | 'write';
  readonly #prepared = new Map<string, SqliteHandle.Statement>();

  /**
   * @param handle is owned by the caller, who closes it
   * @param access `read` refuses every statement that could change the database
   */
  constructor(handle: SqliteHandle.Database, access: 'read' | 'write') {
    this.#handle = handle;
    this.#access = access;
  }

  /** @throws SqliteError */
  run({ sql, parameters }: SqliteStatement): SqliteResult {
    const statement = this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): SqliteHandle.Statement {
    const cached = this.#prepared.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#handle.prepare(sql);
    if (this.#access === 'read' && !statement.readonly) {
      throw new Error('Database.read cannot write. Use Database.transaction.');
    }
    if (sql.length <= MAX_CACHED_SQL_LENGTH) {
      if (this.#prepared.size >= MAX_CACHED_STATEMENTS) this.#prepared.delete(firstKey(this.#prepared));
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

function firstKey(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value ?? '';
}
