import { expect, it } from 'vitest';
import { isAmong } from '../../src/outbound/error-code.ts';

it.each([
  ['ExpiredTokenException', true],
  ['com.amazonaws.redshiftdata#ExpiredTokenException', true],
  ['ExpiredTokenException:http://internal.amazon.com/coral/com.amazon.coral.service/', true],
  ['com.amazon.coral.service#ExpiredTokenException:http://internal.amazon.com/coral/', true],
  ['a/b#c', true],
  ['NotExpiredTokenException', false],
  ['ExpiredTokenExceptions', false],
  ['x y#ExpiredTokenException', false],
  ['ExpiredTokenException#other', false],
  ['', false],
  [undefined, false],
])('finds whether %s is among the error codes: %s', (code, is) => {
  expect(isAmong(['ExpiredTokenException', 'a/b#c'], code)).toBe(is);
});
