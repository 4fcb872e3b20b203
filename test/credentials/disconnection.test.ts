/** What becomes of credentials at the provider when they end here (docs/contract.md#revocation-at-the-provider). */
import { describe, expect, it } from 'vitest';
import type { OAuthRules } from '../../src/catalog/model/types.ts';
import { tokenFailure } from '../support/fake-token-endpoint.ts';
import { forEachDatabase } from '../support/databases.ts';
import { until } from '../support/manual-timers.ts';
import { connectedAccount, machine, testServices, type Services } from '../support/services.ts';
import { consent, ledgerAccount, ledgerServices, rowOf } from './refresh/ledger.ts';

const revoked = async (services: Services): Promise<string[]> => {
  await services.revocation.settled();
  return services.tokens.presented('revoke');
};
const causes = async (services: Services, id: string) =>
  (await services.accounts.events(machine, id)).map(({ cause }) => cause);
const ofRevocation = async (revocation: OAuthRules['revocation']) =>
  ledgerServices({ rules: { revocation } });

describe('account disconnection: revocation at the provider', () => {
  it('erases the credentials here and revokes them where the provider ends one token', async () => {
    const services = await ofRevocation('token');
    const id = await ledgerAccount(services);
    const view = await services.disconnection.disconnect(machine, id);
    expect(view).toMatchObject({
      id,
      status: 'DISCONNECTED',
      authorization_details: {},
      token_expires_at: null,
    });
    expect(await revoked(services)).toEqual(['rt-0', 'at-0']);
    expect(await rowOf(services, id)).toMatchObject({ credentials_sealed: null, token_received_at: null });
    expect(await causes(services, id)).toEqual(['created', 'disconnected']);
  });

  it('asks nothing of a provider that revokes nothing', async () => {
    const services = await ofRevocation('none');
    await services.disconnection.disconnect(machine, await ledgerAccount(services));
    expect(await revoked(services)).toEqual([]);
  });

  it('revokes the grant by its refresh token, once, where nobody else can have it', async () => {
    const services = await ofRevocation('grant');
    const id = await ledgerAccount(services);
    const gone = await ledgerAccount(services, { access_token: 'x' }, { identifier: 'gone' });
    await services.disconnection.remove(machine, { id: gone });
    await services.disconnection.disconnect(machine, id);
    expect(await revoked(services)).toEqual(['rt-0']);
    expect(await causes(services, id)).toEqual(['created', 'disconnected']);
  });

  it.each(['live', 'waiting'])(
    'keeps a grant that another account may have too, and says so: %s credentials',
    async (kind) => {
      const services = await ofRevocation('grant');
      const id = await ledgerAccount(services);
      if (kind === 'live') await ledgerAccount(services, { access_token: 'x' }, { identifier: 'bob' });
      else {
        const bob = await ledgerAccount(services, {}, { identifier: 'bob', expiresInMs: null });
        await consent(services, bob, { access_token: 'waits' });
      }
      await services.disconnection.disconnect(machine, id);
      expect(await revoked(services)).toEqual([]);
      expect(await rowOf(services, id)).toMatchObject({ status: 'DISCONNECTED', credentials_sealed: null });
      expect(await causes(services, id)).toEqual(['created', 'disconnected_grant_kept']);
    },
  );

  it('keeps a grant that came through another connection with the same client', async () => {
    const services = await ofRevocation('grant');
    const id = await ledgerAccount(services);
    for (const [name, client_id] of [
      ['same', 'client-1'],
      ['other', 'client-2'],
    ] as const) {
      await services.connections.create(machine, {
        connector: 'ledger',
        name,
        client_id,
        client_secret: 's',
      });
    }
    const there = await ledgerAccount(services, { access_token: 'x' }, { connector: 'same' });
    const elsewhere = await ledgerAccount(services, { access_token: 'y' }, { connector: 'other' });
    await services.disconnection.disconnect(machine, there);
    expect(await revoked(services)).toEqual([]);
    await services.disconnection.disconnect(machine, elsewhere);
    expect(await revoked(services)).toEqual(['y']);
    await services.disconnection.disconnect(machine, id);
    expect(await revoked(services)).toEqual(['y', 'rt-0']);
  });

  it('disconnects the account whatever the provider answers', async () => {
    const services = await ofRevocation('token');
    const id = await ledgerAccount(services);
    services.tokens.revocationError = tokenFailure('temporary', { status: 503 });
    expect((await services.disconnection.disconnect(machine, id)).status).toBe('DISCONNECTED');
    expect(await revoked(services)).toEqual(['rt-0']);
  });

  it('waits a few seconds for the provider and no longer', async () => {
    const services = await ofRevocation('token');
    const id = await ledgerAccount(services);
    services.tokens.revoke = async () => new Promise(() => {});
    const done = services.disconnection.disconnect(machine, id);
    await until(() => services.timers.sleeping.length > 0);
    expect(services.timers.sleeping).toEqual([5_000]);
    services.timers.elapse();
    expect((await done).status).toBe('DISCONNECTED');
  });

  it('works where the catalog has lost the connector and where the connection has no revocation address', async () => {
    const services = await ofRevocation('token');
    const id = await ledgerAccount(services);
    const without = await testServices({ db: services.db, vault: services.vault, tokens: services.tokens });
    expect((await without.disconnection.disconnect(machine, id)).status).toBe('DISCONNECTED');

    await services.connections.update(machine, 'ledger', {
      overrides: { token_url: 'https://proxy.example/token' },
    });
    const other = await ledgerAccount(services, { access_token: 'x' }, { identifier: 'bob' });
    await services.disconnection.disconnect(machine, other);
    expect(await revoked(services)).toEqual([]);
  });

  it('has nothing to revoke for a key', async () => {
    const services = await testServices();
    const { id } = await connectedAccount(services);
    expect((await services.disconnection.disconnect(machine, id)).status).toBe('DISCONNECTED');
    expect(services.tokens.requests).toEqual([]);
  });
});

