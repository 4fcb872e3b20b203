/**
 * What answers show of credentials (docs/contract.md#credentials-of-an-account): response-only members to callers that may
 * see them, secrets of AWS to nobody.
 */
import { describe, expect, it } from 'vitest';
import type { AuthorizationDetails } from '../../src/authorization-types/credentials.ts';
import type { AuthorizationType } from '../../src/authorization-types/index.ts';
import { toView, toViewWithCredentials } from '../../src/accounts/account-views.ts';
import { testAccount } from '../support/accounts.ts';

const EXPIRY = '2026-11-20T13:00:00.000Z';

const accountOf = (type: AuthorizationType) =>
  testAccount({ connection: { type }, tokenExpiresAt: Date.parse(EXPIRY) });

const INTERNAL = {
  access_token: 'at',
  scopes: ['a'],
  access_key_id: 'AKIA',
  secret_access_key: 'sak',
  session_token: 'st',
  token_secret: 'ts',
  launch: { patient: 'p1' },
};

const cases: readonly [AuthorizationType, AuthorizationDetails, unknown, unknown][] = [
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
    { static_auth: { details: {} } },
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
    expect(toViewWithCredentials(accountOf(type), details).authorization_details).toEqual(withCredentials);
  });

  it('shows no credential in the view without credentials', () => {
    expect(toView(accountOf(type), details).authorization_details).toEqual(without);
  });

  it('shows the given details where nothing was obtained yet', () => {
    expect(toViewWithCredentials(accountOf(type), variant).authorization_details).toEqual(variant);
  });
});
