/**
 * Checks whether an SQLite file is sound after a process ended without closing it: it was killed, or the power
 * failed.
 *
 * SQLite removes the write-ahead log when the last connection closes. A log without a connection is the sign of
 * such an end. The first process to open the file records it, because its own end may be clean.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import SqliteHandle from 'better-sqlite3';
import type { Database, FileCheck } from './database.ts';
import { isBusy, isFull } from './database-errors.ts';
import { siblingFile } from './sibling-file.ts';

/** Row of `installation` from an unclean end to the next complete check. */
const CHECK_DUE = 'file_check_due';

/**
 * Notes that a file has to be checked if its last process did not close it. To be called before this process opens it.
 *
 * @throws SqliteError if it is not an SQLite database
 */
export function noteIfLeftOpen(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  const handle = new SqliteHandle(path, { timeout: 0 });
  try {
    // Refused while anybody has the file open, and never waits.
    handle.pragma('locking_mode = exclusive');
    const tables = handle.prepare("select 1 from sqlite_master where name = 'installation'").get();
    if (tables === undefined) return;
    handle
      .prepare('insert into installation (key, value) values (?, ?) on conflict do nothing')
      .run(CHECK_DUE, new Date().toISOString());
  } catch (error) {
    // A full disk must not stop a start.
    if (!isBusy(error) && !isFull(error)) throw error;
  } finally {
    handle.close();
  }
}

/**
 * Checks the file if a check is due. A complete one that finds nothing settles it; otherwise the next start repeats it.
 *
 * @param signal ends the check at once
 * @returns `undefined` if no check was due, or it was ended
 */
export async function checkIfDue(
  db: Pick<Database, 'read' | 'transaction'>,
  path: string,
  signal: AbortSignal,
): Promise<FileCheck | undefined> {
  const due = await db.read
    .selectFrom('installation')
    .select('value')
    .where('key', '=', CHECK_DUE)
    .executeTakeFirst();
  if (due === undefined || signal.aborted) return undefined;
  const finding = await findingOf(path, signal);
  if (finding === undefined) return undefined;
  const isSound = finding === 'ok';
  if (isSound)
    await db.transaction(async (tx) => tx.deleteFrom('installation').where('key', '=', CHECK_DUE).execute());
  return { path, isSound, finding };
}

async function findingOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  const program = fileURLToPath(siblingFile(import.meta.url, 'sqlite-check'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, path], {
      signal,
      killSignal: 'SIGKILL',
    });
    return stdout.trim();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
