/** What may be repeated, and after how long. */
import { describe, expect, it } from 'vitest';
import { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import { mayRetry, parseRetryAfter, retryDelayMs } from '../../src/outbound/retry.ts';

describe('retry policy of provider requests', () => {
  it.each(['read', 'create', 'update', 'delete'] as const)(
    'allows %s when no connection was made',
    (effect) => {
      expect(mayRetry(effect, new OutboundFailure('connect', false))).toBe(true);
    },
  );

  it.each([
    ['read', 'reset', true],
    ['read', 'timeout', false],
    ['read', 'aborted', false],
    ['read', 'tls', false],
    ['read', 'refused_address', false],
    ['read', 'too_large', false],
    ['read', 'bad_response', false],
    ['read', 'bad_encoding', false],
    ['read', 'invalid_request', false],
    ['create', 'reset', false],
    ['update', 'reset', false],
    ['delete', 'reset', false],
    ['delete', 'timeout', false],
  ] as const)('decides for a %s after %s: %s', (effect, kind, expected) => {
    expect(mayRetry(effect, new OutboundFailure(kind, true))).toBe(expected);
  });

  it.each([200, 301, 400, 401, 403, 404, 408, 409, 422, 500, 501])(
    'refuses to retry a read answered %i',
    (status) => {
      expect(mayRetry('read', { status })).toBe(false);
    },
  );

  it.each([
    [2_000, true],
    [0, true],
    [2_001, false],
    [undefined, false],
  ])('decides for a read answered 429 with a wait of %s ms: %s', (retryAfterMs, expected) => {
    expect(mayRetry('read', { status: 429 }, retryAfterMs)).toBe(expected);
    expect(mayRetry('create', { status: 429 }, retryAfterMs)).toBe(false);
  });

  it.each([502, 503, 504])('retries a read answered %i, but not a write', (status) => {
    expect(mayRetry('read', { status })).toBe(true);
    expect(mayRetry('create', { status })).toBe(false);
    expect(mayRetry('update', { status })).toBe(false);
    expect(mayRetry('delete', { status })).toBe(false);
  });
});

describe('delay before a retry', () => {
  it.each([
    [0, 0, 125],
    [0, 0.5, 250],
    [0, 0.999, 375],
    [1, 0, 250],
    [1, 0.999, 750],
  ])('lasts for retry %i with random value %d: %i ms', (repeats, random, expected) => {
    expect(retryDelayMs(repeats, undefined, random)).toBe(expected);
  });

  it('respects the delay that the provider asked for', () => {
    expect(retryDelayMs(0, 3_000, 0.5)).toBe(3_000);
    expect(retryDelayMs(0, 0, 0.5)).toBe(250);
  });
});

describe('Retry-After header: parser', () => {
  const now = Date.UTC(2026, 10, 20, 12);

  it.each([
    ['7', 7_000],
    ['0', 0],
    [' 2 ', 2_000],
    ['0.25', 250],
    ['1.5', 1_500],
    ['3, 5', 3_000],
    ['Fri, 20 Nov 2026 12:00:09 GMT', 9_000],
    ['Friday, 20-Nov-26 12:00:09 GMT', 9_000],
    ['Fri Nov 20 12:00:09 2026', 9_000],
    ['Fri, 20 Nov 2026 11:59:00 GMT', 0],
    ['99999999999999999999', 3_600_000],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['Wed, 21 Oct 2099 07:28:00 GMT', 3_600_000],
  ])('reads %j as %i ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it.each([
    [undefined],
    [''],
    ['soon'],
    ['-5'],
    ['1e3'],
    ['NaN'],
    ['Fri, 40 Foo 2026'],
    ['2026-11-20T12:00:09Z'],
  ])('ignores the invalid value %j', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});
