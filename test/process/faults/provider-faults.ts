/** What a provider can do wrong once it has a request, by name: bytes on its socket, or none. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** @param request head and body as they came. @param nth which request for this fault and method it is, from 1 */
type ProviderFault = (socket: Socket, request: string, nth: number) => void;

const JSON_TYPE = 'content-type: application/json';

/** A complete answer. */
function answer(status: string, headers: readonly string[], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${bytes.length}`, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

const OK = answer('200 OK', [JSON_TYPE], '{"ok":true}');

const says =
  (bytes: string | Buffer): ProviderFault =>
  (socket) =>
    void socket.write(bytes);

const saysAndCloses =
  (bytes: string | Buffer): ProviderFault =>
  (socket) =>
    void socket.end(bytes);

/** The head at once, one more byte of the body every 50 ms. */
const drip: ProviderFault = (socket) => {
  socket.write(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: 100000\r\n\r\n`);
  const timer = setInterval(() => socket.write('1'), 50);
  socket.once('close', () => clearInterval(timer));
};

const dripHead: ProviderFault = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write('x-a: b\r\n'), 50);
  socket.once('close', () => clearInterval(timer));
};

/** Interim answers as fast as they are taken, and never the real one. */
const interimFlood: ProviderFault = (socket) => {
  pour(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000)), Infinity);
};

/** Zeros until there are enough of them. @param announced content-length: of all of them */
const huge =
  (bytes: number, announced: boolean): ProviderFault =>
  (socket) => {
    const length = announced ? `content-length: ${bytes}` : 'connection: close';
    socket.write(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\n${length}\r\n\r\n`);
    pour(socket, Buffer.alloc(65_536, 0x30), bytes / 65_536);
  };

function pour(socket: Socket, piece: Buffer, times: number): void {
  let left = times;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(piece)) return void socket.once('drain', more);
    }
    if (!socket.destroyed) socket.end();
  };
  more();
}

const MEMBER = gzipSync(Buffer.alloc(1_000_000, 0x30));

/** 1 MB on the wire, 1 GB unpacked: a gzip file may have many members. */
const BOMB = answer(
  '200 OK',
  [JSON_TYPE, 'content-encoding: gzip'],
  Buffer.concat(Array.from({ length: 1_000 }, () => MEMBER)),
);

/** The credential of the request, in every place of an answer. */
const echo =
  (status: string): ProviderFault =>
  (socket, request) => {
    const key = /x-api-key: (\S+)/i.exec(request)?.[1] ?? '';
    const base64 = Buffer.from(`user:${key}`).toString('base64');
    const body = JSON.stringify({ error: { message: `no ${key}`, code: key }, [key]: [key, base64] });
    socket.write(answer(status, [JSON_TYPE, `x-you-sent: ${key}`], body));
  };

const chunked = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n`;

export const PROVIDER_FAULTS: Readonly<Record<string, ProviderFault>> = {
  fine: says(OK),
  hang: () => {},
  drip,
  drip_head: dripHead,
  interim_flood: interimFlood,
  headers_only: says(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: 20\r\n\r\n`),
  reset: (socket) => void socket.resetAndDestroy(),
  close: (socket) => void socket.end(),
  reset_in_head: (socket) => void socket.write('HTTP/1.1 200 OK\r\nco', () => socket.resetAndDestroy()),
  reset_in_body: (socket) =>
    void socket.write(OK.subarray(0, OK.length - 4), () => setTimeout(() => socket.resetAndDestroy(), 50)),
  truncated: saysAndCloses(OK.subarray(0, OK.length - 4)),
  truncated_chunk: saysAndCloses(`${chunked}b\r\n{"ok"`),
  no_last_chunk: saysAndCloses(`${chunked}b\r\n{"ok":true}\r\n`),
  chunked_garbage: says(`${chunked}zz\r\n{"ok":true}\r\n0\r\n\r\n`),
  garbage: saysAndCloses(Buffer.from('\u0000\u0001\u00ff what is this\r\n\r\n', 'latin1')),
  two_lengths: saysAndCloses(
    `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: 11\r\ncontent-length: 4\r\n\r\n{"ok":true}`,
  ),
  length_and_chunks: saysAndCloses(
    `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\nb\r\n{"ok":true}\r\n0\r\n\r\n`,
  ),
  length_too_long: saysAndCloses(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: 99\r\n\r\n{"ok":true}`),
  length_too_short: saysAndCloses(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: 5\r\n\r\n{"ok":true}`),
  length_nonsense: saysAndCloses(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ncontent-length: -1\r\n\r\n{"ok":true}`),
  huge_headers: says(
    answer('200 OK', [JSON_TYPE, ...Array.from({ length: 1_000 }, (_, n) => `x-${n}: ${'x'.repeat(500)}`)]),
  ),
  huge_body: huge(500_000_000, false),
  huge_body_announced: huge(500_000_000, true),
  bomb: says(BOMB),
  damaged_gzip: says(answer('200 OK', [JSON_TYPE, 'content-encoding: gzip'], 'not gzip')),
  unknown_coding: says(answer('200 OK', [JSON_TYPE, 'content-encoding: lzma'], '{"ok":true}')),
  html: says(answer('200 OK', ['content-type: text/html'], '<html>welcome to the wifi</html>')),
  half_json: says(answer('200 OK', [JSON_TYPE], '{"ok":')),
  nul_bytes: says(answer('200 OK', [JSON_TYPE], '{"ok":"\u0000"}')),
  invalid_utf8: says(
    answer(
      '200 OK',
      [JSON_TYPE],
      Buffer.concat([Buffer.from('{"ok":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ),
  ),
  endless_nesting: says(answer('200 OK', [JSON_TYPE], '['.repeat(1_000_000))),
  redirect: says(answer('302 Found', ['location: http://127.0.0.2:1/stolen'])),
  redirect_kept: says(answer('307 Temporary Redirect', ['location: /fine'])),
  upgrade: saysAndCloses(
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello',
  ),
  early_401: says(answer('401 Unauthorized', [JSON_TYPE], '{"error":{"code":"expired"}}')),
  server_error: says(answer('500 Internal Server Error', [JSON_TYPE], '{}')),
  gateway_error: says(answer('502 Bad Gateway', ['content-type: text/html'], '<html>nginx</html>')),
  unavailable: says(answer('503 Service Unavailable', [JSON_TYPE, 'retry-after: 0'], '{}')),
  come_back_tomorrow: says(answer('503 Service Unavailable', [JSON_TYPE, 'retry-after: 86400'], '{}')),
  too_many: says(answer('429 Too Many Requests', [JSON_TYPE, 'retry-after: 0'], '{}')),
  nonsense_status: saysAndCloses('HTTP/1.1 999 Whatever\r\ncontent-length: 0\r\n\r\n'),
  echo_refused: echo('400 Bad Request'),
  // Answers that are odd, and answers all the same.
  echo: echo('200 OK'),
  old_http: saysAndCloses('HTTP/1.0 200 OK\r\n\r\n{"ok":true}'),
  until_close: saysAndCloses(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\n\r\n{"ok":true}`),
  no_content_with_body: saysAndCloses('HTTP/1.1 204 No Content\r\ncontent-length: 11\r\n\r\n{"ok":true}'),
  interim_then_fine: says(
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20)), OK]),
  ),
  wrong_type: says(answer('200 OK', ['content-type: image/png'], '{"ok":true}')),
  answers_twice: says(Buffer.concat([OK, OK])),
  reset_then_fine: (socket, _request, nth) => void (nth === 1 ? socket.resetAndDestroy() : socket.write(OK)),
};
