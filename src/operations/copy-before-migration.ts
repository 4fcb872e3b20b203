/**
 * Copies the SQLite database before `gatehouse migrate` changes it, so that an earlier version of the program can
 * be used again.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { toTimestamp, type Clock } from '../core/clock.ts';
import { DatabaseError } from '../store/engine/database-errors.ts';
import { backUp, isSystemError } from './backup.ts';

/** Bytes that this user may still write in a folder. */
function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Copies the database next to itself, checked and readable for its owner only.
 *
 * @param options.version version of its tables, for the name of the copy
 * @param options.freeBytes tells the room of a folder
 * @returns path of the copy
 * @throws DatabaseError if there is no room for it, or it cannot be written
 */
export async function copyBeforeMigration({
  database,
  keyFile,
  version,
  clock,
  freeBytes = freeBytesIn,
}: {
  database: string;
  keyFile: string;
  version: number;
  clock: Clock;
  freeBytes?: (folder: string) => number;
}): Promise<string> {
  const file = `${database}.version-${version}-${toTimestamp(clock.now()).replaceAll(':', '')}`;
  const free = freeBytes(dirname(database));
  const needed = sizeOf(database) + sizeOf(`${database}-wal`);
  if (free < needed)
    throw noCopy(`there is no room: it needs ${megabytes(needed)}, and ${megabytes(free)} are free`);
  try {
    await backUp({ database, keyFile, file, force: false });
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isSystemError(error.cause)) throw error;
    throw noCopy(error.message.replace(/\.$/, ''), error);
  }
  return file;
}

function noCopy(reason: string, cause?: Error): DatabaseError {
  return new DatabaseError(
    `The database cannot be copied before the migration: ${reason}. Make room, or run "gatehouse migrate --no-copy" if you have a backup in another place. Nothing was changed.`,
    { cause },
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
