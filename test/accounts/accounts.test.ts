import { describe, expect, it } from 'vitest';
import type { AccountInput } from '../../src/accounts/account-input.ts';
import { forEachDatabase } from '../support/databases.ts';
import { connectedAccount, machine, OTHER_ENVIRONMENT_ID, testServices } from '../support/services.ts';

const apiKey = (api_key: string) => ({ authorization_details: { static_auth: { details: { api_key } } } });

forEachDatabase((_, open) => {
  const fresh = async () => testServices({ db: await open() });

  describe('account creation', () => {
    it('makes an ACTIVE account of usable credentials, and does not show them', async () => {
      const { accounts } = await fresh();
      const account = await accounts.create(machine, {
        connector: 'notes',
        identifier: 'mary@example.test',
        user_id: 'u1',
        connected_account: { ...apiKey('secret-key'), api_config: { a: { b: 1, c: null } } },
      });
      expect(account).toEqual({
        id: expect.stringMatching(/^ca_[0-9a-z]{26}$/),
        connection_id: expect.stringMatching(/^conn_/),
        connector: 'notes',
        provider: 'notes',
        identifier: 'mary@example.test',
        authorization_type: 'API_KEY',
        status: 'ACTIVE',
        token_expires_at: null,
        last_used_at: null,
        updated_at: '2026-11-20T12:00:00.000Z',
        organization_id: '',
        user_id: 'u1',
        api_config: { a: { b: 1 } },
        authorization_details: { static_auth: { details: {} } },
      });
    });

    it.each<[string, AccountInput['connected_account']]>([
      ['nothing', undefined],
      ['an empty variant', { authorization_details: { static_auth: { details: {} } } }],
      ['an empty key', apiKey('')],
    ])('makes a PENDING_AUTH account of %s', async (_name, connected_account) => {
      const { accounts } = await fresh();
      const account = await accounts.create(machine, {
        connector: 'notes',
        identifier: 'i',
        connected_account,
      });
      expect(account.status).toBe('PENDING_AUTH');
    });

    it('refuses a second account with the same key and accepts one of another owner', async () => {
      const services = await fresh();
      await connectedAccount(services, { user_id: 'u1' }, 'same');
      await expect(connectedAccount(services, { user_id: 'u1' }, 'same')).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
      await connectedAccount(services, { user_id: 'u2' }, 'same');
      await connectedAccount(services, { organization_id: 'u1' }, 'same');
      await connectedAccount(services, {}, 'same');
    });

    it('takes an identifier in two spellings of the same characters for one', async () => {
      const services = await fresh();
      await connectedAccount(services, {}, 'jos\u00e9');
      await expect(connectedAccount(services, {}, 'jose\u0301')).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
    });

    it.each<[AccountInput, string[]]>([
      [{}, ['connector', 'identifier']],
      [{ connector: 'notes', identifier: 'i', user_id: 'u', organization_id: 'o' }, ['organization_id']],
      [{ connector: 'bad/name', identifier: 'x'.repeat(201) }, ['connector', 'identifier']],
      [{ connector: 'nowhere', identifier: 'i' }, ['connector']],
      [
        { connector: 'notes', identifier: 'i', connected_account: { authorization_type: 'OAUTH' } },
        ['connected_account.authorization_type'],
      ],
      [
        {
          connector: 'notes',
          identifier: 'i',
          connected_account: { authorization_details: { oauth_token: { access_token: 'x' }, nonsense: {} } },
        },
        [
          'connected_account.authorization_details.oauth_token',
          'connected_account.authorization_details.nonsense',
        ],
      ],
      [
        {
          connector: 'notes',
          identifier: 'i',
          connected_account: { authorization_details: { static_auth: { details: 'x' } } },
        },
        ['connected_account.authorization_details.static_auth.details'],
      ],
    ])('refuses %j naming %j and stores nothing', async (input, fields) => {
      const { accounts } = await fresh();
      await expect(accounts.create(machine, input)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field_violations: fields.map((field) => expect.objectContaining({ field })) },
      });
      expect((await accounts.list(machine, {})).total_size).toBe(0);
    });
  });

  describe('account update', () => {
    it('replaces credentials and merges api_config', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      await services.accounts.update(machine, {
        id,
        connected_account: { api_config: { rate: 5, deep: { a: 1, b: 2 } } },
      });
      const updated = await services.accounts.update(machine, {
        id,
        connected_account: { ...apiKey('key-2'), api_config: { rate: null, deep: { b: 3 } } },
      });
      expect(updated.api_config).toEqual({ deep: { a: 1, b: 3 } });
      expect(await services.credentialAccess.describe(machine, { id })).toMatchObject({
        authorization_details: { static_auth: { details: { api_key: 'key-2' } } },
      });
    });

    it('activates an account that was disconnected', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      const gone = await services.disconnection.disconnect(machine, id);
      expect(gone.status).toBe('DISCONNECTED');
      expect(await services.credentialAccess.describe(machine, { id })).toMatchObject({
        authorization_details: {},
      });
      expect((await services.accounts.update(machine, { id, connected_account: apiKey('k') })).status).toBe(
        'ACTIVE',
      );
    });

    it('keeps both of two updates at the same time', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      await Promise.all([
        services.accounts.update(machine, {
          id,
          connected_account: { ...apiKey('key-2'), api_config: { a: 1 } },
        }),
        services.accounts.update(machine, {
          id,
          connected_account: { ...apiKey('key-2'), api_config: { b: 2 } },
        }),
      ]);
      expect((await services.accounts.describe(machine, { id })).api_config).toEqual({ a: 1, b: 2 });
    });

    it('finds the account by connector, owner and identifier', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services, { user_id: 'u1' }, 'i1');
      const updated = await services.accounts.update(machine, {
        connector: 'notes',
        user_id: 'u1',
        identifier: 'i1',
      });
      expect(updated.id).toBe(id);
    });
  });

  describe('account lookup', () => {
    it('answers 400 when nothing locates the account, naming what is missing', async () => {
      const { accounts } = await fresh();
      await expect(accounts.describe(machine, {})).rejects.toMatchObject({
        details: { field_violations: [{ field: 'connector' }, { field: 'identifier' }] },
      });
    });

    it('answers a foreign account like one that does not exist', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services, { organization_id: 'org_a' }, 'i');
      const absent = { code: 'RESOURCE_NOT_FOUND', message: 'There is no such connected account.' };
      const callers = [
        { ...machine, environmentId: OTHER_ENVIRONMENT_ID },
        { ...machine, boundOrganizationId: 'org_b' },
      ];
      for (const caller of callers) {
        await expect(services.accounts.describe(caller, { id })).rejects.toMatchObject(absent);
        await expect(services.accounts.update(caller, { id })).rejects.toMatchObject(absent);
        await expect(services.disconnection.disconnect(caller, id)).rejects.toMatchObject(absent);
        await expect(services.disconnection.remove(caller, { id })).rejects.toMatchObject(absent);
        await expect(services.accounts.events(caller, id)).rejects.toMatchObject(absent);
        await expect(services.credentialAccess.describe(caller, { id })).rejects.toMatchObject(absent);
        expect((await services.accounts.list(caller, {})).total_size).toBe(0);
      }
      await expect(
        services.accounts.describe(machine, { id: 'ca_0000000000000000000000000' }),
      ).rejects.toMatchObject(absent);
    });

    it('shows credentials only with the scope for it, and writes each look into the audit log', async () => {
      const services = await fresh();
      const { id } = await connectedAccount(services);
      await expect(
        services.credentialAccess.describe({ ...machine, scopes: new Set(['accounts:read']) }, { id }),
      ).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
      await services.credentialAccess.describe(machine, { id });
      const lines = await services.db.read.selectFrom('audit').selectAll().execute();
      expect(lines.map(({ actor, action, target, ip }) => [actor, action, target, ip])).toEqual([
        ['cred_test', 'connected_account.credentials_read', id, '127.0.0.1'],
      ]);
    });
  });

  describe('account list', () => {
    it('pages forwards and backwards, newest first, and stays stable under writes', async () => {
      const services = await fresh();
      for (let i = 1; i <= 5; i++) {
        services.clock.advance(1);
        await connectedAccount(services, { user_id: `u${i}` });
      }
      const page = async (page_token?: string) => {
        const found = await services.accounts.list(machine, { page_size: 2, page_token });
        return { ...found, users: found.connected_accounts.map((account) => account.identifier) };
      };
      const first = await page();
      expect([first.users, first.prev_page_token, first.total_size]).toEqual([['u5', 'u4'], '', 5]);
      services.clock.advance(1);
      await connectedAccount(services, { user_id: 'u6' });
      const second = await page(first.next_page_token);
      expect(second.users).toEqual(['u3', 'u2']);
      const third = await page(second.next_page_token);
      expect([third.users, third.next_page_token, third.total_size]).toEqual([['u1'], '', 6]);
      const back = await page(third.prev_page_token);
      expect(back.users).toEqual(['u3', 'u2']);
      const start = await page(back.prev_page_token);
      expect(start.users).toEqual(['u5', 'u4']);
      const newest = await page(start.prev_page_token);
      expect([newest.users, newest.prev_page_token]).toEqual([['u6'], '']);
    });

    it('pages accounts whose identifiers begin with a text in order of these, forwards and backwards', async () => {
      const services = await fresh();
      for (const name of ['a-2', 'b', 'a-3', 'a-1'])
        await connectedAccount(services, { user_id: name }, name);
      const page = async (query: string, page_token?: string) => {
        const { connected_accounts, ...links } = await services.accounts.list(machine, {
          query,
          page_size: 2,
          page_token,
        });
        return { ...links, names: connected_accounts.map(({ identifier }) => identifier) };
      };
      const first = await page('a-');
      expect([first.names, first.prev_page_token, first.total_size]).toEqual([['a-1', 'a-2'], '', 3]);
      const second = await page('a-', first.next_page_token);
      expect([second.names, second.next_page_token]).toEqual([['a-3'], '']);
      const back = await page('a-', second.prev_page_token);
      expect([back.names, back.prev_page_token]).toEqual([['a-1', 'a-2'], '']);
      await expect(page('a', first.next_page_token)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });

    it('filters accounts by exact values, without wildcards', async () => {
      const services = await fresh();
      await connectedAccount(services, { user_id: 'u1' }, 'a_1');
      await connectedAccount(services, { user_id: 'u2' }, 'ax1');
      await connectedAccount(services, { organization_id: 'o1' }, 'b%1');
      const found = async (query: Parameters<typeof services.accounts.list>[1]) =>
        (await services.accounts.list(machine, query)).connected_accounts.map(
          (account) => account.identifier,
        );
      expect(await found({ user_id: 'u1' })).toEqual(['a_1']);
      expect(await found({ organization_id: 'o1' })).toEqual(['b%1']);
      expect(await found({ identifier: 'a%' })).toEqual([]);
      expect(await found({ query: 'a_' })).toEqual(['a_1']);
      expect(await found({ query: 'b%' })).toEqual(['b%1']);
      expect(await found({ connector: 'notes', provider: 'notes', status: 'ACTIVE', query: 'a' })).toEqual([
        'a_1',
        'ax1',
      ]);
      expect(await found({ connection_names: ['desk', 'weather'] })).toEqual([]);
      expect(await found({ status: 'EXPIRED' })).toEqual([]);
    });

    it.each([
      [{ page_size: 0 }, 'page_size'],
      [{ page_size: 101 }, 'page_size'],
      [{ page_size: 1.5 }, 'page_size'],
      [{ status: 'active' }, 'status'],
      [{ page_token: 'nonsense' }, 'page_token'],
      [{ user_id: 'u', organization_id: 'o' }, 'organization_id'],
    ])('refuses the page or filter %j on %s', async (query, field) => {
      const { accounts } = await fresh();
      await expect(accounts.list(machine, query)).rejects.toMatchObject({
        details: { field_violations: [{ field }] },
      });
    });

    it('refuses a page token with other filters or from another environment', async () => {
      const services = await fresh();
      for (const user_id of ['u1', 'u2']) await connectedAccount(services, { user_id });
      const { next_page_token } = await services.accounts.list(machine, { page_size: 1 });
      expect(next_page_token).not.toBe('');
      const refusal = { details: { field_violations: [{ field: 'page_token' }] } };
      await expect(
        services.accounts.list(machine, { page_size: 1, page_token: next_page_token, provider: 'notes' }),
      ).rejects.toMatchObject(refusal);
      await expect(
        services.accounts.list(
          { ...machine, environmentId: OTHER_ENVIRONMENT_ID },
          { page_token: next_page_token },
        ),
      ).rejects.toMatchObject(refusal);
    });
  });
});
