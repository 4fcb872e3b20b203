/**
 * `/proxy/<provider-relative path>`: a request of the caller's own to the provider of an account (specification 4.10,
 * contract section 7).
 *
 * Reads node's request itself: a framework would resolve and decode the path before anybody could look at it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireScope, type Caller } from '../../core/caller.ts';
import { invalidField } from '../../core/errors.ts';
import { JoinedBytes } from '../../core/joined-bytes.ts';
import type { Executor } from '../../executor/executor.ts';
import { PROXY_METHODS, type ProxyAnswer, type ProxyMethod } from '../../executor/proxy.ts';
import { bearerToken } from '../bearer.ts';
import { methodNotAllowedAnswer, sendAnswer } from '../error-response.ts';
import { tooLarge } from '../json-body.ts';
import type { NodeRoute, RequestContext } from '../request-context.ts';
import { accountOfHeaders, inTermsOfHeaders } from './account-headers.ts';

const PREFIX = '/proxy';

/** On every answer that is the provider's, so that it is told from one of ours. */
const EXECUTION_HEADER = 'gatehouse-execution-id';

/** Whatever the provider sends, a browser shows and runs nothing of it in our name, and nobody keeps it. */
const OWN_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

export interface ProxyParts {
  executor: Pick<Executor, 'proxy'>;
  /** The caller a token stands for. @throws ServiceError UNAUTHENTICATED */
  authenticate: (token: string, context: RequestContext) => Promise<Caller>;
  maxBodyBytes: number;
}

export function proxyRoute({ executor, authenticate, maxBodyBytes }: ProxyParts): NodeRoute {
  return {
    name: PREFIX,
    maxBodyBytes,
    matches: (path) => path === PREFIX || path.startsWith(`${PREFIX}/`),
    handle: async (request, response, context) => {
      const method = PROXY_METHODS.find((known) => known === request.method);
      if (method === undefined) return sendAnswer(response, methodNotAllowedAnswer(PROXY_METHODS));
      const caller = await authenticate(bearerToken(request.headers.authorization), context);
      requireScope(caller, 'tools:execute');
      const account = accountOfHeaders(request);
      const body = await readBody(request, maxBodyBytes);
      requireNoBody(method, body);
      const { signal, end } = untilPeerLeaves(response);
      try {
        const answer = await executor.proxy({
          caller,
          account,
          method,
          ...targetOf(request.url ?? ''),
          headers: singleHeaders(request),
          ...(body !== undefined && { body }),
          signal,
          traceparent: context.trace.traceparent,
        });
        send(response, method, answer);
      } catch (error) {
        throw inTermsOfHeaders(error);
      } finally {
        end();
      }
    },
  };
}

/** As it stands in the request line. */
function targetOf(url: string): { path: string; query: string } {
  const target = url.slice(PREFIX.length);
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Undefined for no body. @throws ServiceError TOO_LARGE, INVALID_ARGUMENT */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const body = new JoinedBytes();
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      body.add(chunk);
    }
  } catch {
    throw invalidField('', 'The body ended before it was complete.', 'incomplete');
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  return size === 0 ? undefined : body.whole();
}

/** Servers disagree on what a body means there. */
function requireNoBody(method: ProxyMethod, body: Buffer | undefined): void {
  if (body === undefined || (method !== 'GET' && method !== 'HEAD')) return;
  throw invalidField('', `A ${method} request has no body. Leave it out.`, 'forbidden');
}

/** Ends the provider's call when nobody waits for its answer any more. */
function untilPeerLeaves(response: ServerResponse): { signal: AbortSignal; end: () => void } {
  const leaving = new AbortController();
  const onClose = (): void => leaving.abort();
  response.once('close', onClose);
  if (response.destroyed) leaving.abort();
  return { signal: leaving.signal, end: () => response.off('close', onClose) };
}

function send(response: ServerResponse, method: ProxyMethod, answer: ProxyAnswer): void {
  const { status, headers, body, executionId } = answer;
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  response.writeHead(status, {
    ...headers,
    ...OWN_HEADERS,
    [EXECUTION_HEADER]: executionId,
    ...(hasBody && { 'content-length': body.length }),
  });
  response.end(hasBody ? body : undefined);
}
