/** Writes rows whose name has to be unique, while another process may write the same one. */
import { ServiceError } from '../../core/errors.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { Database, WriteTransaction } from './database.ts';

/**
 * @param taken the caller's message if a row of this name already exists
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
 * Runs work that finds a row or creates it. If another transaction has created the same row meanwhile, the
 * database refuses the second one; the repeated work then finds it.
 */
export async function findOrWrite<T>(db: Database, work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return db.transaction(work);
  }
}
