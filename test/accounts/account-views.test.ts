/**
 * What answers show of credentials (docs/contract.md#credentials-of-an-account): response-only members to whoever may
 * see them, secrets of AWS to nobody.
 */
import { describe, expect, it } from 'vitest';
import type { AuthorizationDetails } from '../../src/authorization-types/credentials.ts';
import { toView, toViewWithCredentials } from '../../src/accounts/account-views.ts';
import type { AccountRow } from '../../src/store/accounts/account-store.ts';

const EXPIRY = '2026-11-20T13:00:00.000Z';

const row = (authorization_type: string): AccountRow =>
  ({
    id: 'ca_1',
    authorization_type,
    api_config: '{}',
    token_expires_at: Date.parse(EXPIRY),
    last_used_at: null,
    updated_at: 0,
  }) as unknown as AccountRow;

const INTERNAL = {
  access_token: 'at',
  scopes: ['a'],
  access_key_id: 'AKIA',
  secret_access_key: 'sak',
  session_token: 'st',
  token_secret: 'ts',
  launch: { patient: 'p1' },
};

const cases: readonly [string, AuthorizationDetails, unknown, unknown][] = [
  [
    'WORKSPACE_DWD',
    { workspace_dwd: { subject: 's' } },
    { workspace_dwd: { subject: 's', access_token: 'at', scopes: ['a'], token_expires_at: EXPIRY } },
    { workspace_dwd: { subject: 's', scopes: ['a'], token_expires_at: EXPIRY } },
  ],
  [
    'TRUSTED_IDP',
    { trusted_idp: { db_user: 'u' } },
    { trusted_idp: { db_user: 'u', access_key_id: 'AKIA', expiry: EXPIRY } },
    { trusted_idp: { db_user: 'u', expiry: EXPIRY } },
  ],
  [
    'TRUSTED_IDP',
    {},
    { trusted_idp: { access_key_id: 'AKIA', expiry: EXPIRY } },
    { trusted_idp: { expiry: EXPIRY } },
  ],
  [
    'OAUTH_M2M',
    { static_auth: { details: { client_id: 'c', client_secret: 's' } } },
    { static_auth: { details: { client_id: 'c', client_secret: 's' } } },
    {},
  ],
  [
    'BOARD_OAUTH1',
    { oauth_token: { access_token: 't', scopes: ['read'] } },
    { oauth_token: { access_token: 't', scopes: ['read'] } },
    { oauth_token: { scopes: ['read'] } },
  ],
];

describe.each(cases)('account view of type %s with %j', (type, variant, withCredentials, without) => {
  const details = { ...variant, internal: INTERNAL };

  it('shows credentials with their response-only members', () => {
    expect(toViewWithCredentials(row(type), details).authorization_details).toEqual(withCredentials);
  });

  it('shows no credential in the view without credentials', () => {
    expect(toView(row(type), details).authorization_details).toEqual(without);
  });

  it('shows the given details where nothing was obtained yet', () => {
    expect(toViewWithCredentials(row(type), variant).authorization_details).toEqual(variant);
  });
});
