/**
 * Migrates a large SQLite file in a worker thread, so that the process answers meanwhile: an index over millions of rows
 * is one statement of several seconds.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../engine/database-errors.ts';
import { siblingFile } from '../engine/sibling-file.ts';

/** The message that starts the thread. */
export interface MigrationStart {
  path: string;
}

/** The result: without a failure, or with one in words. */
export interface MigrationEnd {
  failure?: string;
}

/** @throws DatabaseError if the file is as it was */
export async function migrateInThread(path: string): Promise<void> {
  const worker = new Worker(siblingFile(import.meta.url, 'migration-worker'), {
    workerData: { path } satisfies MigrationStart,
  });
  let end: MigrationEnd = { failure: 'The thread that does it has ended.' };
  worker.on('message', (message: MigrationEnd) => {
    end = message;
  });
  await once(worker, 'exit');
  const { failure } = end;
  if (failure !== undefined)
    throw new DatabaseError(`The tables of ${path} cannot be brought up to date. ${failure}`);
}
