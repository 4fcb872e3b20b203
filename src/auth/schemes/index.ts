/** The authorization types whose credentials can be used: one file each. */
import type { AuthorizationType } from '../../catalog/types.ts';
import { invalidField } from '../../core/errors.ts';
import { apiKey } from './api-key.ts';
import { basic } from './basic.ts';
import { bearer } from './bearer.ts';
import { noAuth } from './no-auth.ts';
import { oauth } from './oauth.ts';
import type { Scheme } from './scheme.ts';

const SCHEMES: Partial<Record<AuthorizationType, Scheme>> = {
  API_KEY: apiKey,
  BASIC: basic,
  BASIC_AUTH: basic,
  BEARER_TOKEN: bearer,
  CUSTOM: apiKey,
  NO_AUTH: noAuth,
  OAUTH: oauth,
};

/** @throws ServiceError INVALID_ARGUMENT for a type this version cannot use */
export function schemeOf(type: AuthorizationType): Scheme {
  const scheme = SCHEMES[type];
  if (scheme !== undefined) return scheme;
  const known = Object.keys(SCHEMES).join(', ');
  throw invalidField(
    'authorization_type',
    `Accounts of type ${type} cannot be used with this version of Gatehouse. It can use ${known}.`,
    'unsupported',
  );
}

/** Whether accounts of this type can be connected and used. */
export function isSupported(type: AuthorizationType): boolean {
  return SCHEMES[type] !== undefined;
}
