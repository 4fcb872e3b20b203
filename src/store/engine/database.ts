/**
 * What the rest of the program needs of a database: reads, and write transactions that are repeated when
 * the database is busy. SQLite and Postgres stand behind it; see open.ts.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/** A write transaction. Await nothing but its own statements inside it. */
export type WriteTransaction = Transaction<Tables>;

/** What reading needs: `Database.read`, or the transaction that one is in. */
export type Readable = Kysely<Tables>;

/** Which database stands behind. Only src/store knows the difference. */
export type Dialect = 'sqlite' | 'postgres';

export interface Database {
  readonly dialect: Dialect;
  /** For reading outside a transaction. On SQLite a connection of its own that cannot write. */
  readonly read: Kysely<Tables>;
  /**
   * Runs `work` in one transaction and commits it durably: `BEGIN IMMEDIATE` on SQLite, SERIALIZABLE on
   * Postgres, so that on both a transaction sees and changes the data as if no other ran beside it.
   *
   * A busy database or a serialization failure rolls back and repeats the whole work, up to 5 s.
   *
   * One that is not answered is not repeated: it may have been committed.
   *
   * @throws ServiceError UNAVAILABLE (503, Retry-After) when the database stays busy, is full, cannot be reached or does not answer
   */
  transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What only whoever opens and ends a database asks of it. It concerns Postgres, which may leave a statement unanswered. */
export interface OpenedDatabase extends Database {
  /** Runs `work`, whose statements may take as long as they need. Before anything else uses the database. */
  patiently<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The process ends: what is under way, and what is still to be put away, waits for a silent database for 3 s once and
   * then for half a second each, instead of 30 s.
   */
  hurry(): void;
}
