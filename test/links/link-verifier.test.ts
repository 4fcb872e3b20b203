import { beforeEach, describe, expect, it } from 'vitest';
import { AuthRequestStore } from '../../src/store/accounts/auth-request-store.ts';
import { ROUNDS } from '../support/rounds.ts';
import { forEachDatabase } from '../support/databases.ts';
import {
  machine,
  OTHER_ENVIRONMENT_ID,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices();
});

/** A form submitted for user u1; returns the account and the auth request that waits. */
async function waiting(values = { api_key: 'new-key' }): Promise<{ id: string; authRequestId: string }> {
  const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
  const target = new URL((await submitForm(services, link, values)) ?? '');
  const { connected_accounts } = await services.accounts.list(machine, { user_id: 'u1' });
  return { id: connected_accounts[0]!.id, authRequestId: target.searchParams.get('auth_request_id') ?? '' };
}

const status = async (id: string): Promise<string> =>
  (await services.accounts.describe(machine, { id })).status;
const verify = async (auth_request_id: string, identifier = 'u1') =>
  services.verification.verify(machine, { auth_request_id, identifier });

describe('link verification', () => {
  it('activates the account and says where the user goes next', async () => {
    const { id, authRequestId } = await waiting();
    expect(await verify(authRequestId)).toEqual({
      post_user_verify_redirect_url: 'http://127.0.0.1:3000/connect/done',
    });
    expect(await services.credentialAccess.describe(machine, { id })).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { static_auth: { details: { api_key: 'new-key' } } },
    });
  });

  it('records each step in the events of the account', async () => {
    const { id, authRequestId } = await waiting();
    await verify(authRequestId);
    expect(
      (await services.accounts.events(machine, id)).map(({ from, to, cause, actor }) => [
        from,
        to,
        cause,
        actor,
      ]),
    ).toEqual([
      [null, 'PENDING_AUTH', 'created', 'cred_test'],
      ['PENDING_AUTH', 'PENDING_VERIFICATION', 'submitted', 'link'],
      ['PENDING_VERIFICATION', 'ACTIVE', 'verified', 'cred_test'],
    ]);
  });

  it('shows no waiting credential anywhere before verification', async () => {
    const { id } = await waiting({ api_key: 'planted-secret' });
    const seen = [
      await services.accounts.describe(machine, { id }),
      await services.credentialAccess.describe(machine, { id }),
      await services.accounts.list(machine, {}),
    ];
    expect(JSON.stringify(seen)).not.toContain('planted-secret');
  });

  it('answers 404 to the second verification', async () => {
    const { authRequestId } = await waiting();
    await verify(authRequestId);
    await expect(verify(authRequestId)).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: 'auth request not found or no longer valid',
    });
  });

  it('refuses another identifier and stays pending', async () => {
    const { id, authRequestId } = await waiting();
    await expect(verify(authRequestId, 'u2')).rejects.toMatchObject({
      code: 'IDENTIFIER_MISMATCH',
      status: 403,
    });
    expect(await status(id)).toBe('PENDING_VERIFICATION');
    await verify(authRequestId);
    expect(await status(id)).toBe('ACTIVE');
  });

  it('erases waiting credentials after five wrong identifiers', async () => {
    const { id, authRequestId } = await waiting();
    for (let i = 0; i < 5; i++) {
      await expect(verify(authRequestId, `guess-${i}`)).rejects.toMatchObject({
        code: 'IDENTIFIER_MISMATCH',
      });
    }
    await expect(verify(authRequestId)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await status(id)).toBe('PENDING_AUTH');
  });

  it('compares identifiers after Unicode normalization', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', identifier: 'jos\u00e9' });
    const target = new URL((await submitForm(services, link, { api_key: 'k' })) ?? '');
    await expect(
      verify(target.searchParams.get('auth_request_id') ?? '', 'jose\u0301'),
    ).resolves.toMatchObject({ post_user_verify_redirect_url: expect.any(String) });
  });

  it('ends after ten minutes, with the status before', async () => {
    const { id, authRequestId } = await waiting();
    services.clock.advance(600_000);
    await expect(verify(authRequestId)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await status(id)).toBe('PENDING_AUTH');
    const rows = await services.db.read.selectFrom('auth_requests').selectAll().execute();
    expect(rows.map(({ ended_by, waiting_sealed }) => [ended_by, waiting_sealed])).toEqual([
      ['expired', null],
    ]);
  });

  it('does not activate an expired account when verification ends after its credential has expired', async () => {
    const account = await services.accounts.create(machine, {
      connector: 'notes',
      identifier: 'u1',
      user_id: 'u1',
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'old' } } } },
    });
    await waiting();
    const refused = { status: 401, headers: {}, body: Buffer.from('{"error":"bad key"}') };
    services.answers.push(refused, refused);
    for (let i = 0; i < 2; i++) {
      const call = {
        caller: machine,
        toolName: 'notes_search',
        input: { query: 'x' },
        account: { id: account.id },
      };
      await expect(services.executor.execute(call)).rejects.toThrow();
    }
    expect(await status(account.id)).toBe('PENDING_VERIFICATION');
    services.clock.advance(600_000);
    expect(await status(account.id)).toBe('EXPIRED');
  });

  it('lets the newer of two submitted forms win', async () => {
    const older = await waiting({ api_key: 'older' });
    const newer = await waiting({ api_key: 'newer' });
    await expect(verify(older.authRequestId)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await verify(newer.authRequestId);
    expect(await services.credentialAccess.describe(machine, { id: newer.id })).toMatchObject({
      authorization_details: { static_auth: { details: { api_key: 'newer' } } },
    });
  });

  it('ends with an update of the credentials', async () => {
    const { id, authRequestId } = await waiting();
    await services.accounts.update(machine, {
      id,
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'by-update' } } } },
    });
    expect(await status(id)).toBe('ACTIVE');
    await expect(verify(authRequestId)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('ends with a disconnection, and the account stays disconnected', async () => {
    const { id, authRequestId } = await waiting();
    await services.disconnection.disconnect(machine, id);
    await expect(verify(authRequestId)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await status(id)).toBe('DISCONNECTED');
  });

  it('answers 404 from another environment and to a credential of another organization', async () => {
    const { authRequestId } = await waiting();
    for (const caller of [
      { ...machine, environmentId: OTHER_ENVIRONMENT_ID },
      { ...machine, boundOrganizationId: 'org_x' },
    ]) {
      await expect(
        services.verification.verify(caller, { auth_request_id: authRequestId, identifier: 'u1' }),
      ).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    }
  });

  it.each(['', 'short', 'has spaces in it, and more', '../../../../etc/passwd/x', 'a'.repeat(200)])(
    'answers 404 to the auth_request_id %j, whatever its form',
    async (id) => {
      await expect(verify(id)).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
        message: 'auth request not found or no longer valid',
      });
    },
  );
});

forEachDatabase((_, open) => {
  it('lets one of many parallel verifies succeed and answers the others 404', async () => {
    services = await testServices({ db: await open() });
    const { id, authRequestId } = await waiting();
    const results = await Promise.allSettled(
      Array.from({ length: ROUNDS.parallelVerifies }, async () => verify(authRequestId)),
    );
    const codes = results.map((result) =>
      result.status === 'fulfilled' ? 'ok' : (result.reason as { code: string }).code,
    );
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes.filter((code) => code === 'RESOURCE_NOT_FOUND')).toHaveLength(ROUNDS.parallelVerifies - 1);
    expect(await status(id)).toBe('ACTIVE');
    expect(
      await new AuthRequestStore(services.db.read).findOpenByAccount(machine.environmentId, id),
    ).toBeUndefined();
  });
});
