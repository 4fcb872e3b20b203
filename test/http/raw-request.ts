/** Bytes on a socket: what an HTTP client library would never send. */
import { connect, type Socket } from 'node:net';

/** Sends bytes and resolves with everything received until the peer closes the connection. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const received = untilClosed(socket);
  socket.write(bytes);
  return received;
}

/** Everything received until the connection is closed, by whom ever; an error counts as the end. */
export function untilClosed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      received += `<${error.code}>`;
    });
    socket.on('close', () => resolve(received));
  });
}

/** Status and JSON body of the one answer in `received`. */
export function parsed(received: string): { status: number; headers: string; body: unknown } {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), headers: head.toLowerCase(), body: JSON.parse(body || 'null') };
}
