/**
 * Ends connections to Postgres that have gone silent. A partition, a stopped machine or a firewall that drops
 * a connection closes nothing, and the operating system retries for a quarter of an hour
 * (docs/decisions/0023-silent-database.md).
 *
 * A connection that is checked out carries only statements and their answers. If it carries no byte for the
 * limit, it is destroyed: its user gets ETIMEDOUT, and the pool has room for a new one. The outcome of the
 * statement is unknown. Knows no SQL; the pool limits the time to connect.
 */
import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/** Timeout of the first silent statement during shutdown. */
const STOPPING_MS = 3_000;

/** Timeout of every later statement, so that shutdown does not wait the full time again for each one. */
const STOPPING_AGAIN_MS = 500;

export class SocketTimeouts {
  readonly #usualMs: number;
  #limitMs: number;
  #isStopping = false;
  readonly #sockets = new Set<Socket>();
  readonly #checkedOut = new WeakSet<PoolClient>();

  /**
   * @param pool without any connection yet
   * @param limitMs longest silence of a connection that is checked out; 0 means no limit
   */
  constructor(pool: Pool, limitMs: number) {
    this.#usualMs = limitMs;
    this.#limitMs = limitMs;
    pool.on('connect', (client) => this.#watch(client));
    pool.on('acquire', (client) => this.#checkedOut.add(client));
    pool.on('release', (_error, client) => this.#checkedOut.delete(client));
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

  /**
   * Shortens the limit to 3 s, also for running statements, and to half a second once a statement has timed
   * out.
   */
  shortenTimeouts(): void {
    this.#isStopping = true;
    this.#limit(Math.min(this.#limitMs || STOPPING_MS, STOPPING_MS));
  }

  /**
   * Resolves when every connection is closed, after all were ended. A connection whose server does not
   * confirm the end is silent too, and times out.
   */
  async closed(): Promise<void> {
    const left = [...this.#sockets];
    await Promise.all(left.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  #limit(ms: number): void {
    this.#limitMs = ms;
    for (const socket of this.#sockets) socket.setTimeout(ms);
  }

  #watch(client: PoolClient): void {
    // With TLS, this is the encrypted socket.
    const socket = client.connection.stream as Socket;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('timeout', () => {
      const before = traffic(socket);
      // If this process was blocked, an answer may be waiting; it is read first.
      setImmediate(() => {
        if (traffic(socket) === before && !socket.destroyed) this.#end(client, socket);
      });
    });
    socket.setTimeout(this.#limitMs);
  }

  #end(client: PoolClient, socket: Socket): void {
    // A connection that is not checked out is idle, or was ended without an answer from its server.
    if (!this.#checkedOut.has(client)) {
      socket.destroy();
      return;
    }
    socket.destroy(noAnswer(this.#limitMs));
    if (this.#isStopping) this.#limit(Math.min(this.#limitMs, STOPPING_AGAIN_MS));
  }
}

function traffic({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}

function noAnswer(ms: number): Error {
  const error = new Error(`no answer for ${ms / 1_000} s, so that the connection was closed`);
  return Object.assign(error, { code: 'ETIMEDOUT' });
}
