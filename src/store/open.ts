/** Opens the database of a URL, checks it and migrates it. */
import type { OpenedDatabase } from './engine/database.ts';
import { DatabaseError } from './engine/database-errors.ts';
import { migrate } from './migrations/migrator.ts';
import type { PostgresOptions } from './engine/postgres-database.ts';

export interface OpenOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string;
  /** Postgres: most connections of this process. Default 10. */
  poolSize?: number;
  /** How long a busy database is retried before the answer is UNAVAILABLE. Default 5000. */
  retryForMs?: number;
  /**
   * Postgres: longest wait for a statement over a silent connection. Then the connection is closed and the answer is
   * UNAVAILABLE. Longer than any statement takes, except migrations, which have no limit. Default 30000.
   */
  silenceMs?: number;
}

/**
 * Opens the database, checks it and brings its tables up to date.
 *
 * Several processes may do so at the same time: one migrates, and the others wait for it.
 *
 * @throws DatabaseError with a message for the operator: unknown URL, no database, damaged, unreachable, or of a newer version
 */
export async function openDatabase({
  url,
  poolSize = 10,
  retryForMs = 5_000,
  silenceMs = 30_000,
}: OpenOptions): Promise<OpenedDatabase> {
  const database = await connect(url, { poolSize, retryForMs, silenceMs });
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Each dialect is loaded only if it is used: the other one's driver costs start-up time and memory. */
async function connect(url: string, options: PostgresOptions): Promise<OpenedDatabase> {
  if (url.startsWith('sqlite:')) {
    const { SqliteDatabase } = await import('./engine/sqlite-database.ts');
    return SqliteDatabase.open(url.slice('sqlite:'.length), options.retryForMs);
  }
  if (url.startsWith('postgres://') || url.startsWith('postgresql://')) {
    const { PostgresDatabase } = await import('./engine/postgres-database.ts');
    return PostgresDatabase.open(url, options);
  }
  throw new DatabaseError(
    'The database URL must begin with sqlite: or postgres://. Correct database_url or GATEHOUSE_DATABASE_URL.',
  );
}
