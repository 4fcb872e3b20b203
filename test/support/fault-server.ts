/**
 * An HTTP API on loopback that does what it is told, including every wrong thing.
 *
 * Queue faults with `queue`; each takes one request. Without a fault it answers 200 and tells what it got.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

/** One misbehaviour. Members combine where that makes sense. */
export interface Fault {
  status?: number;
  headers?: Record<string, string | string[]>;
  json?: unknown;
  body?: string | Buffer;
  /** Answer once this has settled. */
  after?: Promise<unknown>;
  /** Answer after this long. */
  delayMs?: number;
  /** Never answer. */
  hang?: boolean;
  /** TCP RST instead of an answer. */
  reset?: boolean;
  /** Headers, then silence. */
  headersOnly?: boolean;
  /** The body in pieces of one byte, one every so many milliseconds. */
  dripMs?: number;
  /** Announce the whole body, send half, close. */
  truncate?: boolean;
  /** A body of this size, sent in chunks without an announced length. */
  hugeBytes?: number;
  /** A gzip body that unpacks to this size. */
  gzipBombBytes?: number;
  /** Repeat the request's headers in the body. */
  echo?: boolean;
  /** Bytes written to the socket instead of an answer; then it is closed. */
  raw?: string;
}

export interface RecordedRequest {
  method: string;
  /** Request target as sent. */
  target: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface FaultServer {
  /** `http://127.0.0.1:port` */
  origin: string;
  port: number;
  requests: RecordedRequest[];
  /** Connections accepted so far. */
  connections(): number;
  /** Resolves when a request's connection was closed before its answer was complete. */
  nextAbort(): Promise<void>;
  queue(...faults: Fault[]): void;
  /** Every request from now on, after the queue. */
  always(fault: Fault): void;
  reset(): void;
  close(): Promise<void>;
}

/** @param options.host another loopback address, e.g. 127.0.0.2 */
export async function startFaultServer(options: { host?: string } = {}): Promise<FaultServer> {
  const queued: Fault[] = [];
  const requests: RecordedRequest[] = [];
  let standing: Fault = {};
  let accepted = 0;
  let abortWaiters: (() => void)[] = [];

  const server = createServer((req, res) => {
    res.on('close', () => {
      if (res.writableFinished) return;
      for (const wake of abortWaiters.splice(0)) wake();
    });
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (chunk: string) => (body += chunk));
    req.on('end', () => {
      const recorded = { method: req.method ?? '', target: req.url ?? '', headers: req.headers, body };
      requests.push(recorded);
      const fault = queued.shift() ?? standing;
      void (fault.after ?? Promise.resolve()).then(() =>
        setTimeout(() => misbehave(fault, recorded, req, res), fault.delayMs ?? 0),
      );
    });
  });
  server.on('connection', () => accepted++);
  await new Promise<void>((resolve) => server.listen(0, options.host ?? '127.0.0.1', resolve));
  const { port, address } = server.address() as AddressInfo;

  return {
    origin: `http://${address}:${port}`,
    port,
    requests,
    connections: () => accepted,
    nextAbort: () => new Promise((resolve) => abortWaiters.push(resolve)),
    queue: (...faults) => void queued.push(...faults),
    always: (fault) => {
      standing = fault;
    },
    reset: () => {
      queued.length = 0;
      requests.length = 0;
      standing = {};
      abortWaiters = [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers as a fault says; its `delayMs` is the caller's. */
export function misbehave(
  fault: Fault,
  request: RecordedRequest,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const { socket } = req;
  if (fault.hang) return;
  if (fault.reset) return void socket.resetAndDestroy();
  if (fault.raw !== undefined) return void socket.end(fault.raw);
  const status = fault.status ?? 200;
  const content = contentOf(fault, request);
  const headers = { 'content-type': 'application/json', ...fault.headers };
  if (fault.headersOnly) {
    res.writeHead(status, headers);
    return res.flushHeaders();
  }
  if (fault.truncate) {
    res.writeHead(status, { ...headers, 'content-length': content.length });
    res.write(content.subarray(0, Math.floor(content.length / 2)), () => socket.end());
    return;
  }
  if (fault.hugeBytes !== undefined) {
    res.writeHead(status, headers);
    return writeForLong(res, fault.hugeBytes);
  }
  if (fault.gzipBombBytes !== undefined) {
    res.writeHead(status, { ...headers, 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(res);
    res.on('close', () => gzip.destroy());
    return writeForLong(gzip, fault.gzipBombBytes);
  }
  res.writeHead(status, headers);
  if (fault.dripMs === undefined) return void res.end(content);
  let sent = 0;
  const drip = setInterval(() => {
    res.write(content.subarray(sent, sent + 1));
    if (++sent >= content.length) {
      clearInterval(drip);
      res.end();
    }
  }, fault.dripMs);
  res.on('close', () => clearInterval(drip));
}

function contentOf(fault: Fault, request: RecordedRequest): Buffer {
  if (fault.body !== undefined) return Buffer.from(fault.body);
  if (fault.echo) return Buffer.from(JSON.stringify({ your_headers: request.headers }));
  return Buffer.from(
    JSON.stringify(fault.json ?? { ok: true, method: request.method, target: request.target }),
  );
}

/** Zeros in 64 kB chunks, as fast as the other side takes them. */
function writeForLong(sink: NodeJS.WritableStream & { destroyed?: boolean }, bytes: number): void {
  const chunk = Buffer.alloc(65_536, 0x30);
  let left = bytes;
  const more = (): void => {
    while (left > 0 && sink.destroyed !== true) {
      left -= chunk.length;
      if (!sink.write(chunk)) return void sink.once('drain', more);
    }
    if (sink.destroyed !== true) sink.end();
  };
  more();
}
