/** The texts that can be a credential: what its header can carry. */
import { describe, expect, it } from 'vitest';
import { credentialTextProblem } from '../../src/accounts/credential-text.ts';

describe('a user name or password of Basic', () => {
  it.each(['pässwörd', 'пароль', 'パス😀', 'p:ss word', '\u00a0'])(
    'sends the user name or password %j',
    (value) => {
      expect(credentialTextProblem('BASIC', 'Password', value)).toBeUndefined();
      expect(credentialTextProblem('BASIC_AUTH', 'Password', value)).toBeUndefined();
    },
  );

  it.each(['a\nb', 'a\r\nb', '\0', '\u007f', '\u0085', '\ud800', '\udc00x'])(
    'refuses the user name or password %j',
    (value) => {
      expect(credentialTextProblem('BASIC', 'Password', value)).toMatchObject({ constraint: 'characters' });
    },
  );

  it('has at most 8,192 characters', () => {
    expect(credentialTextProblem('BASIC', 'Password', 'é'.repeat(8_193))).toMatchObject({
      constraint: 'max_length',
    });
  });
});

describe('a key in a header', () => {
  it.each(['schlüssel', 'a\nb', '\u007f'])('refuses the header key %j', (value) => {
    for (const type of ['API_KEY', 'BEARER_TOKEN', 'CUSTOM'] as const)
      expect(credentialTextProblem(type, 'Key', value)).toMatchObject({ constraint: 'characters' });
  });
});
