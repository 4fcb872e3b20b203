/** GET /auth for tokens that run out (docs/contract.md#create-update-read-and-list). */
import { beforeEach, describe, expect, it } from 'vitest';
import { tokenFailure } from '../support/fake-token-endpoint.ts';
import { machine, testServices, type Services } from '../support/services.ts';
import { consent, ledgerAccount, ledgerServices, rowOf } from './refresh/ledger.ts';

const HOUR_MS = 3_600_000;

let services: Services;
let id: string;
beforeEach(async () => {
  services = await ledgerServices();
  id = await ledgerAccount(services);
});

const read = async () => services.credentialAccess.describe(machine, { id });
/** What is audited of the account. */
const audited = async () => {
  const lines = await services.db.read
    .selectFrom('audit')
    .select('action')
    .where('target', '=', id)
    .execute();
  return lines.map(({ action }) => action);
};

describe('credentials of an account: GET /auth', () => {
  it('gives the token as it is while it is good', async () => {
    expect(await read()).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { oauth_token: { access_token: 'at-0', refresh_token: 'rt-0' } },
    });
    expect(services.tokens.requests).toEqual([]);
  });

  it('renews the token first within the margin of its expiry', async () => {
    services.clock.advance(HOUR_MS - 60_000);
    expect(await read()).toMatchObject({
      token_expires_at: new Date(services.clock.now() + HOUR_MS).toISOString(),
      authorization_details: { oauth_token: { access_token: 'at-1', refresh_token: 'rt-1' } },
    });
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    expect(await audited()).toEqual(['connected_account.credentials_read']);
  });

  it('gives a token that is still good where the renewal fails', async () => {
    services.clock.advance(HOUR_MS - 1);
    services.tokens.answers.push(tokenFailure('temporary'));
    expect(await read()).toMatchObject({ authorization_details: { oauth_token: { access_token: 'at-0' } } });
  });

  it('answers an error and writes no read where there is no good token for now', async () => {
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(tokenFailure('temporary'));
    await expect(read()).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      toolError: { code: 'TOKEN_REFRESH_FAILED', execution_id: null },
    });
    expect(await audited()).toEqual([]);
    expect((await rowOf(services, id)).status).toBe('ACTIVE');
  });

  it('shows an account whose refresh token is refused as EXPIRED', async () => {
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(tokenFailure('invalid_grant'));
    expect((await read()).status).toBe('EXPIRED');
    expect((await read()).status).toBe('EXPIRED');
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('never shows what waits for verify, also when the live token is renewed meanwhile', async () => {
    await consent(services, id, { access_token: 'planted-waiting' });
    services.clock.advance(HOUR_MS);
    await services.db.transaction(async (tx) =>
      tx
        .updateTable('auth_requests')
        .set({ expires_at: services.clock.now() + 600_000 })
        .where('account_id', '=', id)
        .execute(),
    );
    const view = await read();
    expect(JSON.stringify(view)).not.toContain('planted');
    expect(view).toMatchObject({ authorization_details: { oauth_token: { access_token: 'at-1' } } });
  });

  it('shows an account that cannot be renewed and has ended as EXPIRED', async () => {
    id = await ledgerAccount(services, { access_token: 'only' }, { identifier: 'bob' });
    services.clock.advance(HOUR_MS);
    expect((await read()).status).toBe('EXPIRED');
    expect(services.tokens.requests).toEqual([]);
  });

  it('shows the stored credential where the catalog has lost the connector', async () => {
    const { db, vault, clock } = services;
    services.clock.advance(HOUR_MS);
    services = await testServices({ db, vault, clock });
    expect(await read()).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { oauth_token: { access_token: 'at-0' } },
    });
  });
});
