/**
 * SQLite: one connection for writes, one for short reads, and one for long reads in a worker thread, with
 * settings under which a commit survives the process (docs/security.md#survives-kill).
 *
 * Writers of this process wait for each other here, without blocking. SQLite itself waits 100 ms for another
 * process's lock; after that, waiting leaves the event loop free.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteHandle from 'better-sqlite3';
import { Kysely } from 'kysely';
import { ServiceError } from '../../core/errors.ts';
import { tellWait } from '../../core/telemetry/call-times.ts';
import type { FileCheck, OpenedDatabase, WriteTransaction } from './database.ts';
import { DatabaseError, isBusy, isDamaged, toServiceError } from './database-errors.ts';
import { ROW_READER } from './row-reader.ts';
import { sqliteDialect, sqliteReaderDialect } from './sqlite-dialect.ts';
import { checkIfDue, noteIfLeftOpen } from './sqlite-file-check.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { CHECKPOINT, SqliteStatements } from './sqlite-statements.ts';
import type { Tables } from '../tables/tables.ts';
import { WalIndex } from './wal-index.ts';

/** Time that SQLite itself waits for a lock; the event loop is blocked meanwhile. */
const BUSY_TIMEOUT_MS = 100;

/**
 * Up to this size, no read takes long enough to matter (10 ms for the whole file), and the worker thread is not needed.
 * So most sessions of desktop clients, and most commands, never start it.
 */
const SMALL_FILE_BYTES = 8_000_000;

/**
 * With a large file, a commit of SQLite does not wait for the disk: this class flushes the write-ahead log before it
 * acknowledges, and the event loop is free meanwhile. Small files are not worth it.
 */
const COMMIT_WITHOUT_FLUSH = 'synchronous = 1';

/** The worker thread carries the log of a large file into the file at this length (20 MB), in pages. */
const LOG_TO_CARRY = 5_000;

/** SQLite does so itself at this length (160 MB), on the event loop: the thread is behind. */
const LONGEST_LOG = 'wal_autocheckpoint = 40000';

/**
 * Set on every connection and checked after a first read, because `synchronous` changes by itself before it.
 */
const PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  secure_delete: 1,
  busy_timeout: BUSY_TIMEOUT_MS,
};

interface Connections {
  path: string;
  writer: SqliteHandle.Database;
  /** The writer itself for `:memory:`. */
  reader: SqliteHandle.Database;
  retryForMs: number;
  smallFileBytes: number;
}

export class SqliteDatabase implements OpenedDatabase {
  readonly dialect = 'sqlite';
  readonly read: Kysely<Tables>;
  readonly longRead: Kysely<Tables>;
  readonly #write: Kysely<Tables>;
  readonly #writer: SqliteHandle.Database;
  readonly #handles: readonly SqliteHandle.Database[];
  readonly #path: string;
  readonly #longReader: SqliteReader | undefined;
  /** `:memory:` has none. */
  readonly #walIndex: WalIndex | undefined;
  readonly #retryForMs: number;
  readonly #smallFileBytes: number;
  #isLarge = false;
  /** The write-ahead log of a large file. */
  #log: FileHandle | undefined;
  #isCarrying = false;
  /** Settles when the previous writer is done. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor({ path, writer, reader, retryForMs, smallFileBytes }: Connections) {
    this.#path = path;
    this.#smallFileBytes = smallFileBytes;
    this.#writer = writer;
    this.#handles = writer === reader ? [writer] : [reader, writer];
    this.#write = new Kysely<Tables>({ dialect: sqliteDialect(writer, 'write'), plugins: [ROW_READER] });
    this.read = new Kysely<Tables>({ dialect: sqliteDialect(reader, 'read'), plugins: [ROW_READER] });
    this.longRead = this.read;
    if (path !== ':memory:') {
      const longReader = new SqliteReader({ path, busyTimeoutMs: BUSY_TIMEOUT_MS });
      const shortReader = new SqliteStatements(reader, 'read');
      const dialect = sqliteReaderDialect(async (statement) =>
        this.largeFile() !== undefined ? longReader.run(statement) : shortReader.run(statement),
      );
      this.longRead = new Kysely<Tables>({ dialect, plugins: [ROW_READER] });
      this.#longReader = longReader;
      this.#walIndex = new WalIndex(path);
    }
    this.#retryForMs = retryForMs;
  }

  /**
   * @param path a file, created with mode 0600 in a folder with 0700, or `:memory:` (one connection, gone at
   * close)
   * @param smallFileBytes see SMALL_FILE_BYTES
   * @throws DatabaseError if the file is not an SQLite database, or SQLite cannot read its first pages
   */
  static async open(
    path: string,
    retryForMs: number,
    smallFileBytes = SMALL_FILE_BYTES,
  ): Promise<SqliteDatabase> {
    const handles: SqliteHandle.Database[] = [];
    const deadline = performance.now() + retryForMs;
    for (;;) {
      try {
        if (path !== ':memory:') {
          createPrivately(path);
          noteIfLeftOpen(path);
        }
        const writer = openHandle(path, handles);
        if (path === ':memory:')
          return new SqliteDatabase({ path, writer, reader: writer, retryForMs, smallFileBytes });
        const reader = openHandle(path, handles);
        reader.pragma('query_only = on');
        return new SqliteDatabase({ path, writer, reader, retryForMs, smallFileBytes });
      } catch (error) {
        for (const handle of handles.splice(0)) handle.close();
        if (!isBusy(error) || performance.now() >= deadline) throw startProblem(path, error);
        await backOff();
      }
    }
  }

