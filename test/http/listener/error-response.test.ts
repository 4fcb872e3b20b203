import { describe, expect, it } from 'vitest';
import { invalidField, ServiceError } from '../../../src/core/errors.ts';
import { silentLog, type LogFields } from '../../../src/core/log.ts';
import { errorAnswer, methodNotAllowedAnswer } from '../../../src/http/listener/error-response.ts';

describe('error response over HTTP', () => {
  it('carries the code, the message and the details of the error', () => {
    const answer = errorAnswer(invalidField('connector', 'Must be a string.', 'type'), {}, silentLog);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      code: 3,
      message: 'The request is not valid. connector: Must be a string.',
      details: [
        {
          error_code: 'INVALID_ARGUMENT',
          field_violations: [{ field: 'connector', description: 'Must be a string.', constraint: 'type' }],
        },
      ],
    });
    expect(answer.headers).toEqual({
      'content-type': 'application/json; charset=UTF-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['CONNECTED_ACCOUNT_NOT_ACTIVE', 400, 9],
    ['CONNECTION_MISSING', 400, 9],
    ['UNAUTHENTICATED', 401, 16],
    ['PERMISSION_DENIED', 403, 7],
    ['IDENTIFIER_MISMATCH', 403, 7],
    ['POLICY_DENIED', 403, 7],
    ['WRONG_HOST', 403, 7],
    ['WRONG_ORIGIN', 403, 7],
    ['RESOURCE_NOT_FOUND', 404, 5],
    ['ALREADY_EXISTS', 409, 6],
    ['IDEMPOTENCY_CONFLICT', 409, 6],
    ['TOO_LARGE', 413, 8],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 3],
    ['RATE_LIMITED', 429, 8],
    ['UNAVAILABLE', 503, 14],
    ['TOOL_ERROR', 502, 14],
  ] as const)('answers %s with status %i and code %i', (code, status, rpc) => {
    const answer = errorAnswer(new ServiceError(code, 'Words.'), {}, silentLog);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({
      code: rpc,
      message: 'Words.',
      details: [{ error_code: code }],
    });
  });

  it.each([
    [403, 7],
    [404, 5],
    [409, 6],
    [429, 8],
    [504, 4],
  ])('passes on a provider status of %i with code %i', (status, rpc) => {
    const answer = errorAnswer(new ServiceError('TOOL_ERROR', 'Words.', { status }), {}, silentLog);
    expect([answer.status, (JSON.parse(answer.body) as { code: number }).code]).toEqual([status, rpc]);
  });

  it.each([
    ['without a token', {}, 'Bearer'],
    ['with a token', { authorization: 'Bearer x' }, 'Bearer error="invalid_token"'],
    [
      'without a token on /mcp',
      { resourceMetadata: 'https://gate.example.test/.well-known/oauth-protected-resource/mcp' },
      'Bearer resource_metadata="https://gate.example.test/.well-known/oauth-protected-resource/mcp"',
    ],
    [
      'with a token on /mcp',
      { authorization: 'Bearer x', resourceMetadata: 'https://gate.example.test/m' },
      'Bearer error="invalid_token", resource_metadata="https://gate.example.test/m"',
    ],
  ])('challenges a caller %s with WWW-Authenticate', (_name, request, challenge) => {
    const answer = errorAnswer(new ServiceError('UNAUTHENTICATED', 'No.'), request, silentLog);
    expect(answer.headers['www-authenticate']).toBe(challenge);
  });

  it.each([
    ['RATE_LIMITED', 2.2, '3'],
    ['RATE_LIMITED', undefined, '1'],
    ['UNAVAILABLE', 0, '1'],
    ['UNAVAILABLE', 30, '30'],
  ] as const)('sends Retry-After for %s after %s s', (code, retryAfterSeconds, header) => {
    const answer = errorAnswer(new ServiceError(code, 'Wait.', { retryAfterSeconds }), {}, silentLog);
    expect(answer.headers['retry-after']).toBe(header);
  });

  it('tells the caller the trace id of a defect and nothing else, and logs the defect', () => {
    const lines: [string, LogFields | undefined][] = [];
    const log = { ...silentLog, error: (event: string, fields?: LogFields) => lines.push([event, fields]) };
    const defect = new Error('password is hunter2');
    const answer = errorAnswer(defect, { traceId: '0af7', route: '/api/v1/tools' }, log);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toEqual({
      code: 13,
      message:
        'Something went wrong on our side. Trying again may help. The log says more under the trace id 0af7.',
    });
    expect(lines).toEqual([['request_failed', { err: defect, route: '/api/v1/tools', trace_id: '0af7' }]]);
  });

  it('logs why something is not available', () => {
    const lines: [string, LogFields | undefined][] = [];
    const log = { ...silentLog, warn: (event: string, fields?: LogFields) => lines.push([event, fields]) };
    const error = new ServiceError('UNAVAILABLE', 'The database is busy.', {
      cause: new Error('SQLITE_BUSY'),
    });
    const answer = errorAnswer(error, { route: '/readyz' }, log);
    expect(answer.body).not.toContain('SQLITE');
    expect(lines).toEqual([['unavailable', { err: error, route: '/readyz' }]]);
  });

  it('logs no error for what fails because the peer left', () => {
    const lines: string[] = [];
    const log = { ...silentLog, error: (event: string) => lines.push(event) };
    errorAnswer(new Error('aborted'), { isPeerGone: true }, log);
    expect(lines).toEqual([]);
  });

  it('names the allowed methods of a path', () => {
    const answer = methodNotAllowedAnswer(['GET', 'HEAD']);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expect(JSON.parse(answer.body)).toEqual({
      code: 3,
      message: 'This path answers GET, HEAD only.',
      details: [
        {
          error_code: 'INVALID_ARGUMENT',
          field_violations: [
            { field: 'method', description: 'This path answers GET, HEAD only.', constraint: 'enum' },
          ],
        },
      ],
    });
  });
});
