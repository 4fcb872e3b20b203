/**
 * Puts a database file in the place of another that no process has open, and keeps the other beside it.
 *
 * A process that dies on the way leaves the old file or the new one in place, each whole.
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

/** A process that opened the old file while it was locked waits 100 ms, gives up and opens it anew: by then it is the new one. */
const LET_GO_MS = 500;

/** Files that SQLite keeps beside a database. They belong to the old one: with the new one they would damage it. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Replaces `path` by `draft`, which the caller removes where it is left.
 *
 * @param options.path where the database is; there may be none
 * @param options.draft a whole database in one file, in the same folder
 * @param options.keepAs what the old file is called from then on
 * @param options.force also when the old file is too damaged to tell whether a process has it open
 * @returns whether there was an old file
 * @throws DatabaseError when a process has it open, or that cannot be told; nothing was changed
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
      // Unlike a rename, this does not replace a database that another process has made meanwhile.
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
 * Locks a database that nobody else has open, with everything in its one file.
 *
 * Leaving WAL mode needs every other connection gone: each holds a lock on the file while it is open, and the
 * system lets go of it when its process ends, however that ends.
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
