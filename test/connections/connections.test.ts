import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import { ENVIRONMENT_ID, machine, OTHER_ENVIRONMENT_ID, testServices } from '../support/services.ts';

forEachDatabase((_, open) => {
  const fresh = async () => testServices({ db: await open() });

  describe('connections', () => {
    it('exist by themselves for connectors that need nothing from the operator', async () => {
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

    it('take a secret and never give it back', async () => {
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

    it('show what does not work yet wherever they are shown', async () => {
      const { connections } = await fresh();
      const input = { connector: 'mailbox', overrides: { base_url: 'http://127.0.0.1:4010' } };
      const warned = expect.arrayContaining([expect.stringContaining('may not reach 127.0.0.1:4010')]);
      const made = await connections.create(machine, input);
      const listed = await connections.list(ENVIRONMENT_ID);
      expect([made.warnings, listed.find(({ id }) => id === made.id)?.warnings]).toEqual([warned, warned]);
      const { warnings } = await connections.update(machine, made.id, { overrides: {} });
      expect(warnings.join(' ')).not.toContain('127.0.0.1:4010');
    });

    it('lose what a change sets to null, and nothing else', async () => {
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
      expect(row).toMatchObject({ client_id: 'app-1', client_secret_sealed: null, scopes: ['mail.read'] });
      const nothing = { client_id: null, post_user_verify_redirect_url: null };
      expect(await connections.update(machine, id, nothing)).toMatchObject({
        ...nothing,
        scopes: ['mail.read'],
      });
    });

    it('refuse a secret without repeating it', async () => {
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
    ])('refuse %j naming %j', async (input, fields) => {
      const { connections } = await fresh();
      await expect(connections.create(machine, input)).rejects.toMatchObject({
        details: { field_violations: fields.map((field) => expect.objectContaining({ field })) },
      });
    });

    it('have unique names in their environment', async () => {
      const { connections } = await fresh();
      await expect(connections.create(machine, { connector: 'notes' })).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
    });

    it('cannot take an id that another environment uses', async () => {
      const { connections } = await fresh();
      await connections.create(machine, { connector: 'mailbox', id: 'conn_mail' });
      const other = { ...machine, environmentId: OTHER_ENVIRONMENT_ID };
      await expect(
        connections.create(other, { connector: 'mailbox', id: 'conn_mail' }),
      ).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    });

    it('cannot be renamed to the name of another', async () => {
      const { connections } = await fresh();
      await connections.create(machine, { connector: 'mailbox' });
      await expect(connections.update(machine, 'mailbox', { name: 'notes' })).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
    });

    it('keep every member of changes made at the same time', async () => {
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
      expect(await vault.open(place, row?.client_secret_sealed ?? '')).toBe('secret-2');
    });

    it('name everything that a change cannot change', async () => {
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

    it('cannot be removed while accounts use them', async () => {
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

    it('can be removed when nothing uses them', async () => {
      const { connections } = await fresh();
      await connections.create(machine, { connector: 'notes', name: 'second' });
      await connections.remove(machine, 'second');
      await expect(connections.get(ENVIRONMENT_ID, 'second')).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
      });
    });

    it.each(['made by itself', 'changed by the operator'])(
      'stay where their connector needs nothing from the operator and they have its name: %s',
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

    it('of another environment are not found', async () => {
      const { connections } = await fresh();
      const { id } = await connections.create(machine, { connector: 'mailbox' });
      await expect(connections.get(OTHER_ENVIRONMENT_ID, id)).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
      });
    });
  });
});
