import { describe, expect, it } from 'vitest';
import { forEachDatabase } from '../../support/databases.ts';
import { peopleServices, makeOrganization } from '../../people/people-support.ts';
import { countUsersWithoutProvider } from '../../../src/store/people/user-store.ts';
import { rows } from '../../../src/store/engine/rows.ts';

forEachDatabase((_name, open) => {
  describe('users without an OpenID provider', () => {
    it('include those whose organizations have none', async () => {
      const db = await open();
      const services = await peopleServices(db, {});
      const { id } = await makeOrganization(services, 'Acme', 'olga');
      await makeOrganization(services, 'Other', 'otto');
      const count = async (environmentId = 'env_dev') => countUsersWithoutProvider(db.read, environmentId);
      expect(await count()).toBe(2);
      await db.transaction(async (tx) =>
        rows(tx, 'organization_providers').insert({
          id: 'idp_1',
          environment_id: 'env_dev',
          organization_id: id,
          issuer: 'https://idp.example',
          client_id: 'gatehouse',
          client_secret_sealed: null,
          domains: '[]',
          entered_by_operator: 0,
          assume_email_verified: 0,
          allow_operator_rights: 0,
          created_at: 1,
          updated_at: 1,
        }),
      );
      expect([await count(), await count('env_2')]).toEqual([1, 0]);
    });
  });
});
