/** The worker thread of migration-thread.ts. The build makes it a file of its own. It opens its own handle on the database file. */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteDatabase } from '../engine/sqlite-database.ts';
import type { MigrationEnd, MigrationStart } from './migration-thread.ts';
import { migrate } from './migrator.ts';

/** Another process that migrates may take this long; then it is found done. */
const WAIT_MS = 600_000;

const { path } = workerData as MigrationStart;
let end: MigrationEnd = {};
try {
  const database = await SqliteDatabase.open(path, WAIT_MS, Infinity);
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
} catch (error) {
  end = { failure: error instanceof Error ? error.message : String(error) };
}
parentPort?.postMessage(end);
