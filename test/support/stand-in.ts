/** A provider on loopback that keeps what it is sent and answers by a function. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface StandInRequest {
  method: string;
  path: string;
  /** Path and query as on the wire. */
  target: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
  /** The body read as a form. */
  form: URLSearchParams;
}

/** What it answers; `reset` breaks the connection instead. */
export type StandInReply =
  | { status?: number; json: unknown; headers?: Record<string, string> }
  | { status?: number; text: string; headers?: Record<string, string> }
  | 'reset';

export interface StandIn {
  /** `http://127.0.0.1:port` */
  origin: string;
  requests: StandInRequest[];
  /** Requests to one path, in order. */
  at(path: string): StandInRequest[];
  /** Replaces how it answers. */
  answer: (request: StandInRequest) => StandInReply | Promise<StandInReply>;
  close(): Promise<void>;
}

export async function startStandIn(answer: StandIn['answer']): Promise<StandIn> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
      const body = Buffer.concat(chunks).toString('utf8');
      const seen: StandInRequest = {
        method: request.method ?? '',
        path: pathname,
        target: request.url ?? '/',
        query: searchParams,
        headers: request.headers as Record<string, string | undefined>,
        body,
        form: new URLSearchParams(body),
      };
      standIn.requests.push(seen);
      void Promise.resolve(standIn.answer(seen)).then((reply) => {
        if (reply === 'reset') return request.socket.resetAndDestroy();
        const isText = 'text' in reply;
        response.writeHead(reply.status ?? 200, {
          'content-type': isText ? 'text/plain' : 'application/json',
          ...reply.headers,
        });
        return response.end(isText ? reply.text : JSON.stringify(reply.json));
      });
    });
  });
  // A connection that is closed while a request is on its way would fail a test on a busy machine.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: StandIn = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    at: (path) => standIn.requests.filter((request) => request.path === path),
    answer,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return standIn;
}
