/** Connections of a server and the requests on them, so that a stopping server only waits for running requests. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Tracks the connections of a server from the first one on. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  /** Unfinished answers. */
  readonly #answers = new Set<ServerResponse>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (_request, response) => {
      this.#answers.add(response);
      response.once('close', () => this.#answers.delete(response));
    });
  }

  /** Tells clients of running requests that their connection closes after the answer. */
  announceEnd(): void {
    for (const response of this.#answers)
      if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Closes connections without a complete request: nothing has been done for them yet. */
  closeUnused(): void {
    const used = new Set([...this.#answers].map(({ socket }) => socket));
    for (const socket of this.#sockets) if (!used.has(socket)) socket.destroy();
  }
}
