/** Requests as oidc-provider sees them: built here completely, so that no header of the caller influences it. */
import { ServerResponse, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Environment } from '../../core/environment.ts';

/** The parts of a request that reach the library. */
export interface LibraryRequest {
  method: 'GET' | 'POST';
  /** Path and query. */
  url: string;
  accept: 'application/json' | 'text/html';
  /** As sent: it includes the library's own signed cookies. */
  cookie?: string | undefined;
  authorization?: string | undefined;
  body?: { type: 'application/x-www-form-urlencoded' | 'application/json'; text: string } | undefined;
}

/** Uses the host and scheme of the configured base URL. */
export function libraryRequest({ baseUrl }: Environment, request: LibraryRequest): IncomingMessage {
  const body = Buffer.from(request.body?.text ?? '');
  const headers: Record<string, string> = { host: new URL(baseUrl).host, accept: request.accept };
  if (request.cookie !== undefined) headers['cookie'] = request.cookie;
  if (request.authorization !== undefined) headers['authorization'] = request.authorization;
  if (request.body !== undefined) {
    headers['content-type'] = request.body.type;
    headers['content-length'] = String(body.length);
  }
  return Object.assign(Readable.from(body.length === 0 ? [] : [body], { objectMode: false }), {
    method: request.method,
    url: request.url,
    httpVersion: '1.1',
    headers,
    socket: { encrypted: baseUrl.startsWith('https:') },
  }) as unknown as IncomingMessage;
}

/** A response that is never sent, for calls of the library that only read cookies. */
export function unsentResponse(request: IncomingMessage): ServerResponse {
  return new ServerResponse(request);
}
