/** Which block of an `auth` entry belongs to which authorization type, and the addresses in it. Pure. */
import type { AddressedRules } from './auth-types.ts';
import type { AuthorizationType, ConnectorAuth } from './types.ts';

/** Names of the blocks. */
export type AuthBlock =
  'oauth' | 'oauth_m2m' | 'workspace_dwd' | 'trusted_idp' | 'smart_fhir' | 'board_oauth1';

/** By type; undefined: the form fields say everything. */
export const BLOCK_OF: Readonly<Record<AuthorizationType, AuthBlock | undefined>> = {
  OAUTH: 'oauth',
  API_KEY: undefined,
  BASIC_AUTH: undefined,
  BEARER_TOKEN: undefined,
  CUSTOM: undefined,
  BASIC: undefined,
  OAUTH_M2M: 'oauth_m2m',
  BOARD_OAUTH1: 'board_oauth1',
  WORKSPACE_DWD: 'workspace_dwd',
  TRUSTED_IDP: 'trusted_idp',
  SMART_FHIR: 'smart_fhir',
  NO_AUTH: undefined,
};

/** Keys of a block that are addresses, in the order of the documentation. */
const ADDRESSES = [
  'authorization_url',
  'request_token_url',
  'access_token_url',
  'token_url',
  'sts_url',
  'revocation_url',
  'issuer',
] as const;

/** The entry's own block; undefined where its type has none. */
export function rulesOf(
  auth: Partial<ConnectorAuth> & Pick<ConnectorAuth, 'type'>,
): AddressedRules | undefined {
  const block = BLOCK_OF[auth.type];
  return block === undefined ? undefined : auth[block];
}

/** The addresses of a block that are given, by key. */
export function addressesIn(rules: object): [key: string, url: string][] {
  const given = rules as Readonly<Record<string, unknown>>;
  return ADDRESSES.flatMap((key) => {
    const url = given[key];
    return typeof url === 'string' ? [[key, url] as [string, string]] : [];
  });
}
