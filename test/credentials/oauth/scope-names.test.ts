/** Scopes by our names and by the provider's. */
import { describe, expect, it } from 'vitest';
import { ourScopes, providerScopes } from '../../../src/credentials/oauth/scope-names.ts';

const names = { read: 'https://p.example/read', write: 'https://p.example/write' };

describe('scopes', () => {
  it('leave by the name the provider has for them, each once', () => {
    expect(providerScopes(['read', 'other', 'write', 'https://p.example/read'], names)).toEqual([
      'https://p.example/read',
      'other',
      'https://p.example/write',
    ]);
  });

  it('come back by ours, and unknown ones as they are', () => {
    expect(ourScopes(['https://p.example/write', 'openid', 'read'], names)).toEqual([
      'write',
      'openid',
      'read',
    ]);
  });

  it('stay what they are without other names, and where a name is a member of every object', () => {
    expect(providerScopes(['a', 'constructor'], undefined)).toEqual(['a', 'constructor']);
    expect(providerScopes(['constructor'], names)).toEqual(['constructor']);
    expect(ourScopes(['a', 'a'], undefined)).toEqual(['a']);
  });
});
