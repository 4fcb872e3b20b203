import { describe, expect, it } from 'vitest';
import { isSupported, schemeOf } from '../../src/auth/schemes/index.ts';
import type { ServiceError } from '../../src/core/errors.ts';

describe('how a credential is attached', () => {
  it('sends an OAuth access token as bearer token and nothing else of the account', () => {
    const details = {
      oauth_token: { access_token: 'at-1', refresh_token: 'rt-1', scopes: ['a'], domain: 'acme' },
    };
    expect(schemeOf('OAUTH')(details, { type: 'OAUTH', fields: [] })).toEqual({
      headers: { authorization: 'Bearer at-1' },
      query: [],
      secrets: ['at-1'],
    });
    expect(isSupported('OAUTH')).toBe(true);
  });

  it('names the field of an authorization type that cannot be used', () => {
    let refused: unknown;
    try {
      schemeOf('OAUTH_M2M');
    } catch (error) {
      refused = error;
    }
    const { code, details } = refused as ServiceError;
    expect({ code, details }).toEqual({
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          {
            field: 'authorization_type',
            description:
              'Accounts of type OAUTH_M2M cannot be used with this version of Gatehouse. ' +
              'It can use API_KEY, BASIC, BASIC_AUTH, BEARER_TOKEN, CUSTOM, NO_AUTH, OAUTH.',
            constraint: 'unsupported',
          },
        ],
      },
    });
  });
});
