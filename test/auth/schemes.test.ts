import { expect, it } from 'vitest';
import { schemeOf } from '../../src/auth/schemes/index.ts';
import type { ServiceError } from '../../src/core/errors.ts';

it('names the field of an authorization type that cannot be used', () => {
  let refused: unknown;
  try {
    schemeOf('OAUTH');
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
            'Accounts of type OAUTH cannot be used with this version of Gatehouse. ' +
            'It can use API_KEY, BASIC, BASIC_AUTH, BEARER_TOKEN, CUSTOM, NO_AUTH.',
          constraint: 'unsupported',
        },
      ],
    },
  });
});
