/** Scopes by our names and by the provider's. */
import { describe, expect, it } from 'vitest';
import { ourScopes, providerScopes } from '../../../src/credentials/oauth/scope-names.ts';

const names = { read: 'https://p.example/read', write: 'https://p.example/write' };

describe("scopes by the provider's names", () => {
  it("sends scopes by the provider's names, each once", () => {
    expect(providerScopes(['read', 'other', 'write', 'https://p.example/read'], names)).toEqual([
      'https://p.example/read',
      'other',
      'https://p.example/write',
    ]);
  });

  it('reads granted scopes by our names, and keeps unknown ones', () => {
    expect(ourScopes(['https://p.example/write', 'openid', 'read'], names)).toEqual([
      'write',
      'openid',
      'read',
    ]);
  });

  it('keeps scopes without other names, also those named like a member of every object', () => {
    expect(providerScopes(['a', 'constructor'], undefined)).toEqual(['a', 'constructor']);
    expect(providerScopes(['constructor'], names)).toEqual(['constructor']);
    expect(ourScopes(['a', 'a'], undefined)).toEqual(['a']);
  });
});
