/** Checks of a request's path, Host and size in the listener. Plain functions over node's request. */
import type { IncomingMessage } from 'node:http';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { tooLarge } from './json-body.ts';
import type { InboundLimits } from './limits.ts';

/** `.` and `..` in any encoding, and the backslash that URL parsers read as a slash. */
const DETOUR = /\/(\.|%2e){1,2}(\/|$)|\\/i;

/**
 * The path of a request, without query and not decoded.
 *
 * Refuses dot segments and backslashes: a later parser would resolve them to another path than routing.
 *
 * @throws ServiceError INVALID_ARGUMENT for such a path, and for a target that is no path (`*`, an absolute URL)
 */
export function requestPath(request: IncomingMessage): string {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (path.startsWith('/') && !DETOUR.test(path)) return path;
  throw invalidField(
    'path',
    'Ask for a path that begins with a slash and has no "." or ".." in it.',
    'format',
  );
}

/** The Host header; two are refused, because proxies and servers disagree on which one counts. */
export function onlyHost(request: IncomingMessage): string | undefined {
  const { rawHeaders } = request;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) throw new ServiceError('WRONG_HOST', 'A request has one Host header.');
  return request.headers.host;
}

/** @throws ServiceError TOO_LARGE (431) */
export function requireFewHeaders(request: IncomingMessage, limits: InboundLimits): void {
  if (request.rawHeaders.length > limits.maxHeaders * 2) {
    throw new ServiceError('TOO_LARGE', `A request has at most ${limits.maxHeaders} headers.`, {
      status: 431,
    });
  }
}

/**
 * Checks the announced length. A body of unknown length is measured when it is read.
 *
 * @throws ServiceError TOO_LARGE
 */
export function requireSmallBody(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}
