import { describe, expect, it } from 'vitest';
import { normalizeEmail } from '../../src/core/email-address.ts';

describe('e-mail address of a user', () => {
  it.each([
    ['Ada@Example.TEST', 'ada@example.test'],
    ['ada+tools@example.test', 'ada+tools@example.test'],
    ["o'brien@example.test", "o'brien@example.test"],
    ['ada@localhost', 'ada@localhost'],
    ['JOSÉ@example.test', 'josé@example.test'],
    ['jose\u0301@example.test', 'jos\u00e9@example.test'],
    ['ada@B\u00dcCHER.example', 'ada@b\u00fccher.example'],
    ['ada@xn--bcher-kva.example', 'ada@b\u00fccher.example'],
    ['ada@\uff45xample.test', 'ada@example.test'],
    ['\u212aate@example.test', 'kate@example.test'],
    ['\u0130da@example.test', 'i\u0307da@example.test'],
    ['\u7528\u6237@\u4f8b\u5b50.example', '\u7528\u6237@\u4f8b\u5b50.example'],
    [`${'a'.repeat(64)}@example.test`, `${'a'.repeat(64)}@example.test`],
  ])('stores the address %j as %j', (written, stored) => {
    expect(normalizeEmail(written)).toBe(stored);
  });

  it.each([
    '',
    'ada',
    '@example.test',
    'ada@',
    'ada@example..test',
    'ada@.test',
    'ada@-example.test',
    'ada@example.test.',
    'ada@example.test@example.test',
    'ada@example.test,bob@example.test',
    'ada,bob@example.test',
    'Ada <ada@example.test>',
    '"ada b"@example.test',
    'ada @example.test',
    ' ada@example.test',
    'ada@example.test\n',
    'ada@example.test\r\nBcc: bob@example.test',
    'a\u0000da@example.test',
    'a\u200bda@example.test',
    'ada\u202e@example.test',
    '\ud800@example.test',
    '.ada@example.test',
    'a..da@example.test',
    'ada@[192.0.2.1]',
    'ada@ex_ample.test',
    'ada@ex%61mple.test',
    `${'a'.repeat(65)}@example.test`,
    `ada@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.test`,
  ])('refuses %j as no address', (written) => {
    expect(normalizeEmail(written)).toBeUndefined();
  });

  it('leaves a stored address as it is', () => {
    for (const written of [
      'JOSE\u0301@B\u00dcCHER.example',
      '\u0130@\u0130.example',
      'A\u030a\u212b@example.test',
    ]) {
      const stored = normalizeEmail(written) ?? '';
      expect([stored, normalizeEmail(stored)]).toEqual([stored, stored]);
      expect(stored).not.toBe('');
    }
  });
});
