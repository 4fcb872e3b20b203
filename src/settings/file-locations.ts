/**
 * Locations of files: relative paths in the settings, the data folder, the database. Looks at the file
 * system, changes nothing.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folders that relative paths start from. */
export interface Places {
  /** Folder of gatehouse.yaml, otherwise the working directory. */
  folder: string;
  homeDir: string;
}

/** An absolute path; `~/` is the user's home. */
export function absolutePath(written: string, { folder, homeDir }: Places): string {
  return /^~(\/|$)/.test(written) ? join(homeDir, written.slice(1)) : resolve(folder, written);
}

/**
 * `./data` in a checkout or if it exists, otherwise `~/.local/share/gatehouse`
 * (docs/contract.md#data-folder-and-keys).
 */
export function defaultDataDir({ folder, homeDir }: Places): string {
  const beside = join(folder, 'data');
  const isCheckout =
    existsSync(join(folder, 'bin', 'gatehouse.js')) && existsSync(join(folder, 'src', 'main.ts'));
  return isCheckout || existsSync(beside) ? beside : join(homeDir, '.local', 'share', 'gatehouse');
}

/** A database URL whose SQLite path is absolute. `sqlite::memory:` and Postgres URLs stay as they are. */
export function absoluteDatabaseUrl(url: string, places: Places): string {
  const file = /^sqlite:(?!:memory:$)(.+)$/.exec(url)?.[1];
  return file === undefined ? url : `sqlite:${absolutePath(file, places)}`;
}
