import { describe, expect, it } from 'vitest';
import { idempotencyHeader, sameKey } from '../../../src/http/api/idempotency-header.ts';

const key = (...values: string[]) =>
  idempotencyHeader({ rawHeaders: ['Host', 'a', ...values.flatMap((value) => ['Idempotency-Key', value])] });

function constraint(...values: string[]): unknown {
  try {
    return key(...values);
  } catch (error) {
    return (error as { details: { field_violations: { constraint: string }[] } }).details.field_violations;
  }
}

describe('Idempotency-Key header', () => {
  it.each([
    [[], undefined],
    [['order-1'], 'order-1'],
    [[' order 1 '], 'order 1'],
    [['"8e03978e"'], '"8e03978e"'],
    [['order-1', 'order-1'], 'order-1'],
    [['k'.repeat(255)], 'k'.repeat(255)],
  ])('reads the header values %j as the idempotency key %j', (values, expected) => {
    expect(key(...values)).toBe(expected);
  });

  it.each([
    ['nothing in it', [''], 'min_length'],
    ['256 characters', ['k'.repeat(256)], 'max_length'],
    ['a control character', ['a\tb'], 'characters'],
    ['bytes beyond ASCII', ['\u00c3\u00a4'], 'characters'],
    ['two values', ['order-1', 'order-2'], 'ambiguous'],
  ])('refuses an idempotency key with %s', (_, values, expected) => {
    expect(constraint(...values)).toMatchObject([{ field: 'idempotency-key', constraint: expected }]);
  });

  it('takes the header and the field idempotency_key for one key', () => {
    expect([sameKey('a', 'a'), sameKey('a', undefined), sameKey(undefined, 'b')]).toEqual(['a', 'a', 'b']);
    expect(() => sameKey('a', 'b')).toThrow('differ here');
  });
});
