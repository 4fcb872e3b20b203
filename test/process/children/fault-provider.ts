/**
 * A provider in a process of its own that goes wrong as the path of a request says: `/hang`, `/reset`, … It counts what
 * it got, and tells the counts at `/counts` of a second port.
 *
 * Says its ports in one line: `{"http", "cutting", "babbling", "untrusted", "counts"}`.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { PROVIDER_FAULTS } from '../faults/provider-faults.ts';

const SUPPORT = new URL('../../support/', import.meta.url);

/** Requests by `METHOD /fault`. */
const counts: Record<string, number> = {};

/** One request per piece of text up to the end of its head and body; answers are bytes. */
function serve(socket: Socket): void {
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (let end = endOf(text); end !== undefined; end = endOf(text)) {
      const request = text.slice(0, end);
      text = text.slice(end);
      const [method = '', target = ''] = request.split(' ');
      const name = target.slice(1).split('?')[0] ?? '';
      counts[`${method} ${target}`] = (counts[`${method} ${target}`] ?? 0) + 1;
      PROVIDER_FAULTS[name]?.(socket, request, counts[`${method} ${target}`] ?? 1);
    }
  });
}

/** Where the first request of a text ends; undefined while it is incomplete. */
function endOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return text.length < end ? undefined : end;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const http = createServer(serve);
const cutting = createServer((socket) => socket.resetAndDestroy());
const babbling = createServer((socket) => {
  socket.on('error', () => {});
  socket.end('220 mail.example ESMTP\r\n');
});
const untrusted = createTlsServer({
  key: readFileSync(new URL('localhost-key.pem', SUPPORT)),
  cert: readFileSync(new URL('localhost-cert.pem', SUPPORT)),
}).on('secureConnection', serve);
const counter = createHttpServer((_request, response) => response.end(JSON.stringify(counts)));

const ports = {
  http: await listen(http),
  cutting: await listen(cutting),
  babbling: await listen(babbling),
  untrusted: await listen(untrusted),
  counts: await listen(counter),
};
writeSync(1, `${JSON.stringify(ports)}\n`);
