/** Whether a database already belongs to an installation. Creates no file, no table and no key. */
import { memberOf } from '../../core/json.ts';
import { statSync } from 'node:fs';
import type { Database } from '../../store/engine/database.ts';
import { InstallationStore } from '../../store/installation/installation-store.ts';

/** Codes for a missing table: SQLite has no specific code for it, Postgres sends 42P01. */
const NO_TABLE = /no such table|42P01/;

/** The file of an SQLite database; undefined for Postgres. */
export function sqliteFile(url: string): string | undefined {
  return /^sqlite:(.*)$/.exec(url)?.[1];
}

/** Whether there is something to open: false for an SQLite database whose file is missing or empty. */
export function hasFile(url: string): boolean {
  const file = sqliteFile(url);
  return file === undefined || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** @throws DatabaseError if there is a database but it cannot be used */
export async function holdsInstallation(url: string): Promise<boolean> {
  if (!hasFile(url)) return false;
  const db = await openAsItIs(url);
  try {
    return (await new InstallationStore(db.read).get('key_check')) !== undefined;
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  } finally {
    await db.close();
  }
}

/** Whether a query failed because the database has no such table, or not yet. */
export function isMissingTable(error: unknown): boolean {
  return NO_TABLE.test(`${String(memberOf(error, 'code'))} ${String(memberOf(error, 'message'))}`);
}

/** Opens it without migrating it. */
export async function openAsItIs(url: string): Promise<Database> {
  const file = sqliteFile(url);
  if (file !== undefined) {
    const { SqliteDatabase } = await import('../../store/engine/sqlite-database.ts');
    return SqliteDatabase.open(file, 5_000);
  }
  const { PostgresDatabase } = await import('../../store/engine/postgres-database.ts');
  return PostgresDatabase.open(url, { poolSize: 1, retryForMs: 5_000, silenceMs: 30_000 });
}
