/**
 * Ends connections to Postgres that have gone silent. A partition, a stopped machine or a firewall that forgets a
 * connection closes nothing, and the operating system goes on trying for a quarter of an hour
 * (docs/decisions/0023-silent-database.md).
 *
 * Over a connection that is lent out only statements and their answers go. Where no byte has come or gone for the limit,
 * it is destroyed: whoever waits gets ETIMEDOUT, and the pool has room for a new one. What became of the statement is
 * not known. Knows no SQL; making a connection has a limit of its own in the pool.
 */
import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/** In a process that ends, the first silent statement is waited for so long … */
const HURRIED_MS = 3_000;

/** … and those after it so long: a silent database must not cost the first time for each thing that is put away last. */
const HURRIED_AGAIN_MS = 500;

export class SocketTimeouts {
  readonly #usualMs: number;
  #limitMs: number;
  #isHurried = false;
  readonly #sockets = new Set<Socket>();
  readonly #lent = new WeakSet<PoolClient>();

  /**
   * @param pool before its first connection
   * @param limitMs longest silence of a connection that is lent out; 0: no limit
   */
  constructor(pool: Pool, limitMs: number) {
    this.#usualMs = limitMs;
    this.#limitMs = limitMs;
    pool.on('connect', (client) => this.#watch(client));
    pool.on('acquire', (client) => this.#lent.add(client));
    pool.on('release', (_error, client) => this.#lent.delete(client));
  }

  /** Runs `work` without a limit, for every connection of the pool. */
  async lifted<T>(work: () => Promise<T>): Promise<T> {
    this.#limit(0);
    try {
      return await work();
    } finally {
      this.#limit(this.#usualMs);
    }
  }

  /** From now on, for what is under way too: 3 s, and half a second once a statement was not answered in them. */
  hurry(): void {
    this.#isHurried = true;
    this.#limit(Math.min(this.#limitMs || HURRIED_MS, HURRIED_MS));
  }

  /** Resolves when every connection is closed, after all were ended. One whose server does not answer that is silent too. */
  async closed(): Promise<void> {
    const left = [...this.#sockets];
    await Promise.all(left.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  #limit(ms: number): void {
    this.#limitMs = ms;
    for (const socket of this.#sockets) socket.setTimeout(ms);
  }

  #watch(client: PoolClient): void {
    // With TLS, the encrypted one.
    const socket = client.connection.stream as Socket;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('timeout', () => {
      const before = traffic(socket);
      // Where this process stood still, an answer may be there and is read first.
      setImmediate(() => {
        if (traffic(socket) === before && !socket.destroyed) this.#end(client, socket);
      });
    });
    socket.setTimeout(this.#limitMs);
  }

  #end(client: PoolClient, socket: Socket): void {
    // One that is not lent out is idle, or was ended and its server does not answer that.
    if (!this.#lent.has(client)) {
      socket.destroy();
      return;
    }
    socket.destroy(noAnswer(this.#limitMs));
    if (this.#isHurried) this.#limit(Math.min(this.#limitMs, HURRIED_AGAIN_MS));
  }
}

function traffic({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}

function noAnswer(ms: number): Error {
  const error = new Error(`no answer for ${ms / 1_000} s, so that the connection was closed`);
  return Object.assign(error, { code: 'ETIMEDOUT' });
}
