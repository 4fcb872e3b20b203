import { describe, expect, it } from 'vitest';
import type { ConnectionPatch } from '../../src/connections/connection-views.ts';
import { toTimestamp } from '../../src/core/clock.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import { ENVIRONMENT_ID, machine, OTHER_ENVIRONMENT_ID, testServices } from '../support/services.ts';

forEachDatabase((_, open) => {
  const fresh = async () => testServices({ db: await open() });

  describe('connection resource', () => {
    it('creates connections by itself for connectors that need nothing from the operator', async () => {
      const { connections } = await fresh();
      expect(
        (await connections.list(ENVIRONMENT_ID)).map(({ name, authorization_type }) => [
          name,
          authorization_type,
        ]),
      ).toEqual([
        ['desk', 'BASIC_AUTH'],
        ['notes', 'API_KEY'],
        ['weather', 'NO_AUTH'],
      ]);
    });

    it('accepts a secret and never gives it back', async () => {
      const { connections, db } = await fresh();
      const view = await connections.create(machine, {
        connector: 'mailbox',
        client_id: 'app-1',
        client_secret: 'planted-secret',
        scopes: ['mail.read'],
      });
      expect(view).toMatchObject({
        name: 'mailbox',
        client_id: 'app-1',
        redirect_uri: `http://127.0.0.1:3000/sso/v1/oauth/${view.id}/callback`,
        managed_by_file: false,
      });
      const rows = await db.read.selectFrom('connections').selectAll().execute();
      expect(JSON.stringify([view, await connections.list(ENVIRONMENT_ID), rows])).not.toContain(
        'planted-secret',
      );
    });

    it('shows what does not work yet wherever the connection is shown', async () => {
      const { connections } = await fresh();
      const input = { connector: 'mailbox', overrides: { base_url: 'http://127.0.0.1:4010' } };
      const warned = expect.arrayContaining([expect.stringContaining('may not reach 127.0.0.1:4010')]);
      const made = await connections.create(machine, input);
      const listed = await connections.list(ENVIRONMENT_ID);
      expect([made.warnings, listed.find(({ id }) => id === made.id)?.warnings]).toEqual([warned, warned]);
      const { warnings } = await connections.update(machine, made.id, { overrides: {} });
      expect(warnings.join(' ')).not.toContain('127.0.0.1:4010');
    });

    it('removes what a change sets to null, and nothing else', async () => {
      const { connections, db } = await fresh();
      const { id } = await connections.create(machine, {
        connector: 'mailbox',
        client_id: 'app-1',
        client_secret: 'secret-1',
        scopes: ['mail.read', 'mail.read'],
        post_user_verify_redirect_url: 'https://app.example/connected',
      });
      await connections.update(machine, id, { client_secret: null });
      const row = await new ConnectionStore(db.read).findById(ENVIRONMENT_ID, id);
      expect(row).toMatchObject({ clientId: 'app-1', clientSecretSealed: null, scopes: ['mail.read'] });
      const nothing = { client_id: null, post_user_verify_redirect_url: null };
      expect(await connections.update(machine, id, nothing)).toMatchObject({
        ...nothing,
        scopes: ['mail.read'],
      });
    });

    it('tells when its secret was given, whatever else changes later', async () => {
      const { connections, clock } = await fresh();
      const { id, secret_set_at: none } = await connections.create(machine, { connector: 'mailbox' });
      expect(none).toBeNull();
      const after = async (patch: ConnectionPatch) => {
        clock.advance(60_000);
        return (await connections.update(machine, id, patch)).secret_set_at;
      };
      const start = clock.now();
      expect(await after({ client_secret: 'secret-1' })).toBe(toTimestamp(start + 60_000));
      expect(await after({ scopes: ['mail.read'] })).toBe(toTimestamp(start + 60_000));
      expect(await after({ client_secret: 'secret-2' })).toBe(toTimestamp(start + 180_000));
      expect(await after({ client_secret: null })).toBeNull();
    });

    it('refuses a secret without repeating it', async () => {
      const { connections } = await fresh();
      const refused = connections.create(machine, {
        connector: 'mailbox',
        client_secret: 'planted-secret ',
      });
      await expect(refused).rejects.toSatisfy(
        (error) =>
          error instanceof ServiceError &&
          error.message.includes('client_secret') &&
          !JSON.stringify([error.message, error.details]).includes('planted-secret'),
      );
    });

    it.each([
      [{ connector: 'nowhere' }, ['connector']],
      [{ connector: 'mailbox', name: 'a/b', id: 'x' }, ['name', 'id']],
      [{ connector: 'mailbox', authorization_type: 'API_KEY' }, ['authorization_type']],
      [
        { connector: 'mailbox', overrides: { base_url: 'javascript:x', nothing: 'x' } },
        ['overrides.base_url', 'overrides.nothing'],
      ],
      [
        { connector: 'mailbox', post_user_verify_redirect_url: 'http://evil.test/' },
        ['post_user_verify_redirect_url'],
      ],
    ])('refuses %j naming %j', async (input, fields) => {
      const { connections } = await fresh();
      await expect(connections.create(machine, input)).rejects.toMatchObject({
        details: { field_violations: fields.map((field) => expect.objectContaining({ field })) },
      });
    });

    it('requires a unique name in the environment', async () => {
      const { connections } = await fresh();
      await expect(connections.create(machine, { connector: 'notes' })).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
    });

    it('refuses an id that another environment uses', async () => {
      const { connections } = await fresh();
      await connections.create(machine, { connector: 'mailbox', id: 'conn_mail' });
      const other = { ...machine, environmentId: OTHER_ENVIRONMENT_ID };
      await expect(
        connections.create(other, { connector: 'mailbox', id: 'conn_mail' }),
      ).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    });

    it('refuses to rename a connection to the name of another', async () => {
      const { connections } = await fresh();
      await connections.create(machine, { connector: 'mailbox' });
      await expect(connections.update(machine, 'mailbox', { name: 'notes' })).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
    });

    it('keeps every member of changes made at the same time', async () => {
      const { connections, db, vault } = await fresh();
      const { id } = await connections.create(machine, {
        connector: 'mailbox',
        client_id: 'app-1',
        client_secret: 'secret-1',
      });
      await Promise.all([
        connections.update(machine, id, { scopes: ['mail.read'] }),
        connections.update(machine, id, { client_id: 'app-2' }),
        connections.update(machine, id, { client_secret: 'secret-2' }),
        connections.update(machine, id, { overrides: { base_url: 'https://sandbox.example' } }),
        connections.update(machine, id, { name: 'mail' }),
      ]);
      expect(await connections.get(ENVIRONMENT_ID, id)).toMatchObject({
        name: 'mail',
        client_id: 'app-2',
        scopes: ['mail.read'],
        overrides: { base_url: 'https://sandbox.example' },
      });
      const row = await new ConnectionStore(db.read).findById(ENVIRONMENT_ID, id);
      const place = { table: 'connections', row: id, column: 'client_secret_sealed' };
      expect(await vault.open(place, row?.clientSecretSealed ?? '')).toBe('secret-2');
    });

    it('names everything that a change cannot change', async () => {
      const { connections } = await fresh();
      await expect(
        connections.update(machine, 'notes', { connector: 'mailbox', id: 'conn_other', name: 'other' }),
      ).rejects.toMatchObject({
        details: {
          field_violations: [
            { field: 'connector', constraint: 'fixed' },
            { field: 'id', constraint: 'fixed' },
            { field: 'name', constraint: 'fixed' },
          ],
        },
      });
    });

    it('refuses to remove a connection while accounts use it', async () => {
      const services = await fresh();
      await services.connections.create(machine, { connector: 'notes', name: 'second' });
      await services.accounts.create(machine, { connector: 'second', identifier: 'i' });
      await expect(services.connections.remove(machine, 'second')).rejects.toMatchObject({
        details: {
          field_violations: [
            {
              constraint: 'in_use',
              description:
                '1 connected account uses this connection. First delete its accounts: "gatehouse accounts list --connector second" lists them, "gatehouse accounts delete <id>" deletes one.',
            },
          ],
        },
      });
    });

    it('removes a connection that nothing uses', async () => {
      const { connections } = await fresh();
      await connections.create(machine, { connector: 'notes', name: 'second' });
      await connections.remove(machine, 'second');
      await expect(connections.get(ENVIRONMENT_ID, 'second')).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
      });
    });

    it.each(['made by itself', 'changed by the operator'])(
      'keeps a connection of the name of a connector that needs nothing from the operator: %s',
      async (state) => {
        const { connections } = await fresh();
        if (state === 'changed by the operator')
          await connections.update(machine, 'notes', { scopes: ['notes.read'] });
        await expect(connections.remove(machine, 'notes')).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          details: { field_violations: [{ field: 'id', constraint: 'fixed' }] },
        });
        expect(await connections.get(ENVIRONMENT_ID, 'notes')).toMatchObject({ name: 'notes' });
      },
    );

    it('hides connections of another environment', async () => {
      const { connections } = await fresh();
      const { id } = await connections.create(machine, { connector: 'mailbox' });
      await expect(connections.get(OTHER_ENVIRONMENT_ID, id)).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
      });
    });
  });
});
