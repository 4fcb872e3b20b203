/** Opening the database that a URL names, ready for use: checked, migrated. */
import type { Database } from './database.ts';
import { DatabaseProblem } from './database-errors.ts';
import { migrate } from './migrator.ts';

export interface OpenOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string;
  /** Postgres: connections of this process at most. Default 10. */
  poolSize?: number;
  /** How long a busy database is tried before the answer is UNAVAILABLE. Default 5000. */
  retryForMs?: number;
}

/**
 * Opens the database, checks it and brings its tables up to date.
 *
 * Several processes may do so at the same time: one migrates, the others wait for it.
 *
 * @throws DatabaseProblem with a sentence for the operator: unknown URL, not a database, damaged, unreachable, made by a newer version
 */
export async function openDatabase({
  url,
  poolSize = 10,
  retryForMs = 5_000,
}: OpenOptions): Promise<Database> {
  const database = await connect(url, poolSize, retryForMs);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Each dialect is loaded when it is used: the other one's driver costs start-up time and memory. */
async function connect(url: string, poolSize: number, retryForMs: number): Promise<Database> {
  if (url.startsWith('sqlite:')) {
    const { SqliteDatabase } = await import('./sqlite-database.ts');
    return SqliteDatabase.open(url.slice('sqlite:'.length), retryForMs);
  }
  if (url.startsWith('postgres://') || url.startsWith('postgresql://')) {
    const { PostgresDatabase } = await import('./postgres-database.ts');
    return PostgresDatabase.open(url, poolSize, retryForMs);
  }
  throw new DatabaseProblem(
    'The database URL must begin with sqlite: or postgres://. Correct database_url or GATEHOUSE_DATABASE_URL.',
  );
}
