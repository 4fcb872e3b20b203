/**
 * A listener that passes everything on to the real server and adds an access token: the suite sends none.
 *
 * It checks nothing itself. Host and Origin go on as they came, except that its own address becomes the
 * server's: what the suite tests is the server's own guard.
 */
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @returns the address to test, and how to stop */
export async function startForwarder(
  target: string,
  headers: Record<string, string>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const upstream = new URL(target);
  const server = createServer((request, response) => {
    const own = (server.address() as AddressInfo).port;
    const translate = (value: string | undefined): string | undefined =>
      value?.replace(new RegExp(`(localhost|127\\.0\\.0\\.1|\\[::1\\]):${own}$`), upstream.host);
    pass(request, response, upstream, {
      ...request.headers,
      ...headers,
      host: translate(request.headers.host),
      ...(request.headers.origin !== undefined && { origin: translate(request.headers.origin) }),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${upstream.pathname}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: URL,
  headers: Record<string, string | string[] | undefined>,
): void {
  const onward = send(
    { host: upstream.hostname, port: upstream.port, path: request.url, method: request.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
