/**
 * Tells whether anybody has written to an SQLite database, without asking SQLite: a system call instead of a read
 * transaction, which takes as long as reading an account.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';

/**
 * Header of the WAL index: a counter of transactions, the length of the log, and checksums over all of it. The file's
 * first 8 bytes never change.
 *
 * @see https://www.sqlite.org/walformat.html#the_wal_index_file_format
 */
const HEADER = { start: 8, length: 40 };

/** Two counts of frames, each of 4 bytes in the machine's order: those of the log, and those the file has already. */
const FRAMES = { inLog: 16, inFile: 96 };

interface Opened {
  file: number;
  users: number;
}

/**
 * By path. To close any handle of a file releases every lock that the process holds on it (POSIX), SQLite's too: so all
 * connections of a process to one database share the handle, and the last one closes it.
 */
const OPENED = new Map<string, Opened>();

export class WalIndex {
  readonly #path: string;
  readonly #opened: Opened;
  readonly #header = Buffer.alloc(HEADER.length);
  #isOpen = true;

  /** @param database path of a database in WAL mode that was read and is open: then the file exists */
  constructor(database: string) {
    this.#path = `${realpathSync(database)}-shm`;
    this.#opened = OPENED.get(this.#path) ?? { file: openSync(this.#path, 'r'), users: 0 };
    this.#opened.users += 1;
    OPENED.set(this.#path, this.#opened);
  }

  /** Differs from all before it as soon as a commit of any process is there to be read. */
  version(): string {
    readSync(this.#opened.file, this.#header, 0, HEADER.length, HEADER.start);
    return this.#header.toString('latin1');
  }

  /** Pages of the log that a checkpoint would carry into the file. */
  pagesToCarry(): number {
    return Math.max(this.#count(FRAMES.inLog) - this.#count(FRAMES.inFile), 0);
  }

  #count(position: number): number {
    const count = new Uint32Array(1);
    readSync(this.#opened.file, count, 0, count.byteLength, position);
    return count[0] ?? 0;
  }

  /** To be called after the connection to the database is closed. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#opened.users -= 1;
    if (this.#opened.users > 0) return;
    OPENED.delete(this.#path);
    closeSync(this.#opened.file);
  }
}
