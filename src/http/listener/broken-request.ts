/** Answers input that never becomes a request: broken syntax, too many header bytes, too slow, CONNECT. */
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, ServiceError, type FieldViolation } from '../../core/errors.ts';
import { STATUS_CODES } from './node-http.ts';

interface Reason {
  status: number;
  violation: FieldViolation;
}

const REASONS: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: reason(431, 'headers', 'The headers of this request are too large.', 'max_length'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: reason(
    413,
    '',
    'The chunk extensions of this request are too large.',
    'max_length',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: reason(408, '', 'The request was not complete in time.', 'incomplete'),
};

const BROKEN = reason(400, '', 'This is not a valid HTTP/1.1 request.', 'format');
const CONNECT = reason(405, 'method', 'This server is not a proxy.', 'enum');

/** Sends an error in the usual form before it closes the connection. */
export function answerBrokenRequests(server: Server): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    answering.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket);
    const isMidAnswer = response !== undefined && response.headersSent && !response.writableFinished;
    if (!socket.writable || isMidAnswer || error.code === 'ECONNRESET') socket.destroy();
    else socket.end(rawAnswer(REASONS[error.code ?? ''] ?? BROKEN));
  });
  server.on('connect', (_request, socket) => {
    socket.end(rawAnswer(CONNECT));
  });
}

function reason(status: number, field: string, description: string, constraint: string): Reason {
  return { status, violation: { field, description, constraint } };
}

function rawAnswer({ status, violation }: Reason): string {
  const error = new ServiceError('INVALID_ARGUMENT', violation.description, {
    status,
    details: { field_violations: [violation] },
  });
  const body = JSON.stringify(errorBody(error));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=UTF-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
