/**
 * Replaces a database file that no process has open, and keeps the old file next to it.
 *
 * A process that dies meanwhile leaves either the old file or the new one in place, each complete.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteHandle from 'better-sqlite3';
import { DatabaseError, isBusy, isDamaged } from '../engine/database-errors.ts';

/**
 * A process that opened the old file while it was locked waits 100 ms, gives up and opens it again: by then
 * it is the new one.
 */
const LET_GO_MS = 500;

/** Files that SQLite keeps next to a database. They belong to the old one and would damage the new one. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Replaces `path` with `draft`. If the draft is left over, the caller removes it.
 *
 * @param options.path location of the database; there may be none
 * @param options.draft a complete database in one file, in the same folder
 * @param options.keepAs new name of the old file
 * @param options.force also if the old file is too damaged to tell whether a process has it open
 * @returns whether there was an old file
 * @throws DatabaseError if a process has it open, or that cannot be determined; nothing was changed
 */
export async function replaceDatabase({
  path,
  draft,
  keepAs,
  force,
}: {
  path: string;
  draft: string;
  keepAs: string;
  force: boolean;
}): Promise<boolean> {
  const old = statSync(path, { throwIfNoEntry: false });
  const { uid, gid } = old ?? statSync(dirname(path));
  if (process.getuid?.() === 0) chownSync(draft, uid, gid);
  chmodSync(draft, 0o600);
  const lock = old === undefined ? undefined : lockWhole(path, force);
  try {
    for (const suffix of COMPANIONS) {
      if (existsSync(path + suffix)) renameSync(path + suffix, keepAs + suffix);
    }
    if (old === undefined) {
      // Unlike a rename, a link does not replace a database that another process has created meanwhile.
      linkSync(draft, path);
    } else {
      linkSync(path, keepAs);
      renameSync(draft, path);
    }
    syncFolder(dirname(path));
    if (lock !== undefined) await sleep(LET_GO_MS);
  } finally {
    lock?.close();
  }
  return old !== undefined;
}

/**
 * Locks a database that nobody else has open, after merging everything into its one file.
 *
 * A database can leave WAL mode only when every other connection is gone. Each connection holds a lock on the
 * file, and the system releases it when its process ends, in any way.
 */
function lockWhole(path: string, force: boolean): SqliteHandle.Database | undefined {
  const handle = new SqliteHandle(path, { timeout: 0 });
  try {
    handle.pragma('journal_mode = delete');
    handle.exec('begin exclusive');
    if (handle.pragma('journal_mode', { simple: true }) !== 'delete') throw inUse(path);
    return handle;
  } catch (error) {
    handle.close();
    if (isBusy(error)) throw inUse(path, error);
    if (!isDamaged(error)) throw error;
    if (force) return undefined;
    throw new DatabaseError(
      `${path} is damaged, so it cannot be told whether a process has it open. Stop every gatehouse process, then give --force. Nothing was changed.`,
      { cause: error },
    );
  }
}

function inUse(path: string, cause?: unknown): DatabaseError {
  return new DatabaseError(
    `A process has the database ${path} open. Stop every gatehouse process, "gatehouse mcp" of desktop clients too, then run this again. Nothing was changed.`,
    { cause },
  );
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
