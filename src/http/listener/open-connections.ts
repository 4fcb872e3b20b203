/** Connections of a server and the requests on them, so that a stopping server only waits for running requests. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Tracks the connections of a server from the first one on. */
export class OpenConnections {
  /** With their unfinished answers. A list is emptied where a `Set` would keep each answer for a while (core/in-flight.ts). */
  readonly #answers = new Map<Socket, ServerResponse[]>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#answers.set(socket, []);
      socket.once('close', () => this.#answers.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      const answers = this.#answers.get(socket);
      answers?.push(response);
      response.once('close', () => answers?.splice(answers.indexOf(response), 1));
    });
  }

  /** Tells clients of running requests that their connection closes after the answer. */
  announceEnd(): void {
    for (const response of [...this.#answers.values()].flat())
      if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Closes connections without a complete request: nothing has been done for them yet. */
  closeUnused(): void {
    for (const [socket, answers] of this.#answers) if (answers.length === 0) socket.destroy();
  }
}
