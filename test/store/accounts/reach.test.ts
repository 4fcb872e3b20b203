/** That a statement limited to one person or organization shows nothing of others, on both databases. */
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import { ExecutionStore } from '../../../src/store/records/execution-store.ts';
import { TokenHolderStore } from '../../../src/store/tokens/token-holder-store.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { peopleOf } from '../../support/people.ts';
import {
  connectedAccount,
  ENVIRONMENT_ID,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../../support/services.ts';
import { executionRow } from '../../support/stored-rows.ts';

const ada = { environmentId: ENVIRONMENT_ID, userId: 'ada', organizationId: '' };
const acme = { environmentId: ENVIRONMENT_ID, userId: '', organizationId: 'acme' };

forEachDatabase((_name, open) => {
  let services: Services;
  let ids: { ada: string; bob: string; acme: string };
  beforeEach(async () => {
    services = await testServices({ db: await open() });
    ids = {
      ada: (await connectedAccount(services, { user_id: 'ada' })).id,
      bob: (await connectedAccount(services, { user_id: 'bob' })).id,
      acme: (await connectedAccount(services, { organization_id: 'acme' })).id,
    };
  });

  describe('accounts within the reach of one owner', () => {
    it('appear by id, by key, by owner and in lists, and no accounts of others', async () => {
      const store = new AccountStore(services.db.read);
      const bob = await store.find({ environmentId: ENVIRONMENT_ID }, ids.bob);
      const key = {
        connectionId: bob?.connection.id ?? '',
        organizationId: '',
        userId: 'bob',
        identifier: 'bob',
      };
      for (const reach of [ada, acme]) {
        expect(await store.find(reach, ids.bob)).toBeUndefined();
        expect(await store.findByKey(reach, key)).toBeUndefined();
        expect(await store.findByOwner(reach, key.connectionId, key)).toEqual([]);
        expect(await store.count(reach, { userId: 'bob' }, 9)).toBe(0);
      }
      expect((await store.findByKey({ ...ada, userId: 'bob' }, key))?.id).toBe(ids.bob);
      expect((await store.page(ada, {}, undefined, 10)).map(({ id }) => id)).toEqual([ids.ada]);
      expect((await store.page(acme, {}, undefined, 10)).map(({ id }) => id)).toEqual([ids.acme]);
      expect(
        await store.count({ environmentId: OTHER_ENVIRONMENT_ID, userId: 'ada', organizationId: '' }, {}, 9),
      ).toBe(0);
    });
  });

  describe('executions within the reach of one owner', () => {
    it('include only calls on accounts of that owner', async () => {
      const run = (id: string, connected_account_id: string | null) =>
        executionRow({ id, connected_account_id });
      const rows = [run('exe_1', ids.ada), run('exe_2', ids.bob), run('exe_3', ids.acme), run('exe_4', null)];
      await services.db.transaction(async (tx) => new ExecutionStore(tx).insertMany(rows));
      const store = new ExecutionStore(services.db.read);
      const of = async (owner: typeof ada) =>
        (await store.page(ENVIRONMENT_ID, { owner }, undefined, 10)).map(({ id }) => id);
      expect(await of(ada)).toEqual(['exe_1']);
      expect(await of(acme)).toEqual(['exe_3']);
      expect(await store.count(ENVIRONMENT_ID, { owner: ada }, 9)).toBe(1);
      expect(await store.count(OTHER_ENVIRONMENT_ID, { owner: ada }, 9)).toBe(0);
    });
  });

  describe('person behind an access token', () => {
    it("has the role of the session's person in its organization", async () => {
      const people = peopleOf(services, ENVIRONMENT_ID);
      const user = await people.user('ada', true);
      const organizationId = await people.organization({ [user]: 'owner' });
      const other = await people.organization({ [user]: 'member' });
      const { sessionId } = await people.signIn(user, { organizationId });
      const store = new TokenHolderStore(services.db.read);
      expect(await store.find(ENVIRONMENT_ID, sessionId, 'jti-1')).toEqual({
        kind: 'client',
        user_id: user,
        organization_id: organizationId,
        client_id: 'test-client',
        resource: 'http://127.0.0.1:3000/mcp',
        connection_details: [],
        expires_at: services.clock.now() + 3_600_000,
        ended_at: null,
        role: 'owner',
        is_operator: true,
      });
      const { sessionId: elsewhere } = await people.signIn(user, { organizationId: other });
      expect((await store.find(ENVIRONMENT_ID, elsewhere, 'jti-1'))?.role).toBe('member');
      const { sessionId: alone } = await people.signIn('customer-7', { kind: 'mcp_server' });
      expect(await store.find(ENVIRONMENT_ID, alone, 'jti-1')).toMatchObject({
        role: null,
        is_operator: null,
      });
      expect(await store.find(OTHER_ENVIRONMENT_ID, sessionId, 'jti-1')).toBeUndefined();
    });
  });
});
