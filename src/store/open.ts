/** Opens the database of a URL, checks it and migrates it. */
import type { OpenedDatabase } from './engine/database.ts';
import { DatabaseError } from './engine/database-errors.ts';
import { migrate, type OnMigration } from './migrations/migrator.ts';
import type { PostgresOptions } from './engine/postgres-database.ts';

export interface OpenOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string;
  /** Postgres: most connections of this process. Default 10. */
  poolSize?: number;
  /** Time for which a busy database is retried before the answer is UNAVAILABLE. Default 5000. */
  retryForMs?: number;
  /**
   * Postgres: longest wait for a statement over a silent connection. Then the connection is closed and the answer is
   * UNAVAILABLE. Longer than any statement takes, except migrations, which have no limit. Default 30000.
   */
  silenceMs?: number;
  /** Called with a sentence for the operator if a newer program made the tables and this one may use them. */
  onNewer?: (message: string) => void;
  /** Called, and awaited, before the tables of an earlier version are changed. */
  onMigration?: OnMigration;
  /** SQLite: up to this size of the file, reads that may take long need no worker thread. Default 8 MB. */
  smallFileBytes?: number;
}

/**
 * Opens the database, checks it and brings its tables up to date.
 *
 * Several processes may do so at the same time: one migrates, and the others wait for it.
 *
 * @throws DatabaseError with a message for the operator: unknown URL, no database, damaged, unreachable, or of a version
 *   that this program may not use
 */
export async function openDatabase({
  url,
  poolSize = 10,
  retryForMs = 5_000,
  silenceMs = 30_000,
  onNewer,
  onMigration,
  smallFileBytes,
}: OpenOptions): Promise<OpenedDatabase> {
  const database = await connect(url, { poolSize, retryForMs, silenceMs }, smallFileBytes);
  try {
    const { newer } = await migrate(database, onMigration);
    if (newer !== undefined) onNewer?.(newer);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Each dialect is loaded only if it is used: the other one's driver costs start-up time and memory. */
async function connect(
  url: string,
  options: PostgresOptions,
  smallFileBytes: number | undefined,
): Promise<OpenedDatabase> {
  if (url.startsWith('sqlite:')) {
    const { SqliteDatabase } = await import('./engine/sqlite-database.ts');
    return SqliteDatabase.open(url.slice('sqlite:'.length), options.retryForMs, smallFileBytes);
  }
  if (url.startsWith('postgres://') || url.startsWith('postgresql://')) {
    const { PostgresDatabase } = await import('./engine/postgres-database.ts');
    return PostgresDatabase.open(url, options);
  }
  throw new DatabaseError(
    'The database URL must begin with sqlite: or postgres://. Correct database_url or GATEHOUSE_DATABASE_URL.',
  );
}
