/** The texts that can be a credential: what its header can carry. */
import { describe, expect, it } from 'vitest';
import { credentialTextProblem } from '../../src/accounts/credential-text.ts';

describe('user name and password of Basic authentication', () => {
  it.each(['pässwörd', 'пароль', 'パス😀', 'p:ss word', '\u00a0'])(
    'sends the user name or password %j',
    (value) => {
      expect(credentialTextProblem('BASIC', { label: 'Password', input: 'password' }, value)).toBeUndefined();
      expect(
        credentialTextProblem('BASIC_AUTH', { label: 'Password', input: 'password' }, value),
      ).toBeUndefined();
    },
  );

  it.each(['a\nb', 'a\r\nb', '\0', '\u007f', '\u0085', '\ud800', '\udc00x'])(
    'refuses the user name or password %j',
    (value) => {
      expect(credentialTextProblem('BASIC', { label: 'Password', input: 'password' }, value)).toMatchObject({
        constraint: 'characters',
      });
    },
  );

  it('has at most 8,192 characters', () => {
    expect(
      credentialTextProblem('BASIC', { label: 'Password', input: 'password' }, 'é'.repeat(8_193)),
    ).toMatchObject({
      constraint: 'max_length',
    });
  });
});

describe('a key in a header', () => {
  it.each(['schlüssel', 'a\nb', '\u007f'])('refuses the header key %j', (value) => {
    for (const type of ['API_KEY', 'BEARER_TOKEN', 'CUSTOM'] as const)
      expect(credentialTextProblem(type, { label: 'Key', input: 'password' }, value)).toMatchObject({
        constraint: 'characters',
      });
  });
});

describe('fields of a credential with rules for their values', () => {
  const region = { label: 'Region', input: 'text', choices: ['eu', 'us'] } as const;
  const number = {
    label: 'Account number',
    input: 'text',
    pattern: '[0-9]{8}',
    example: '10492238',
  } as const;
  const key = { label: 'Private key', input: 'multiline' } as const;

  it.each([
    [region, 'eu', undefined],
    [region, 'EU', { description: 'Region must be one of: eu, us.', constraint: 'enum' }],
    [number, '10492238', undefined],
    [number, '104922381', { description: 'Account number must look like 10492238.', constraint: 'pattern' }],
    [key, '-----BEGIN KEY-----\nAAA\n-----END KEY-----', undefined],
    [
      key,
      'a\u0000b',
      { description: 'Private key contains characters that are not allowed here.', constraint: 'characters' },
    ],
  ] as const)('checks the value against %j: %j', (field, value, problem) => {
    expect(credentialTextProblem('CUSTOM', field, value)).toEqual(problem);
  });

  it('leaves an absent optional value alone', () => {
    expect(credentialTextProblem('CUSTOM', number, '')).toBeUndefined();
  });
});