describe('account deletion: revocation at the provider', () => {
  it('revokes live and waiting credentials', async () => {
    const services = await ofRevocation('token');
    const id = await ledgerAccount(services);
    await consent(services, id, { access_token: 'waits', refresh_token: 'rt-waits' });
    await services.disconnection.remove(machine, { id });
    expect((await revoked(services)).toSorted()).toEqual(['at-0', 'rt-0', 'rt-waits', 'waits']);
    expect((await services.accounts.list(machine, {})).total_size).toBe(0);
  });
});

forEachDatabase((_, open) => {
  describe('revocation of credentials that wait for verification', () => {
    const waiting = async (revocation: OAuthRules['revocation'] = 'token') => {
      const services = await ledgerServices({ db: await open(), rules: { revocation } });
      const id = await ledgerAccount(services);
      const authRequestId = await consent(services, id, { access_token: 'waits', refresh_token: 'rt-waits' });
      return { services, id, authRequestId };
    };
    const verify = async (services: Services, auth_request_id: string, identifier: string) =>
      services.verification.verify(machine, { auth_request_id, identifier });

    it('revokes the waiting credentials when their time is over, whoever notices', async () => {
      const { services, id } = await waiting();
      services.clock.advance(600_000);
      await Promise.all([
        services.accounts.describe(machine, { id }),
        services.waiting.endExpired(),
        services.accounts.list(machine, {}),
      ]);
      expect(await revoked(services)).toEqual(['rt-waits', 'waits']);
    });

    it('revokes the waiting credentials after five wrong identifiers', async () => {
      const { services, authRequestId } = await waiting();
      for (let n = 0; n < 5; n++) {
        expect(services.tokens.requests).toEqual([]);
        await expect(verify(services, authRequestId, 'mallory')).rejects.toMatchObject({
          code: 'IDENTIFIER_MISMATCH',
        });
      }
      expect(await revoked(services)).toEqual(['rt-waits', 'waits']);
    });

    it('revokes the waiting credentials when newer ones come, and when an update replaces them', async () => {
      const { services, id } = await waiting();
      await consent(services, id, { access_token: 'newer' });
      expect(await revoked(services)).toEqual(['rt-waits', 'waits']);
      await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: { oauth_token: { access_token: 'given' } } },
      });
      expect(await revoked(services)).toEqual(['rt-waits', 'waits', 'newer']);
    });

    it('revokes nothing when the account is verified', async () => {
      const { services, authRequestId } = await waiting();
      await verify(services, authRequestId, 'ada');
      expect(await revoked(services)).toEqual([]);
    });

    it.each(['grant', 'none'] as const)(
      'erases the waiting credentials without revoking where that would end more: %s',
      async (revocation) => {
        const { services, id } = await waiting(revocation);
        services.clock.advance(600_000);
        await services.waiting.endExpired();
        expect(await revoked(services)).toEqual([]);
        const [request] = await services.db.read.selectFrom('auth_requests').selectAll().execute();
        expect(request).toMatchObject({ account_id: id, ended_by: 'expired', waiting_sealed: null });
      },
    );

    it('revokes nothing where the provider gave the live token again', async () => {
      const { services, id } = await waiting();
      await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: { oauth_token: { access_token: 'waits' } } },
      });
      expect(await revoked(services)).toEqual([]);
    });
  });
});
