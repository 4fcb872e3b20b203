/**
 * `/proxy/<provider-relative path>`: a request of the caller's own to the provider of an account (docs/contract.md#proxy).
 *
 * Reads node's request itself: a framework would resolve and decode the path before anybody could look at it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inOrganization, ORGANIZATION_HEADER } from '../../accounts/account-finder.ts';
import { requireScope, type Caller } from '../../core/caller.ts';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { JoinedBytes } from '../../core/joined-bytes.ts';
import type { Executor } from '../../executor/executor.ts';
import { PROXY_METHODS, type ProxyAnswer, type ProxyMethod } from '../../executor/proxy/proxy.ts';
import { bearerToken } from '../api/bearer-header.ts';
import { methodNotAllowedAnswer, REPLAY_HEADER, sendAnswer } from '../listener/error-response.ts';
import { idempotencyHeader } from '../api/idempotency-header.ts';
import { tooLarge } from '../listener/json-body.ts';
import type { NodeRoute, RequestContext } from '../listener/request-context.ts';
import { accountOfHeaders, inTermsOfHeaders } from './account-headers.ts';
import { HeldBytes, type HeldShare } from './held-bytes.ts';

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
  /** Of the bodies of all requests at a time. */
  maxHeldBytes: number;
}

export function proxyRoute({ executor, authenticate, maxBodyBytes, maxHeldBytes }: ProxyParts): NodeRoute {
  const held = new HeldBytes(maxHeldBytes);
  return {
    name: PREFIX,
    maxBodyBytes,
    matches: (path) => path === PREFIX || path.startsWith(`${PREFIX}/`),
    handle: async (request, response, context) => {
      const method = PROXY_METHODS.find((known) => known === request.method);
      if (method === undefined) return sendAnswer(response, methodNotAllowedAnswer(PROXY_METHODS));
      const known = await authenticate(bearerToken(request.headers.authorization), context);
      requireScope(known, 'tools:execute');
      const caller = inOrganization(known, organizationHeader(request));
      const account = accountOfHeaders(request);
      const idempotencyKey = idempotencyHeader(request);
      const share = held.share();
      const { signal, end } = untilPeerLeaves(response);
      try {
        const body = await readBody(request, maxBodyBytes, share);
        requireNoBody(method, body);
        const answer = await executor.proxy({
          caller,
          account,
          method,
          ...targetOf(request.url ?? ''),
          headers: singleHeaders(request),
          ...(body !== undefined && { body }),
          signal,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
          traceparent: context.trace.traceparent,
        });
        send(response, method, answer);
      } catch (error) {
        throw inTermsOfHeaders(error);
      } finally {
        end();
        share.release();
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

/** Repeated ones come joined, which no id is. */
function organizationHeader({ headers }: IncomingMessage): string | undefined {
  const value = headers[ORGANIZATION_HEADER];
  return value === undefined ? undefined : String(value);
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Undefined for no body. @throws ServiceError TOO_LARGE, INVALID_ARGUMENT, UNAVAILABLE */
async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  share: HeldShare,
): Promise<Buffer | undefined> {
  const body = new JoinedBytes();
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      share.add(chunk.length);
      body.add(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
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
  const { status, headers, body, executionId, isReplay } = answer;
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  response.writeHead(status, {
    ...headers,
    ...OWN_HEADERS,
    [EXECUTION_HEADER]: executionId,
    ...(isReplay === true && { [REPLAY_HEADER]: 'true' }),
    ...(hasBody && { 'content-length': body.length }),
  });
  response.end(hasBody ? body : undefined);
}
