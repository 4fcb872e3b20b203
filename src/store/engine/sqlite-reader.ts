/**
 * Reads of an SQLite file in a worker thread, so that a long one does not stop the event loop.
 *
 * The thread starts with the first read, runs one statement after the other, and ends when it has nothing to do:
 * most processes read a list now and then, or never.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { siblingFile } from './sibling-file.ts';
import type { SqliteResult, SqliteStatement } from './sqlite-statements.ts';
import type { WorkerAnswer, WorkerRequest, WorkerStart } from './sqlite-worker.ts';

/** A thread without work ends after this time: with its cache it may take 30 MB. */
const IDLE_MS = 60_000;

export class SqliteReader {
  readonly #start: WorkerStart;
  #thread: ReaderThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(start: WorkerStart) {
    this.#start = start;
  }

  /** @throws Error with the code of SQLite if the file cannot be read */
  async run(statement: SqliteStatement): Promise<SqliteResult> {
    if (this.#isClosed) throw new Error('The database connection is not open.');
    clearTimeout(this.#idle);
    if (this.#thread === undefined || this.#thread.hasEnded) this.#thread = new ReaderThread(this.#start);
    const thread = this.#thread;
    try {
      return await thread.run(statement);
    } finally {
      if (thread === this.#thread && !thread.isBusy) this.#endLater();
    }
  }

  /** Ends the thread after it has run all given statements. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await this.#ended;
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    if (this.#thread !== undefined) this.#ended = Promise.all([this.#ended, this.#thread.end()]);
    this.#thread = undefined;
  }
}

type Waiting = ReturnType<typeof Promise.withResolvers<SqliteResult>>;

class ReaderThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: unknown;
  #hasEnded = false;

  constructor(start: WorkerStart) {
    this.#worker = new Worker(siblingFile(import.meta.url, 'sqlite-worker'), { workerData: start });
    this.#worker.on('message', (answer: WorkerAnswer) => this.#settle(answer));
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      const cause = this.#failure;
      for (const { reject } of this.#waiting.values())
        reject(cause ?? new Error('The thread that reads the database has ended.'));
      this.#waiting.clear();
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  async run({ sql, parameters }: SqliteStatement): Promise<SqliteResult> {
    const id = (this.#lastId += 1);
    const answer: Waiting = Promise.withResolvers();
    this.#waiting.set(id, answer);
    // The thread keeps the process alive only while somebody waits for an answer.
    this.#worker.ref();
    this.#worker.postMessage({ id, sql, parameters } satisfies WorkerRequest);
    try {
      return await answer.promise;
    } finally {
      if (!this.isBusy) this.#worker.unref();
    }
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage(null satisfies WorkerRequest);
    this.#worker.ref();
    await ended;
  }

  #settle(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(Object.assign(new Error(answer.failure.message), { code: answer.failure.code }));
  }
}
