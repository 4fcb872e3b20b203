/**
 * The interface to the database for the rest of the program: reads, and write transactions that are repeated
 * if the database is busy. SQLite and Postgres implement it; see open.ts.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/** A write transaction. Await only its own statements inside it. */
export type WriteTransaction = Transaction<Tables>;

/** The executor of reads: `Database.read`, or the current transaction. */
export type Readable = Kysely<Tables>;

/** The database in use. Only src/store knows the difference. */
export type Dialect = 'sqlite' | 'postgres';

export interface Database {
  readonly dialect: Dialect;
  /** For reads outside a transaction. On SQLite a separate connection that cannot write. */
  readonly read: Kysely<Tables>;
  /**
   * For reads whose time grows with the data: lists, counts, exports. On SQLite it is a connection in a worker
   * thread, so that everything else continues, unless the file is small; on Postgres it is the same as `read`. A
   * call of a tool never needs it.
   */
  readonly longRead: Kysely<Tables>;
  /**
   * Runs `work` in one transaction and commits it durably: `BEGIN IMMEDIATE` on SQLite, SERIALIZABLE on
   * Postgres. On both, a transaction sees and changes the data as if it ran alone.
   *
   * A busy database or a serialization failure rolls back and repeats the whole work, for up to 5 s; on Postgres at least twice.
   *
   * A transaction without an answer is not repeated: it may have been committed.
   *
   * @throws ServiceError UNAVAILABLE (503, Retry-After) if the database stays busy, is full, cannot be
   * reached or does not answer
   */
  transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * A text that changes with every commit of this process or another one: what was read at the same version is still
   * true. `undefined` where asking takes as long as reading again: on Postgres, and for `:memory:`.
   */
  version(): string | undefined;
  close(): Promise<void>;
}

/** Use of the connections to Postgres. */
export interface PoolUse {
  inUse: number;
  idle: number;
  /** Work that waits for a connection. */
  waiting: number;
  /** The process opens no more than this. */
  max: number;
}

/** Outcome of a check of the database file. */
export interface FileCheck {
  path: string;
  isSound: boolean;
  /** The message of the database; never a value of a row. */
  finding: string;
}

/**
 * Methods only for the code that opens and closes a database. They matter for Postgres, which may leave a
 * statement unanswered.
 */
export interface OpenedDatabase extends Database {
  /**
   * Runs `work` without a time limit for its statements. To be used before anything else uses the database.
   */
  withoutTimeout<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Shutdown has begun: shortens the timeouts for an unresponsive database, also for running statements.
   * Instead of 30 s it waits 3 s once, and then half a second each.
   */
  shortenTimeouts(): void;
  /** Path of an SQLite file so large that work over whole tables belongs in a thread; else `undefined`. */
  largeFile(): string | undefined;
  /** Connections of this process, now; `undefined` on SQLite. */
  poolUse(): PoolUse | undefined;
  /**
   * Checks a file whose last process ended without closing it, in another process. Meanwhile everything can be used.
   *
   * @param signal ends the check at once; the next start repeats it
   * @returns `undefined` if there is nothing to check, or the check was ended. Always on Postgres, which checks itself
   */
  checkFile(signal: AbortSignal): Promise<FileCheck | undefined>;
}
