import { describe, expect, it } from 'vitest';
import { findOrCreateAccount } from '../../src/accounts/new-account.ts';
import type { Connection } from '../../src/store/accounts/connection.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { forEachDatabase } from '../support/databases.ts';
import { ENVIRONMENT_ID, machine, testServices, type Services } from '../support/services.ts';
import { testCatalog } from '../support/test-catalog.ts';

const owner = { userId: 'u1', organizationId: '' };

/** The database, with something that another process does just before the next transaction. */
function interrupted(db: Database): { db: Database; before: (meanwhile: () => Promise<void>) => void } {
  let next: (() => Promise<void>) | undefined;
  return {
    db: {
      dialect: db.dialect,
      read: db.read,
      longRead: db.longRead,
      version: () => db.version(),
      transaction: async (work) => {
        const meanwhile = next;
        next = undefined;
        await meanwhile?.();
        return db.transaction(work);
      },
      close: async () => db.close(),
    },
    before: (meanwhile) => {
      next = meanwhile;
    },
  };
}

async function connection({ db }: Services, name: string): Promise<Connection> {
  const row = await new ConnectionStore(db.read).findByName(ENVIRONMENT_ID, name);
  if (row === undefined) throw new Error(`no connection ${name}`);
  return row;
}

forEachDatabase((_, open) => {
  describe('new account at a connection that is being deleted', () => {
    const refusal = {
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field: 'connector', constraint: 'unknown' }] },
    };

    const racing = async () => {
      const { db, before } = interrupted(await open());
      const services = await testServices({ db });
      await services.connections.create(machine, { connector: 'notes', name: 'second' });
      return { services, before: () => before(async () => services.connections.remove(machine, 'second')) };
    };

    it('refuses to create the account over the API', async () => {
      const { services, before } = await racing();
      before();
      await expect(
        services.accounts.create(machine, { connector: 'second', identifier: 'i' }),
      ).rejects.toMatchObject(refusal);
    });

    it('refuses to make a link for the account', async () => {
      const { services, before } = await racing();
      before();
      await expect(
        services.links.create(machine, { connector: 'second', user_id: 'u1' }),
      ).rejects.toMatchObject(refusal);
    });
  });

  it('answers several creations and deletions at the same time without a defect', async () => {
    const services = await testServices({ db: await open() });
    const outcomes: string[] = [];
    for (let round = 0; round < 10; round++) {
      const name = `c${round}`;
      await services.connections.create(machine, { connector: 'notes', name });
      const settled = await Promise.allSettled([
        services.accounts.create(machine, { connector: name, identifier: 'a' }),
        services.connections.remove(machine, name),
        services.accounts.create(machine, { connector: name, identifier: 'b' }),
      ]);
      for (const result of settled) {
        const { reason } = result as { reason?: { code?: string; message?: string } };
        outcomes.push(result.status === 'fulfilled' ? 'done' : (reason?.code ?? String(reason?.message)));
      }
    }
    expect([...new Set(outcomes)].toSorted()).toEqual(['INVALID_ARGUMENT', 'done']);
  });

  describe('new account without credentials', () => {
    it.each([
      ['weather', 'ACTIVE'],
      ['notes', 'PENDING_AUTH'],
      ['desk', 'PENDING_AUTH'],
    ])('gives an account at %s the status %s', async (name, status) => {
      const services = await testServices({ db: await open() });
      const auth = testCatalog.connectors.get(name)?.auth[0];
      if (auth === undefined) throw new Error(`no connector ${name}`);
      const account = {
        connection: await connection(services, name),
        owner,
        identifier: 'u1',
        now: services.clock.now(),
        auth,
      };
      expect((await findOrCreateAccount(services.db, account, 'test')).status).toBe(status);
      const again = await findOrCreateAccount(services.db, account, 'test');
      expect(await services.accounts.events(machine, again.id)).toMatchObject([{ from: null, to: status }]);
    });
  });
});
