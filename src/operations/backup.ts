/** `gatehouse backup`: a copy of the SQLite database, made and checked while processes use it. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseError } from '../store/engine/database-errors.ts';
import { schemaFit } from '../store/migrations/migrator.ts';
import { copyDatabase, hasLog, openCopy, type OpenedCopy } from '../store/installation/sqlite-copy.ts';
import { keyIdOf } from '../vault/vault.ts';
import { sealedPages } from './key-verification.ts';

/** Errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP']);

/** Output of `backup`. */
export interface BackupResult {
  file: string;
  bytes: number;
  /** Ids of the keys that its secrets are sealed with. The copy does not contain the keys. */
  key_ids: string[];
}

/**
 * Copies the database into a new file, mode 0600. The file appears complete and checked, or not at all.
 *
 * @param options.keyFile never replaced, like the database itself
 * @param options.force replaces an existing file of this name
 * @throws DatabaseError if a file of this name exists, if there is no database or a damaged one, or if
 * there is no room
 */
export async function backUp(options: {
  database: string;
  keyFile: string;
  file: string;
  force: boolean;
}): Promise<BackupResult> {
  const { database, keyFile, file, force } = options;
  if (existsSync(file) && !force) throw taken(file);
  const inUse = [database, `${database}-wal`, `${database}-shm`, `${database}-journal`, keyFile];
  if (inUse.some((path) => isSameFile(path, file)) || hasLog(file)) throw needed(file);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await copyDatabase(database, draft, { givingWay: true });
    const copy = await openCopy(draft, `The copy of ${database}`);
    const keyIds = await readCopy(copy, async () => keyIdsOf(copy));
    place(draft, file, force);
    return { file, bytes: statSync(file).size, key_ids: keyIds };
  } catch (error) {
    throw isSystemError(error)
      ? new DatabaseError(`The backup ${file} cannot be written: ${inWords(error, file, draft)}.`, {
          cause: error,
        })
      : error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Ids of the keys that a copy's sealed values name, in the order of their first use. Needs no key. */
export async function keyIdsOf({ read, sealedColumns }: OpenedCopy): Promise<string[]> {
  await schemaFit(read, 'sqlite');
  const ids = new Set<string>();
  for await (const { values } of sealedPages(read, sealedColumns)) {
    for (const { sealed } of values) {
      const id = keyIdOf(sealed);
      if (id !== null) ids.add(id);
    }
  }
  return [...ids];
}

/** Runs `work` and closes the copy afterwards. */
export async function readCopy<T>(copy: OpenedCopy, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    copy.close();
  }
}

/** Whether an error is from the file system or the database driver. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && /^(E[A-Z]+|SQLITE_\w+)$/.test(String(error.code));
}

/**
 * Explains a system error to a person who named `file`; the name of the draft next to it would tell them
 * nothing.
 */
function inWords({ code = '', message }: NodeJS.ErrnoException, file: string, draft: string): string {
  const folder = dirname(file);
  const words: Readonly<Record<string, string>> = {
    ENOENT: `there is no folder ${folder}`,
    ENOTDIR: `${folder} is not a folder`,
    EACCES: `this user may not write in ${folder}`,
    EPERM: `this user may not write in ${folder}`,
    EROFS: `${folder} is on a file system that is read-only`,
    ENOSPC: 'the disk is full',
    SQLITE_FULL: 'the disk is full',
  };
  return words[code] ?? message.replaceAll(draft, file);
}

function place(draft: string, file: string, force: boolean): void {
  if (force) renameSync(draft, file);
  else giveNewName(draft, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** A link, unlike a rename, never replaces a file; some file systems have no links. */
function giveNewName(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (existsSync(file)) throw taken(file);
    if (!isSystemError(error) || !NO_LINKS.has(error.code ?? '')) throw error;
    renameSync(draft, file);
  }
}

/** True also for another name of the same file or a link to it. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

function needed(file: string): DatabaseError {
  return new DatabaseError(
    `${file} is the database itself, a file that belongs to it or to another database in use, or the key file. Name another one. Nothing was changed.`,
  );
}

function taken(file: string): DatabaseError {
  return new DatabaseError(
    `There is a file ${file} already. Name another one, or give --force to replace it.`,
  );
}
