/**
 * Keeps the statistics of a database about the sizes of its tables up to date. The database chooses between indexes
 * by them.
 */
import { CompiledQuery } from 'kysely';
import type { Dialect, WriteTransaction } from './database.ts';

/**
 * Renews the statistics of SQLite where tables have changed much. It looks at a sample of each index, so it takes
 * milliseconds. Postgres renews its own (autovacuum).
 *
 * The number is a sum of flags (https://www.sqlite.org/pragma.html#pragma_optimize): run `analyze`, bound it, consider
 * all tables.
 */
export async function renewStatistics(tx: WriteTransaction, dialect: Dialect): Promise<void> {
  if (dialect === 'sqlite') await tx.executeQuery(CompiledQuery.raw('pragma optimize(0x10012)'));
}
