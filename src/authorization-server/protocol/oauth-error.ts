/**
 * Refusals of the OAuth endpoints: the error codes of the RFCs and how they are written to the wire.
 *
 * OAuth clients read `{error, error_description}`, not the error body of the REST API (docs/contract.md#token-requests).
 * Nothing secret may be put into a description.
 */
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** RFC 6749 section 5.2 and 4.1.2.1, RFC 8707 section 2, RFC 7591 section 3.2.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'access_denied'
  | 'temporarily_unavailable'
  | 'server_error';

/**
 * A refusal that reaches an OAuth client.
 *
 * `message`, `statusCode`, `expose`, `allow_redirect` and `error_description` are what oidc-provider reads from an
 * error, so that the same class serves inside and outside of it.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly statusCode: number;
  readonly expose = true;
  readonly allow_redirect = true;
  readonly error_description: string;
  readonly headers: Readonly<Record<string, string>>;

  /** @param description one or two sentences: what happened and how to proceed */
  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(code, { cause: options.cause });
    this.statusCode = options.status ?? 400;
    this.error_description = description;
    this.headers = options.headers ?? {};
  }
}

/** Any failure as an OAuth refusal: a policy's DENY is `access_denied`; an unexpected one is logged, `server_error`. */
export function toOAuthError(error: unknown, log: Log): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof ServiceError && error.code === 'UNAVAILABLE') {
    log.warn('oauth_unavailable', { err: error });
    return new OAuthError('temporarily_unavailable', error.message, {
      status: 503,
      headers: { 'retry-after': String(error.retryAfterSeconds ?? 1) },
      cause: error,
    });
  }
  if (error instanceof ServiceError && error.code === 'POLICY_DENIED')
    return new OAuthError('access_denied', error.message, { cause: error });
  log.error('oauth_failed', { err: error });
  return new OAuthError('server_error', 'Something went wrong here. Try again later.', {
    status: 500,
    cause: error,
  });
}

/** Writes a refusal, unless the response has already begun. */
export function sendOAuthError(res: ServerResponse, error: OAuthError): void {
  if (res.headersSent) {
    res.end();
    return;
  }
  const body = { error: error.message, error_description: error.error_description };
  sendJson(res, error.statusCode, body, { ...NO_STORE, ...error.headers });
}

/** Headers of responses that must not be stored (RFC 6749 section 5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Writes a JSON response; without `headers` it must not be stored. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = NO_STORE,
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes.length,
      ...headers,
    })
    .end(bytes);
}
