/** The connections of a server and what runs on them, so that a server that stops waits for work and not for silence. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Watches a server from its first connection on. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  /** Answers that are not finished. */
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

  /** Tells the peers of running requests that their connection ends with the answer. */
  announceEnd(): void {
    for (const response of this.#answers)
      if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Closes what has said nothing yet, or only the beginning of a request: nothing of it was acted on. */
  closeUnused(): void {
    const used = new Set([...this.#answers].map(({ socket }) => socket));
    for (const socket of this.#sockets) if (!used.has(socket)) socket.destroy();
  }
}