  async transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    const waiting = async (tx: WriteTransaction): Promise<T> => {
      tellWait('database', askedAt);
      return work(tx);
    };
    const turn = this.#queue.then(() => this.#run(waiting, askedAt + this.#retryForMs));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  version(): string | undefined {
    return this.#walIndex?.version();
  }

  async withoutTimeout<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  shortenTimeouts(): void {
    // A file always answers a statement.
  }

  largeFile(): string | undefined {
    if (this.#path === ':memory:') return undefined;
    return statSync(this.#path).size > this.#smallFileBytes ? this.#path : undefined;
  }

  poolUse(): undefined {
    return undefined;
  }

  async checkFile(signal: AbortSignal): Promise<FileCheck | undefined> {
    return this.#path === ':memory:' ? undefined : checkIfDue(this, this.#path, signal);
  }

  async close(): Promise<void> {
    await this.#queue;
    // The writer closes last: then SQLite merges the write-ahead log into the file and removes it.
    await this.#longReader?.close();
    await this.#log?.close();
    for (const handle of this.#handles) handle.close();
    this.#walIndex?.close();
  }

  async #run<T>(work: (tx: WriteTransaction) => Promise<T>, deadline: number): Promise<T> {
    for (;;) {
      if (performance.now() >= deadline) throw busyTooLong();
      try {
        this.#adaptToSize();
        const result = await this.#write.transaction().execute(work);
        if (this.#isLarge) await this.#flush();
        return result;
      } catch (error) {
        if (!isBusy(error)) throw toServiceError(error);
      }
      await backOff();
    }
  }

  #adaptToSize(): void {
    if (this.#isLarge || this.largeFile() === undefined) return;
    this.#writer.pragma(COMMIT_WITHOUT_FLUSH);
    this.#writer.pragma(LONGEST_LOG);
    this.#isLarge = true;
  }

  /** Makes the last commit durable. SQLite keeps one log file as long as it has the database open. */
  async #flush(): Promise<void> {
    this.#log ??= await open(`${this.#path}-wal`, 'r+');
    await this.#log.datasync();
    if (!this.#isCarrying && (this.#walIndex?.pagesToCarry() ?? 0) >= LOG_TO_CARRY) void this.#checkpoint();
  }

  async #checkpoint(): Promise<void> {
    this.#isCarrying = true;
    try {
      await this.#longReader?.run({ sql: CHECKPOINT, parameters: [] });
    } catch {
      // If one fails, the next one does the work.
    } finally {
      this.#isCarrying = false;
    }
  }
}

function busyTooLong(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The database is busy. Try again in a moment.', {
    retryAfterSeconds: 1,
  });
}

async function backOff(): Promise<void> {
  await sleep(20 + Math.random() * 80);
}

/** SQLite would create the file readable for all; its -wal and -shm files get the mode of the file. */
function createPrivately(path: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
  // An existing file is not opened: closing it would release every lock that this process holds on it
  // (POSIX).
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
  chmodSync(path, 0o600);
}

function openHandle(path: string, opened: SqliteHandle.Database[]): SqliteHandle.Database {
  const handle = new SqliteHandle(path, { timeout: BUSY_TIMEOUT_MS });
  opened.push(handle);
  for (const [name, value] of Object.entries(PRAGMAS)) handle.pragma(`${name} = ${value}`);
  handle.prepare('select count(*) from sqlite_master').get();
  for (const [name, wanted] of Object.entries(PRAGMAS)) {
    const actual: unknown = handle.pragma(name, { simple: true });
    if (actual === wanted || (path === ':memory:' && name === 'journal_mode')) continue;
    throw new DatabaseError(
      `The database ${path} does not accept the setting ${name} = ${wanted} (it says ${String(actual)}). ` +
        'Put it on a local disk: network file systems are not supported.',
    );
  }
  return handle;
}

function startProblem(path: string, error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  if (isDamaged(error)) return new DatabaseError(damaged(path), { cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  return new DatabaseError(`The database ${path} cannot be opened: ${reason}.`, { cause: error });
}

function damaged(path: string): string {
  return (
    `${path} is not an SQLite database, or it is damaged. Nothing was changed in it. ` +
    'Restore a copy, or name another file with GATEHOUSE_DATABASE_URL.'
  );
}
