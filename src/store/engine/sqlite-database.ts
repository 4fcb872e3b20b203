/**
 * SQLite: one connection for writes and one for reads, with settings under which a commit survives the
 * process (docs/security.md#survives-kill).
 *
 * Writers of this process wait for each other here, without blocking. SQLite itself waits 100 ms for another
 * process's lock; after that, waiting leaves the event loop free.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteHandle from 'better-sqlite3';
import { Kysely } from 'kysely';
import { ServiceError } from '../../core/errors.ts';
import type { OpenedDatabase, WriteTransaction } from './database.ts';
import { DatabaseError, isBusy, isDamaged, toServiceError } from './database-errors.ts';
import { ROW_READER } from './row-reader.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from '../tables/tables.ts';

/** Time that SQLite itself waits for a lock; the event loop is blocked meanwhile. */
const BUSY_TIMEOUT_MS = 100;

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

export class SqliteDatabase implements OpenedDatabase {
  readonly dialect = 'sqlite';
  readonly read: Kysely<Tables>;
  readonly #write: Kysely<Tables>;
  readonly #handles: readonly SqliteHandle.Database[];
  readonly #retryForMs: number;
  /** Settles when the previous writer is done. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(writer: SqliteHandle.Database, reader: SqliteHandle.Database, retryForMs: number) {
    this.#handles = writer === reader ? [writer] : [reader, writer];
    this.#write = new Kysely<Tables>({ dialect: sqliteDialect(writer, 'write'), plugins: [ROW_READER] });
    this.read = new Kysely<Tables>({ dialect: sqliteDialect(reader, 'read'), plugins: [ROW_READER] });
    this.#retryForMs = retryForMs;
  }

  /**
   * @param path a file, created with mode 0600 in a folder with 0700, or `:memory:` (one connection, gone at
   * close)
   * @throws DatabaseError if the file is not a healthy SQLite database
   */
  static async open(path: string, retryForMs: number): Promise<SqliteDatabase> {
    const handles: SqliteHandle.Database[] = [];
    const deadline = performance.now() + retryForMs;
    for (;;) {
      try {
        if (path !== ':memory:') createPrivately(path);
        const writer = openHandle(path, handles);
        if (path === ':memory:') return new SqliteDatabase(writer, writer, retryForMs);
        const reader = openHandle(path, handles);
        reader.pragma('query_only = on');
        return new SqliteDatabase(writer, reader, retryForMs);
      } catch (error) {
        for (const handle of handles.splice(0)) handle.close();
        if (!isBusy(error) || performance.now() >= deadline) throw startProblem(path, error);
        await backOff();
      }
    }
  }

  async transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#retryForMs;
    const turn = this.#queue.then(() => this.#run(work, deadline));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async patiently<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  hurry(): void {
    // A file never leaves a statement unanswered.
  }

  async close(): Promise<void> {
    await this.#queue;
    for (const handle of this.#handles) handle.close();
  }

  async #run<T>(work: (tx: WriteTransaction) => Promise<T>, deadline: number): Promise<T> {
    for (;;) {
      if (performance.now() >= deadline) throw busyTooLong();
      try {
        return await this.#write.transaction().execute(work);
      } catch (error) {
        if (!isBusy(error)) throw toServiceError(error);
      }
      await backOff();
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
  const health: unknown = opened.length === 1 ? handle.pragma('quick_check(1)', { simple: true }) : 'ok';
  if (health !== 'ok') throw new DatabaseError(damaged(path));
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
