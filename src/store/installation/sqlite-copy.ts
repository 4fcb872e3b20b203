/**
 * Copies of SQLite databases in files of their own: made while others write, checked, and read unchanged.
 *
 * A copy is one file: it has no write-ahead log until it is opened as a database of Gatehouse.
 */
import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import SqliteHandle from 'better-sqlite3';
import { Kysely } from 'kysely';
import { DatabaseError, isDamaged } from '../engine/database-errors.ts';
import { KEY_CHECK, SEALED_COLUMNS, type SealedColumn } from './sealed-value-store.ts';
import { sqliteDialect } from '../engine/sqlite-dialect.ts';
import type { Tables } from '../tables/tables.ts';

/** Maximum wait for a lock. In a command nothing else uses the event loop. */
const BUSY_TIMEOUT_MS = 5_000;

const ALL_PAGES = 0x7fffffff;

/** Pages of a step that gives way (4 MB): the disk writes this much before it serves others again. */
const STEP_PAGES = 1_000;

/** Rest after a step, in times of its duration. */
const REST_RATIO = 1;

/** A checked copy, opened for reading. */
export interface OpenedCopy {
  read: Kysely<Tables>;
  /** Sealed columns of the copy: one made by an older program may lack some. */
  sealedColumns: readonly SealedColumn[];
  close(): void;
}

/**
 * Copies the database as it is at one moment. Processes that use it continue to read and write.
 *
 * @param to a new file, created with mode 0600; the caller removes it if this fails
 * @param options.givingWay leaves the disk to others for half of the time; for copies that nobody waits for
 * @throws DatabaseError if there is no database at `from`, or it cannot be read
 */
export async function copyDatabase(
  from: string,
  to: string,
  { givingWay = false }: { givingWay?: boolean } = {},
): Promise<void> {
  if ((statSync(from, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new DatabaseError(`There is no database at ${from}.`);
  closeSync(openSync(to, 'wx', 0o600));
  await guarded(from, async () => {
    const source = new SqliteHandle(from, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    const written = openSync(to, 'r+');
    try {
      // As long as this transaction reads one state, a copy in several steps does not start over when others write.
      source.exec('begin');
      source.prepare('select count(*) from sqlite_master').get();
      let startedAt = performance.now();
      await source.backup(to, {
        progress: () => {
          if (!givingWay) return ALL_PAGES;
          fsyncSync(written);
          rest((performance.now() - startedAt) * REST_RATIO);
          startedAt = performance.now();
          return STEP_PAGES;
        },
      });
    } finally {
      closeSync(written);
      source.close();
    }
  });
  await guarded(to, async () => {
    const copy = new SqliteHandle(to, { timeout: BUSY_TIMEOUT_MS });
    try {
      copy.pragma('journal_mode = delete');
    } finally {
      copy.close();
    }
  });
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/**
 * Checks every page of a copy that nobody else uses, and opens it.
 *
 * @param name its name in messages
 * @throws DatabaseError if it is damaged or not a database of Gatehouse
 */
export async function openCopy(path: string, name: string): Promise<OpenedCopy> {
  return guarded(name, async () => {
    const handle = new SqliteHandle(path, { readonly: true, fileMustExist: true });
    try {
      for (const check of ['integrity_check(1)', 'foreign_key_check']) {
        const found = handle.pragma(check) as Record<string, unknown>[];
        if (found.some((row) => row.integrity_check !== 'ok')) throw new DatabaseError(damaged(name));
      }
      if (handle.prepare("select 1 from sqlite_master where name = 'installation'").get() === undefined)
        throw new DatabaseError(`${name} is an SQLite database, but not one of Gatehouse.`);
    } catch (error) {
      handle.close();
      throw error;
    }
    return {
      read: new Kysely<Tables>({ dialect: sqliteDialect(handle, 'read') }),
      sealedColumns: [...SEALED_COLUMNS, KEY_CHECK].filter(({ table, column }) =>
        (handle.pragma(`table_info(${table})`) as { name: string }[]).some(({ name }) => name === column),
      ),
      close: () => handle.close(),
    };
  });
}

/** In a command nothing else uses the thread. */
function rest(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Whether a file has a write-ahead log next to it: it is in use, or was copied while in use. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0;
}

async function guarded<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDamaged(error)) throw new DatabaseError(damaged(name), { cause: error });
    throw error;
  }
}

function damaged(name: string): string {
  return `${name} is not an SQLite database, or it is damaged. Nothing was changed.`;
}
