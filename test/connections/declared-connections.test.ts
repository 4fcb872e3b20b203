import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../../src/core/clock.ts';
import type { ConnectionInput } from '../../src/connections/connection-views.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import {
  connectedAccount,
  ENVIRONMENT_ID,
  machine,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../support/services.ts';

const everything: ConnectionInput = {
  connector: 'mailbox',
  id: 'conn_mail',
  authorization_type: 'OAUTH',
  client_id: 'app-1',
  client_secret: 'secret-1',
  scopes: ['mail.read'],
  params: { tenant: 't1' },
  overrides: { base_url: 'https://old.example' },
  post_user_verify_redirect_url: 'https://app.example/connected',
};

const rowsOf = async ({ db }: Services, environmentId = ENVIRONMENT_ID) =>
  new ConnectionStore(db.read).list(environmentId);

forEachDatabase((_, open) => {
  const fresh = async () => testServices({ db: await open() });

  describe('connections declared in gatehouse.yaml', () => {
    it('creates each connection once, updates it by name and lets nobody change it elsewhere', async () => {
      const { connections } = await fresh();
      await connections.synchronize(ENVIRONMENT_ID, [{ connector: 'mailbox', scopes: ['a'] }]);
      await connections.synchronize(ENVIRONMENT_ID, [{ connector: 'mailbox', scopes: ['a', 'b'] }]);
      const declared = (await connections.list(ENVIRONMENT_ID)).filter(
        ({ connector }) => connector === 'mailbox',
      );
      expect(declared).toMatchObject([{ scopes: ['a', 'b'], managed_by_file: true }]);
      const refusal = { details: { field_violations: [{ constraint: 'managed_by_file' }] } };
      await expect(connections.update(machine, 'mailbox', { scopes: [] })).rejects.toMatchObject(refusal);
      await expect(connections.remove(machine, 'mailbox')).rejects.toMatchObject(refusal);
    });

    it('writes audit lines only where a start changes a connection', async () => {
      const services = await fresh();
      const { connections, clock, db } = services;
      for (const scopes of [['a'], ['a'], ['b']]) {
        await connections.synchronize(ENVIRONMENT_ID, [{ connector: 'mailbox', id: 'conn_mail', scopes }]);
        clock.advance(1_000);
      }
      await connections.synchronize(ENVIRONMENT_ID, []);
      const lines = await db.read
        .selectFrom('audit')
        .select(['environment_id', 'actor', 'action', 'target', 'ip'])
        .orderBy('at')
        .execute();
      const line = (verb: string) => ({
        environment_id: ENVIRONMENT_ID,
        actor: 'local',
        action: `connection.${verb}`,
        target: 'conn_mail',
        ip: '',
      });
      expect(lines).toEqual([line('create'), line('update'), line('update')]);
    });

    it('resets every member that is no longer declared to its default', async () => {
      const services = await fresh();
      await services.connections.synchronize(ENVIRONMENT_ID, [everything]);
      await services.connections.synchronize(ENVIRONMENT_ID, [{ connector: 'mailbox' }]);
      expect((await rowsOf(services)).find(({ name }) => name === 'mailbox')).toEqual(
        expect.objectContaining({
          id: 'conn_mail',
          type: 'OAUTH',
          clientId: null,
          clientSecretSealed: null,
          scopes: [],
          params: {},
          overrides: {},
          postUserVerifyRedirectUrl: null,
          managedBy: 'file',
        }),
      );
    });

    it('creates no undeclared connection for a connector that needs an operator', async () => {
      const services = await fresh();
      await services.connections.synchronize(ENVIRONMENT_ID, [{ connector: 'notes', name: 'second' }]);
      expect((await rowsOf(services)).map(({ name }) => name)).toEqual([
        'desk',
        'notes',
        'second',
        'weather',
      ]);
    });

    it('writes nothing when nothing has changed', async () => {
      const services = await fresh();
      await services.connections.synchronize(ENVIRONMENT_ID, [everything]);
      const before = await rowsOf(services);
      services.clock.advance(60_000);
      await services.connections.synchronize(ENVIRONMENT_ID, [everything]);
      expect(await rowsOf(services)).toEqual(before);
    });

    it('stores a new secret from the file', async () => {
      const services = await fresh();
      const { connections, clock } = services;
      const setAt = async () => (await connections.get(ENVIRONMENT_ID, 'mailbox')).secret_set_at;
      const start = clock.now();
      await connections.synchronize(ENVIRONMENT_ID, [everything]);
      clock.advance(60_000);
      await connections.synchronize(ENVIRONMENT_ID, [{ ...everything, scopes: [] }]);
      expect(await setAt()).toBe(toTimestamp(start));
      await connections.synchronize(ENVIRONMENT_ID, [{ ...everything, client_secret: 'secret-2' }]);
      expect(await setAt()).toBe(toTimestamp(start + 60_000));
      const row = (await rowsOf(services)).find(({ name }) => name === 'mailbox');
      const place = { table: 'connections', row: 'conn_mail', column: 'client_secret_sealed' };
      expect(await services.vault.open(place, row?.clientSecretSealed ?? '')).toBe('secret-2');
    });

    it('stores the secret again where the stored one cannot be opened', async () => {
      const services = await fresh();
      await services.connections.synchronize(ENVIRONMENT_ID, [everything]);
      await services.db.transaction(async (tx) =>
        rows(tx, 'connections').update(ENVIRONMENT_ID, 'conn_mail', { client_secret_sealed: 'damaged' }),
      );
      await services.connections.synchronize(ENVIRONMENT_ID, [everything]);
      const row = (await rowsOf(services)).find(({ name }) => name === 'mailbox');
      const place = { table: 'connections', row: 'conn_mail', column: 'client_secret_sealed' };
      expect(await services.vault.open(place, row?.clientSecretSealed ?? '')).toBe('secret-1');
    });

    it('gives connections that are no longer declared to the operator, who may change and delete them', async () => {
      const services = await fresh();
      const { connections } = services;
      await connections.synchronize(ENVIRONMENT_ID, [everything]);
      await connections.synchronize(ENVIRONMENT_ID, []);
      expect((await rowsOf(services)).find(({ name }) => name === 'mailbox')).toEqual(
        expect.objectContaining({
          managedBy: 'operator',
          clientId: 'app-1',
          overrides: { base_url: 'https://old.example' },
        }),
      );
      await connections.update(machine, 'mailbox', { scopes: [] });
      await connections.remove(machine, 'mailbox');
    });

    it('takes over a connection that the operator has made', async () => {
      const { connections } = await fresh();
      const { id } = await connections.create(machine, { connector: 'mailbox', client_id: 'by-hand' });
      await connections.synchronize(ENVIRONMENT_ID, [{ connector: 'mailbox', client_id: 'app-1' }]);
      expect(await connections.get(ENVIRONMENT_ID, id)).toMatchObject({
        client_id: 'app-1',
        managed_by_file: true,
      });
    });

    it('replaces an automatic connection without accounts by the declared id', async () => {
      const { connections } = await fresh();
      await connections.synchronize(ENVIRONMENT_ID, [{ connector: 'notes', id: 'conn_notes' }]);
      expect(await connections.get(ENVIRONMENT_ID, 'notes')).toMatchObject({
        id: 'conn_notes',
        managed_by_file: true,
      });
    });

    it('refuses the start where accounts depend on another id', async () => {
      const services = await fresh();
      await connectedAccount(services);
      const before = await rowsOf(services);
      await expect(
        services.connections.synchronize(ENVIRONMENT_ID, [
          { connector: 'mailbox' },
          { connector: 'notes', id: 'conn_notes' },
        ]),
      ).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(
          'Declare that id. Or create it again: take this entry out of gatehouse.yaml; delete its accounts: "gatehouse accounts list --connector notes" lists them, "gatehouse accounts delete <id>" deletes one; put the entry back.',
        ),
        details: { field_violations: [{ field: 'connections[1].id', constraint: 'fixed' }] },
      });
      expect(await rowsOf(services)).toEqual(before);
    });

    it('refuses the start where an operator has made the connection under another id', async () => {
      const { connections } = await fresh();
      const { id } = await connections.create(machine, { connector: 'mailbox' });
      await expect(connections.synchronize(ENVIRONMENT_ID, [everything])).rejects.toMatchObject({
        message: expect.stringContaining(
          `The connection mailbox exists with the id ${id}, which its redirect URI and accounts depend on. Declare that id. Or create it again: take this entry out of gatehouse.yaml; run "gatehouse connections delete ${id}"; put the entry back.`,
        ),
        details: { field_violations: [{ field: 'connections[0].id', constraint: 'fixed' }] },
      });
    });

    it('creates the connection under the declared id in the way that the refusal names', async () => {
      const { connections } = await fresh();
      const { id } = await connections.create(machine, { connector: 'mailbox' });
      await expect(connections.synchronize(ENVIRONMENT_ID, [everything])).rejects.toThrow('Declare that id.');
      await connections.synchronize(ENVIRONMENT_ID, []);
      await connections.remove(machine, id);
      await connections.synchronize(ENVIRONMENT_ID, [everything]);
      expect((await connections.list(ENVIRONMENT_ID)).map((one) => one.id)).toContain(everything.id);
    });

    it('keeps the id of a connection that cannot be deleted and that an operator has changed', async () => {
      const { connections } = await fresh();
      const { id } = await connections.update(machine, 'notes', { params: { note: 1 } });
      await expect(
        connections.synchronize(ENVIRONMENT_ID, [{ connector: 'notes', id: 'conn_notes' }]),
      ).rejects.toMatchObject({
        details: {
          field_violations: [
            {
              description: `The connection notes exists with the id ${id}, which its redirect URI and accounts depend on. Declare that id.`,
            },
          ],
        },
      });
    });

    it('refuses the start with everything that is wrong in all connections, and writes nothing', async () => {
      const services = await fresh();
      await services.connections.create(machine, { connector: 'mailbox', id: 'conn_first' });
      const before = await rowsOf(services);
      const refused = services.connections.synchronize(ENVIRONMENT_ID, [
        { connector: 'weather', name: 'fine' },
        { connector: 'nowhere', overrides: { base_url: 'javascript:x' } },
        { connector: 'mailbox', name: 'second', authorization_type: 'API_KEY' },
        { connector: 'mailbox', name: 'notes' },
        { connector: 'mailbox', name: 'third', id: 'conn_first' },
      ]);
      await expect(refused).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: {
          field_violations: [
            { field: 'connections[1].connector', constraint: 'enum' },
            { field: 'connections[1].overrides.base_url', constraint: 'format' },
            { field: 'connections[2].authorization_type', constraint: 'enum' },
            { field: 'connections[3].connector', constraint: 'fixed' },
            { field: 'connections[4].id', constraint: 'in_use' },
          ],
        },
      });
      expect(await rowsOf(services)).toEqual(before);
    });

    it('refuses the start for an id that another environment uses', async () => {
      const services = await fresh();
      await services.connections.synchronize(ENVIRONMENT_ID, [everything]);
      const before = await rowsOf(services, OTHER_ENVIRONMENT_ID);
      await expect(
        services.connections.synchronize(OTHER_ENVIRONMENT_ID, [
          everything,
          { connector: 'notes', name: 'more' },
        ]),
      ).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
        message: expect.stringContaining('conn_mail'),
      });
      expect(await rowsOf(services, OTHER_ENVIRONMENT_ID)).toEqual(before);
    });

    it('creates each connection once when several processes start at the same time', async () => {
      const { connections } = await fresh();
      const declared = [
        { connector: 'mailbox', client_secret: 'secret-1' },
        { connector: 'mailbox', name: 'second' },
        { connector: 'notes', id: 'conn_notes' },
      ];
      await Promise.all(
        Array.from({ length: 5 }, async () => connections.synchronize(OTHER_ENVIRONMENT_ID, declared)),
      );
      const found = await connections.list(OTHER_ENVIRONMENT_ID);
      expect(found.map(({ name }) => name)).toEqual(['desk', 'mailbox', 'notes', 'second', 'weather']);
      expect(found.filter((view) => view.managed_by_file).map(({ name }) => name)).toEqual([
        'mailbox',
        'notes',
        'second',
      ]);
    });
  });
});
