/** Reading the JSON of answers, and finding words in error bodies. */
import { describe, expect, it } from 'vitest';
import { parseJsonAnswer, textAt, UnreadableAnswer } from '../../src/outbound/json-answer.ts';

describe('JSON answer of a provider', () => {
  it.each([
    ['{"a":[1,"]"]}', { a: [1, ']'] }],
    ['\ufeff{"a":1}', { a: 1 }],
    [' 7 ', 7],
    ['null', null],
    ['', null],
    [' \r\n', null],
  ])('parses the JSON answer %j', (text, expected) => {
    expect(parseJsonAnswer(text)).toEqual(expected);
  });

  it.each([['{'], ['<html>'], ['{"a":1}x'], ['undefined'], ["{'a':1}"], ['NaN']])(
    'refuses the invalid JSON %j',
    (text) => {
      expect(() => parseJsonAnswer(text)).toThrow(UnreadableAnswer);
    },
  );

  it('refuses nesting that could not be serialized again', () => {
    const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(() => parseJsonAnswer(nested(500))).not.toThrow();
    expect(() => parseJsonAnswer(nested(502))).toThrow(UnreadableAnswer);
    expect(() => parseJsonAnswer('['.repeat(1_000_000))).toThrow(UnreadableAnswer);
  });

  it('does not count brackets in texts as nesting', () => {
    const text = JSON.stringify({ a: '[{"\\'.repeat(1_000), b: '\\' });
    expect(parseJsonAnswer(text)).toEqual({ a: '[{"\\'.repeat(1_000), b: '\\' });
  });
});

describe('text at a path of a JSON answer', () => {
  const body = {
    error: { message: 'no', code: 42, empty: '' },
    errors: [{ reason: 'first' }],
    message: 'top',
  };

  it.each([
    [['error.message'], 'no'],
    [['missing', 'message'], 'top'],
    [['error.code'], '42'],
    [['errors.0.reason'], 'first'],
    [['error.empty', 'message'], 'top'],
    [['error'], undefined],
    [['__proto__.x', 'constructor.name', 'error.toString'], undefined],
    [[], undefined],
  ])('finds at %j the text %j', (paths, expected) => {
    expect(textAt(body, paths)).toBe(expected);
  });

  it('finds nothing in a value that is not an object', () => {
    expect(textAt('text', ['length'])).toBeUndefined();
    expect(textAt(null, ['a'])).toBeUndefined();
  });
});
