/**
 * The program that checks an SQLite file, in a process of its own: reads every page and prints what SQLite finds, or
 * `ok`. Changes nothing.
 *
 * SQLite cannot be interrupted while it checks. A process can be ended at any time, and may have a low priority.
 */
import { constants, setPriority } from 'node:os';
import SqliteHandle from 'better-sqlite3';
import { isDamaged } from './database-errors.ts';

setPriority(constants.priority.PRIORITY_LOW);
process.stdout.write(findings(process.argv[2] ?? ''));

function findings(path: string): string {
  const handle = new SqliteHandle(path, { readonly: true, fileMustExist: true });
  try {
    return String(handle.pragma('quick_check(1)', { simple: true }));
  } catch (error) {
    if (!(error instanceof Error) || !isDamaged(error)) throw error;
    return error.message;
  } finally {
    handle.close();
  }
}
