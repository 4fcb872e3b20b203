/**
 * What the rest of the program needs of a database: reads, and write transactions that are repeated when
 * the database is busy. SQLite and Postgres stand behind it; see open.ts.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** A write transaction. Await nothing but its own statements inside it (security page 3.2). */
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
   * @throws ServiceError UNAVAILABLE (503, Retry-After) when the database stays busy, is full or cannot be reached
   */
  transaction<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
