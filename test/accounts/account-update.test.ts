import { describe, expect, it } from 'vitest';
import type { AccountInput } from '../../src/accounts/account-input.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import {
  connectedAccount,
  ENVIRONMENT_ID,
  machine,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';

type Details = NonNullable<NonNullable<AccountInput['connected_account']>['authorization_details']>;

const update = async (services: Services, id: string, authorization_details: Details) =>
  services.accounts.update(machine, { id, connected_account: { authorization_details } });

const credentials = async (services: Services, id: string) =>
  (await services.credentialAccess.describe(machine, { id })).authorization_details;

const setColumns = async (
  { db }: Services,
  id: string,
  columns: Parameters<AccountStore['update']>[2],
): Promise<void> => {
  await db.transaction(async (tx) => new AccountStore(tx).update(ENVIRONMENT_ID, id, columns));
};

async function mailAccount(services: Services, oauth_token: Record<string, unknown>) {
  await services.connections.create(machine, { connector: 'mailbox' });
  return services.accounts.create(machine, {
    connector: 'mailbox',
    identifier: 'u1',
    connected_account: { authorization_details: { oauth_token } },
  });
}

forEachDatabase((_, open) => {
  const fresh = async () => testServices({ db: await open() });

  describe('account update: unusable credentials', () => {
    it.each<[string, string, Details, string[]]>([
      [
        'notes',
        'an empty key',
        { static_auth: { details: { api_key: '' } } },
        ['static_auth.details.api_key'],
      ],
      [
        'desk',
        'neither name nor password',
        { static_auth: { details: { other: 'x' } } },
        ['static_auth.details.username', 'static_auth.details.password'],
      ],
    ])(
      'refuses an account at %s with %s, and leaves the account as it was',
      async (connector, _name, given, paths) => {
        const services = await fresh();
        const details = { api_key: 'key-1', username: 'mary', password: 'pass-1' };
        const { id } = await services.accounts.create(machine, {
          connector,
          identifier: 'i',
          connected_account: { authorization_details: { static_auth: { details } } },
        });
        await expect(update(services, id, given)).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          details: {
            field_violations: paths.map((path) => ({
              field: `connected_account.authorization_details.${path}`,
              description: 'Is missing or empty. The credentials cannot be used without it.',
              constraint: 'required',
            })),
          },
        });
        expect((await services.accounts.describe(machine, { id })).status).toBe('ACTIVE');
        expect(await credentials(services, id)).toEqual({ static_auth: { details } });
      },
    );

    it('refuses an update that would empty the only token', async () => {
      const services = await fresh();
      const { id } = await mailAccount(services, { access_token: 'token-1' });
      await expect(update(services, id, { oauth_token: { access_token: '' } })).rejects.toMatchObject({
        details: {
          field_violations: [
            {
              field: 'connected_account.authorization_details.oauth_token.access_token',
              constraint: 'required',
            },
          ],
        },
      });
    });

    it.each<[Details, string[]]>([
      [{ static_auth: { details: { username: 5, password: 'p\u0007ss' } } }, ['username', 'password']],
      [
        { static_auth: { details: { username: 'a\nb', password: 'x'.repeat(8193) } } },
        ['username', 'password'],
      ],
      [{ static_auth: { details: { username: { a: 1 }, password: '\u007f' } } }, ['username', 'password']],
    ])('refuses credentials that cannot be sent: %j', async (given, names) => {
      const services = await fresh();
      await expect(
        services.accounts.create(machine, {
          connector: 'desk',
          identifier: 'i',
          connected_account: { authorization_details: given },
        }),
      ).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: {
          field_violations: names.map((name) =>
            expect.objectContaining({
              field: `connected_account.authorization_details.static_auth.details.${name}`,
            }),
          ),
        },
      });
    });

    it('accepts a credential of 8192 characters of printable ASCII', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      const api_key = ` ~${'x'.repeat(8190)}`;
      await update(services, id, { static_auth: { details: { api_key } } });
      expect(await credentials(services, id)).toEqual({ static_auth: { details: { api_key } } });
    });
  });

  describe('account update: no credential in it', () => {
    it.each<[Details, Record<string, unknown>]>([
      [{ oauth_token: {} }, {}],
      [{ oauth_token: { scopes: ['mail.read'] } }, { scopes: ['mail.read'] }],
      [{ oauth_token: { domain: 'a.example' } }, { domain: 'a.example' }],
      [{ oauth_token: { access_token: '', scopes: [] } }, { access_token: '', scopes: [] }],
    ])('merges %j and does not revive an expired account', async (given, changed) => {
      const services = await fresh();
      const { id } = await mailAccount(services, { access_token: 'token-1', refresh_token: 'refresh-1' });
      await setColumns(services, id, { status: 'EXPIRED' });
      expect((await update(services, id, given)).status).toBe('EXPIRED');
      expect(await credentials(services, id)).toEqual({
        oauth_token: { access_token: 'token-1', refresh_token: 'refresh-1', ...changed },
      });
      expect(await services.accounts.events(machine, id)).toHaveLength(1);
    });

    it('keeps the expiry of the token unless the update gives one', async () => {
      const services = await fresh();
      const { id } = await mailAccount(services, { access_token: 'token-1' });
      await setColumns(services, id, { token_expires_at: Date.UTC(2026, 10, 20, 13) });
      const noted = await update(services, id, { oauth_token: { scopes: ['mail.read'] } });
      expect(noted.token_expires_at).toBe('2026-11-20T13:00:00.000Z');
      const given = await services.accounts.update(machine, {
        id,
        connected_account: {
          authorization_details: { oauth_token: {} },
          token_expires_at: '2026-11-20T14:00:00Z',
        },
      });
      expect(given.token_expires_at).toBe('2026-11-20T14:00:00.000Z');
    });

    it.each(['access_token', 'refresh_token'])('revives an expired account with a new %s', async (name) => {
      const services = await fresh();
      const { id } = await mailAccount(services, { access_token: 'token-1' });
      await setColumns(services, id, { status: 'EXPIRED' });
      expect((await update(services, id, { oauth_token: { [name]: 'token-2' } })).status).toBe('ACTIVE');
    });

    it('leaves the waiting credentials waiting', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      const { link } = await services.links.create(machine, { id });
      const target = new URL((await submitForm(services, link, { api_key: 'key-2' })) ?? '');
      await update(services, id, { static_auth: {} });
      await services.verification.verify(machine, {
        auth_request_id: target.searchParams.get('auth_request_id') ?? '',
        identifier: 'u1',
      });
      expect(await credentials(services, id)).toEqual({ static_auth: { details: { api_key: 'key-2' } } });
    });
  });

  describe('account update: an empty variant', () => {
    it.each<Details>([
      { static_auth: {} },
      { static_auth: { details: {} } },
      { oauth_token: {} },
      { static_auth: { details: {} }, workspace_dwd: {}, trusted_idp: {} },
    ])('leaves the credential as it is when it gets %j', async (empty) => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      const updated = await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: empty, api_config: { a: 1 } },
      });
      expect(updated).toMatchObject({
        status: 'ACTIVE',
        api_config: { a: 1 },
        authorization_details: { static_auth: { details: {} } },
      });
      expect(await credentials(services, id)).toEqual({ static_auth: { details: { api_key: 'key-1' } } });
    });
  });

  describe('account update: a stored credential that cannot be opened', () => {
    it('leaves the account readable, without credentials, and unusable', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      await setColumns(services, id, { credentials_sealed: 'damaged' });
      expect(await services.accounts.describe(machine, { id })).toMatchObject({
        status: 'ACTIVE',
        authorization_details: {},
      });
      await expect(
        services.executor.execute({
          caller: machine,
          toolName: 'notes_search',
          input: { query: 'q' },
          account: { id },
        }),
      ).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: `The stored secret of ${id} cannot be opened: it is damaged. Enter the secret again.`,
      });
    });

    it('replaces the damaged credential by a new one', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      await setColumns(services, id, { credentials_sealed: 'damaged' });
      const updated = await update(services, id, { static_auth: { details: { api_key: 'key-2' } } });
      expect(updated.status).toBe('ACTIVE');
      expect(await credentials(services, id)).toEqual({ static_auth: { details: { api_key: 'key-2' } } });
    });

    it('keeps the damaged credential when only api_config changes, and refuses scopes alone', async () => {
      const services = await fresh();
      const { id } = await mailAccount(services, { access_token: 'token-1' });
      await setColumns(services, id, { credentials_sealed: 'damaged' });
      await services.accounts.update(machine, { id, connected_account: { api_config: { a: 1 } } });
      await expect(update(services, id, { oauth_token: { scopes: [] } })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      const row = await new AccountStore(services.db.read).find({ environmentId: ENVIRONMENT_ID }, id);
      expect([row?.credentialsSealed, row?.apiConfig]).toEqual(['damaged', { a: 1 }]);
    });
  });

  describe('account update: api_config', () => {
    const tooLong = {
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          expect.objectContaining({ field: 'connected_account.api_config', constraint: 'max_length' }),
        ],
      },
    };

    it('allows api_config 64 KiB of JSON, however many updates bring it', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      const put = async (api_config: Record<string, unknown>) =>
        services.accounts.update(machine, { id, connected_account: { api_config } });
      await put({ a: 'x'.repeat(32_000) });
      await put({ b: 'x'.repeat(33_519) });
      await expect(put({ c: 1 })).rejects.toMatchObject(tooLong);
      expect(Object.keys((await services.accounts.describe(machine, { id })).api_config)).toEqual(['a', 'b']);
      expect((await put({ a: null, c: 1 })).api_config).toEqual({ b: 'x'.repeat(33_519), c: 1 });
    });

    it('counts the 64 KiB of api_config in bytes when the account is created', async () => {
      const { accounts } = await fresh();
      await expect(
        accounts.create(machine, {
          connector: 'notes',
          identifier: 'i',
          connected_account: { api_config: { a: '\u00e9'.repeat(33_000) } },
        }),
      ).rejects.toMatchObject(tooLong);
    });
  });
});
