/**
 * `/proxy/<provider-relative path>`: the caller's own request to an account's provider (docs/contract.md#proxy).
 *
 * Reads node's request directly: a framework would resolve and decode the path before it is checked.
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
import { callOfHeaders, inTermsOfHeaders } from './account-headers.ts';
import { HeldBytes, type HeldShare } from './held-bytes.ts';

const PREFIX = '/proxy';

/** Set on every answer of the provider, to distinguish it from our own. */
const EXECUTION_HEADER = 'gatehouse-execution-id';

/** Keeps browsers from running the provider's content under our origin, and from caching it. */
const OWN_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

export interface ProxyParts {
  executor: Pick<Executor, 'proxy'>;
  /** The caller that a token stands for. @throws ServiceError UNAUTHENTICATED */
  authenticate: (token: string, context: RequestContext) => Promise<Caller>;
  maxBodyBytes: number;
  /** Largest total of the bodies of all requests in progress. */
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
      context.actor = known.actor;
      requireScope(known, 'tools:execute');
      const caller = inOrganization(known, organizationHeader(request), 'write');
      const named = callOfHeaders(request);
      const idempotencyKey = idempotencyHeader(request);
      const share = held.share();
      const { signal, end } = untilPeerLeaves(response);
      try {
        const body = await readBody(request, maxBodyBytes, share);
        requireNoBody(method, body);
        context.isCall = true;
        const answer = await executor.proxy({
          caller,
          ...named,
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

/** Path and query exactly as in the request line. */
function targetOf(url: string): { path: string; query: string } {
  const target = url.slice(PREFIX.length);
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

/** Node joins repeated headers into one value, which no id matches. */
function organizationHeader({ headers }: IncomingMessage): string | undefined {
  const value = headers[ORGANIZATION_HEADER];
  return value === undefined ? undefined : String(value);
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Returns `undefined` if there is no body. @throws ServiceError TOO_LARGE, INVALID_ARGUMENT, UNAVAILABLE */
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

/** Refuses a body with GET and HEAD, because servers disagree on its meaning. */
function requireNoBody(method: ProxyMethod, body: Buffer | undefined): void {
  if (body === undefined || (method !== 'GET' && method !== 'HEAD')) return;
  throw invalidField('', `A ${method} request has no body. Leave it out.`, 'forbidden');
}

/** Cancels the provider's call when the client disconnects. */
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
