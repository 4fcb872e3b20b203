/** The accounts that calls choose among: read again after somebody wrote, and only then where SQLite can tell. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CandidateAccounts, type Candidacy } from '../../../src/store/accounts/candidate-accounts.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { connectedAccount, ENVIRONMENT_ID, testServices, type Services } from '../../support/services.ts';

const ofPerson = (userId: string): Candidacy => ({
  environmentId: ENVIRONMENT_ID,
  by: 'connector',
  value: 'notes',
  owner: { userId, organizationId: '' },
});

forEachDatabase((name, open, newUrl) => {
  let url: string;
  let services: Services;
  let id: string;
  let reads: number;
  /** What happens between the next read and its answer. */
  let afterRead: () => Promise<void>;
  let candidates: CandidateAccounts;
  const statusesOf = async (userId: string) =>
    (await candidates.of(ofPerson(userId))).accounts.map(({ status }) => status);

  beforeEach(async () => {
    url = await newUrl();
    services = await testServices({ db: await open({ url }) });
    ({ id } = await connectedAccount(services, { user_id: 'ada' }));
    reads = 0;
    afterRead = async () => {};
    const read = services.db.read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        reads += 1;
        const work = afterRead;
        afterRead = async () => {};
        await work();
        return result;
      },
    });
    candidates = new CandidateAccounts({ read, version: () => services.db.version() });
  });

  describe('accounts that calls choose among', () => {
    it('come from one read on SQLite while nobody writes, and from one for each call on Postgres', async () => {
      for (let call = 0; call < 3; call++) expect(await statusesOf('ada')).toEqual(['ACTIVE']);
      expect(reads).toBe(name === 'sqlite' ? 1 : 3);
    });

    it('belong to the person of the call, and to nobody else', async () => {
      expect(await statusesOf('ada')).toEqual(['ACTIVE']);
      expect(await statusesOf('bob')).toEqual([]);
      expect(await candidates.of({ ...ofPerson('ada'), identifier: 'other' })).toMatchObject({
        accounts: [],
      });
    });

    it('show a change that this process made at once', async () => {
      expect(await statusesOf('ada')).toEqual(['ACTIVE']);
      await expire(services.db, id);
      expect(await statusesOf('ada')).toEqual(['EXPIRED']);
    });

    it('show a change that another process made at once', async () => {
      expect(await statusesOf('ada')).toEqual(['ACTIVE']);
      await expire(await open({ url }), id);
      expect(await statusesOf('ada')).toEqual(['EXPIRED']);
    });

    it('show a change that comes between a read and its answer', async () => {
      afterRead = async () => {
        await expire(services.db, id);
        await statusesOf('bob');
      };
      await statusesOf('ada');
      expect(await statusesOf('ada')).toEqual(['EXPIRED']);
    });
  });
});

async function expire(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) =>
    tx.updateTable('accounts').set({ status: 'EXPIRED' }).where('id', '=', id).execute(),
  );
}
