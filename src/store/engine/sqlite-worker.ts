/**
 * The worker thread of sqlite-reader.ts: runs statements on a connection that cannot write, and checkpoints.
 *
 * It is a file of its own in the build, and loads nothing but the driver: it starts while a caller waits.
 *
 * Its priority is that of the process. Both threads lock the message port and the WAL index: with a lower priority it
 * could lose the processor while it holds a lock, and the event loop would wait for it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteHandle from 'better-sqlite3';
import { codeOf } from '../../core/errors.ts';
import {
  CHECKPOINT,
  SqliteStatements,
  type SqliteResult,
  type SqliteStatement,
} from './sqlite-statements.ts';

/** The file, and SQLite's own wait for a lock. */
export interface WorkerStart {
  path: string;
  busyTimeoutMs: number;
}

/** A statement to run; `null` ends the worker. */
export type WorkerRequest = (SqliteStatement & { id: number }) | null;

/** The outcome of a statement. An error of SQLite keeps its code. */
export type WorkerAnswer =
  { id: number; result: SqliteResult } | { id: number; failure: { message: string; code: string } };

const { path, busyTimeoutMs } = workerData as WorkerStart;
let handle: SqliteHandle.Database | undefined;
let checkpointer: SqliteHandle.Database | undefined;
let statements: SqliteStatements | undefined;

parentPort?.on('message', (request: WorkerRequest) => {
  if (request === null) {
    handle?.close();
    checkpointer?.close();
    parentPort?.close();
  } else {
    parentPort?.postMessage(answerTo(request));
  }
});

function answerTo({ id, ...statement }: SqliteStatement & { id: number }): WorkerAnswer {
  try {
    if (statement.sql === CHECKPOINT) return { id, result: checkpoint() };
    handle ??= new SqliteHandle(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
    statements ??= new SqliteStatements(handle, 'read');
    return { id, result: statements.run(statement) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, failure: { message, code: codeOf(error) ?? '' } };
  }
}

function checkpoint(): SqliteResult {
  checkpointer ??= new SqliteHandle(path, { fileMustExist: true, timeout: busyTimeoutMs });
  return { rows: checkpointer.prepare(CHECKPOINT).all() };
}
