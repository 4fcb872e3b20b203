/**
 * Turns an error into the bytes of an answer (docs/contract.md#8-errors). The only file here that does.
 *
 * A ServiceError is shown as it is. Anything else is a bug: it is logged, and the caller only gets the trace id to ask
 * about.
 */
import type { ServerResponse } from 'node:http';
import { errorBody, ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** A finished answer, for Hono, for node's response and for a bare socket. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The parts of a request that shape its error answer. */
export interface FailedRequest {
  /** The Authorization header as sent: a token that was sent but refused is `invalid_token`. */
  authorization?: string | undefined;
  /** URL of the protected-resource metadata; only on MCP addresses (RFC 9728 section 5.1). */
  resourceMetadata?: string | undefined;
  /** Scope that every call of the route needs, for clients that request a token. */
  scope?: string | undefined;
  traceId?: string | undefined;
  /** Route pattern, for the log. */
  route?: string | undefined;
  /** The client disconnected before the answer: a later failure is no bug, and nobody reads the answer. */
  isPeerGone?: boolean;
  /** `oauth`: `{error, error_description}`, which OAuth clients read (RFC 6749 section 5.2). */
  errorForm?: 'oauth' | undefined;
}

const HEADERS = {
  'content-type': 'application/json; charset=UTF-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** `true` on an answer replayed for the same idempotency key. */
export const REPLAY_HEADER = 'idempotency-replayed';

/** The answer to a failed request. Logs unexpected errors and the reason when something is unavailable. */
export function errorAnswer(error: unknown, request: FailedRequest, log: Log): ErrorAnswer {
  const where = {
    ...(request.route !== undefined && { route: request.route }),
    ...(request.traceId !== undefined && { trace_id: request.traceId }),
  };
  if (!(error instanceof ServiceError)) {
    log[request.isPeerGone === true ? 'debug' : 'error']('request_failed', { err: error, ...where });
    return { status: 500, headers: { ...HEADERS }, body: JSON.stringify(defectBody(request.traceId)) };
  }
  if (error.code === 'UNAVAILABLE' && error.cause !== undefined)
    log.warn('unavailable', { err: error, ...where });
  const headers: Record<string, string> = { ...HEADERS };
  const challenge = challengeOf(error, request);
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  if (error.status === 429 || error.status === 503 || error.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1)));
  }
  if (error.isReplay) headers[REPLAY_HEADER] = 'true';
  const body = request.errorForm === 'oauth' ? oauthBody(error) : errorBody(error);
  return { status: error.status, headers, body: JSON.stringify(body) };
}

/** A 405 in the usual error form; `allowed` are the methods of the path, in upper case. */
export function methodNotAllowedAnswer(allowed: readonly string[]): ErrorAnswer {
  const list = allowed.join(', ');
  const message = `This path answers ${list} only.`;
  const error = new ServiceError('INVALID_ARGUMENT', message, {
    status: 405,
    details: { field_violations: [{ field: 'method', description: message, constraint: 'enum' }] },
  });
  return { status: 405, headers: { ...HEADERS, allow: list }, body: JSON.stringify(errorBody(error)) };
}

/** An answer as a web Response. */
export function toResponse(answer: ErrorAnswer): Response {
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
}

/** Sends an answer on node's response; closes the connection if part of another answer was already sent. */
export function sendAnswer(response: ServerResponse, answer: ErrorAnswer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

/** `WWW-Authenticate` if a token, or one with another scope, would help (RFC 6750 section 3). */
function challengeOf(error: ServiceError, request: FailedRequest): string | undefined {
  const { required_scope: missing } = error.details;
  const isScopeMissing = error.code === 'PERMISSION_DENIED' && typeof missing === 'string';
  if (error.status !== 401 && !isScopeMissing) return undefined;
  const invalid = request.authorization === undefined ? undefined : 'invalid_token';
  const parameters = Object.entries({
    error: isScopeMissing ? 'insufficient_scope' : invalid,
    resource_metadata: request.resourceMetadata,
    scope: isScopeMissing ? together(request.scope ?? missing, missing) : request.scope,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`;
}

/**
 * Both texts of scopes, joined. A client requests exactly the scopes that an error names, so the scope that every
 * call of a route needs must be among them.
 */
function together(always: string, missing: string): string {
  return always === missing ? missing : `${always} ${missing}`;
}

function oauthBody(error: ServiceError): { error: string; error_description: string } {
  const code = error.code === 'UNAVAILABLE' ? 'temporarily_unavailable' : 'invalid_request';
  return { error: code, error_description: error.message };
}

function defectBody(traceId: string | undefined): { code: number; message: string } {
  const where =
    traceId === undefined ? 'The log says more.' : `The log says more under the trace id ${traceId}.`;
  return { code: 13, message: `Something went wrong on our side. Trying again may help. ${where}` };
}
