/** Writing rows that have to be the only ones of their name, when another process may write the same one. */
import { ServiceError } from '../../core/errors.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { Database, WriteTransaction } from './database.ts';

/**
 * @param taken what the caller reads when a row of this name is there already
 * @throws ServiceError ALREADY_EXISTS
 */
export async function writeUnique<T>(
  db: Database,
  taken: string,
  work: (tx: WriteTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction(work);
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause;
    throw new ServiceError('ALREADY_EXISTS', taken, { cause });
  }
}

/**
 * Runs work that finds a row or makes it. Where another transaction made the same one in between, the database refuses
 * the second; run again, the work finds it.
 */
export async function findOrWrite<T>(db: Database, work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return db.transaction(work);
  }
}
