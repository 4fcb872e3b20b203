/** POST …/{id}:refresh. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ledgerAccount, ledgerServices, rowOf } from '../credentials/refresh/ledger.ts';
import { tokenFailure } from '../support/fake-token-endpoint.ts';
import {
  connectedAccount,
  machine,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../support/services.ts';

let services: Services;
let id: string;
beforeEach(async () => {
  services = await ledgerServices();
  id = await ledgerAccount(services);
});

const refresh = async (of = id) => services.accountRefresh.refresh(machine, of);

describe('immediate refresh of an account', () => {
  it('renews a valid token and shows the new expiry and no credential', async () => {
    services.tokens.answers.push({ expiresInSeconds: 60, scopes: ['read'] });
    const view = await refresh();
    expect(view).toMatchObject({
      id,
      status: 'ACTIVE',
      token_expires_at: '2026-11-20T12:01:00.000Z',
      authorization_details: { oauth_token: { scopes: ['read'] } },
    });
    expect(JSON.stringify(view)).not.toMatch(/at-\d|rt-\d/);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('sends one refresh request for several calls at once', async () => {
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('refuses a refresh after ten within a minute', async () => {
    for (let n = 0; n < 10; n++) await refresh();
    await expect(refresh()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfterSeconds: 60,
    });
    expect(services.tokens.presented('refresh')).toHaveLength(10);
  });

  it('reports a temporary failure of the token endpoint, and the account stays active', async () => {
    services.tokens.answers.push(tokenFailure('temporary', { retryAfterMs: 30_000 }));
    await expect(refresh()).rejects.toMatchObject({ code: 'TOOL_ERROR', status: 502, retryAfterSeconds: 30 });
    expect((await rowOf(services, id)).status).toBe('ACTIVE');
  });

  it('answers with a link where the provider refuses the refresh token', async () => {
    services.tokens.answers.push(tokenFailure('invalid_grant'));
    await expect(refresh()).rejects.toMatchObject({
      code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
      details: { status: 'EXPIRED', authorization_link: expect.stringContaining('/connect/') },
    });
  });

  it('refuses an account that is not ACTIVE', async () => {
    await services.disconnection.disconnect(machine, id);
    await expect(refresh()).rejects.toMatchObject({
      code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
      status: 400,
      details: { status: 'DISCONNECTED' },
    });
  });

  it('refuses an account without a refresh token', async () => {
    const other = await ledgerAccount(services, { access_token: 'only' }, { identifier: 'bob' });
    await expect(refresh(other)).rejects.toMatchObject({
      status: 400,
      details: { field_violations: [{ field: 'id', constraint: 'refresh_token' }] },
    });
  });

  it('refuses an account whose authorization type has no token', async () => {
    services = await testServices();
    const account = await connectedAccount(services);
    await expect(refresh(account.id)).rejects.toMatchObject({
      status: 400,
      details: {
        field_violations: [
          {
            field: 'id',
            description:
              'Accounts of type API_KEY have no token that could be refreshed. Use the account as it is.',
            constraint: 'authorization_type',
          },
        ],
      },
    });
  });

  it('finds no account of another environment', async () => {
    await expect(
      services.accountRefresh.refresh({ ...machine, environmentId: OTHER_ENVIRONMENT_ID }, id),
    ).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(services.tokens.requests).toEqual([]);
  });
});
