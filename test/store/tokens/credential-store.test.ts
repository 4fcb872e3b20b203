import { beforeEach, expect, it } from 'vitest';
import {
  CredentialStore,
  type CredentialRow,
  type CredentialSecretRow,
} from '../../../src/store/tokens/credential-store.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { isUniqueViolation } from '../../../src/store/engine/database-errors.ts';
import { forEachDatabase } from '../../support/databases.ts';

const ci: CredentialRow = {
  id: 'cred_ci',
  environment_id: 'env_1',
  name: 'CI',
  client_id: 'client-ci',
  organization_id: '',
  scopes: 'tools:execute',
  created_at: 1_000,
};
const secret: CredentialSecretRow = {
  id: 'key_1',
  environment_id: 'env_1',
  credential_id: 'cred_ci',
  secret_hash: 'hash-1',
  created_at: 1_000,
  expires_at: null,
};

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      for (const id of ['env_1', 'env_2']) {
        await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
      }
    });
  });

  const write = async <T>(work: (store: CredentialStore) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => work(new CredentialStore(tx)));
  const read = () => new CredentialStore(db.read);

  it('finds an API credential by its client id, with the hashes of its secrets, oldest first', async () => {
    await write(async (store) => {
      await store.insert(ci);
      await store.insertSecret({ ...secret, id: 'key_2', secret_hash: 'hash-2', created_at: 2_000 });
      await store.insertSecret(secret);
    });
    expect(await read().findByClientId('env_1', 'client-ci', 5_000)).toEqual({
      credential: ci,
      secretHashes: ['hash-1', 'hash-2'],
    });
  });

  it('does not find an API credential in another environment', async () => {
    await write(async (store) => store.insert(ci));
    expect(await read().findByClientId('env_2', 'client-ci', 5_000)).toBeUndefined();
    expect(await read().find('env_2', 'cred_ci')).toBeUndefined();
    expect(await read().find('env_1', 'cred_ci')).toEqual(ci);
  });

  it('omits a secret from the moment it expires', async () => {
    await write(async (store) => {
      await store.insert(ci);
      await store.insertSecret({ ...secret, expires_at: 5_000 });
    });
    const hashesAt = async (now: number) =>
      (await read().findByClientId('env_1', 'client-ci', now))?.secretHashes;
    expect(await hashesAt(4_999)).toEqual(['hash-1']);
    expect(await hashesAt(5_000)).toEqual([]);
  });

  it('expires all secrets except one, none of them later than planned', async () => {
    await write(async (store) => {
      await store.insert(ci);
      await store.insertSecret(secret);
      await store.insertSecret({ ...secret, id: 'key_2', secret_hash: 'hash-2', expires_at: 2_000 });
      await store.insertSecret({ ...secret, id: 'key_3', secret_hash: 'hash-3' });
      await store.expireOtherSecrets('env_1', 'cred_ci', 'key_3', 9_000);
    });
    const rows = await db.read
      .selectFrom('credential_secrets')
      .select(['id', 'expires_at'])
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { id: 'key_1', expires_at: 9_000 },
      { id: 'key_2', expires_at: 2_000 },
      { id: 'key_3', expires_at: null },
    ]);
  });

  it('changes no secrets of another environment', async () => {
    await write(async (store) => {
      await store.insert(ci);
      await store.insertSecret(secret);
      await store.expireOtherSecrets('env_2', 'cred_ci', 'key_9', 9_000);
    });
    expect(await write(async (store) => store.delete('env_2', 'cred_ci'))).toBe(false);
    expect((await read().findByClientId('env_1', 'client-ci', 10_000))?.secretHashes).toEqual(['hash-1']);
  });

  it('removes the secrets with their API credential', async () => {
    await write(async (store) => {
      await store.insert(ci);
      await store.insertSecret(secret);
    });
    expect(await write(async (store) => store.delete('env_1', 'cred_ci'))).toBe(true);
    expect(await write(async (store) => store.delete('env_1', 'cred_ci'))).toBe(false);
    expect(await db.read.selectFrom('credential_secrets').selectAll().execute()).toEqual([]);
  });

  it('refuses a second API credential with the same client id', async () => {
    await write(async (store) => store.insert(ci));
    const second = write(async (store) => store.insert({ ...ci, id: 'cred_other', environment_id: 'env_2' }));
    const error = await second.catch((failure: unknown) => failure);
    expect(isUniqueViolation(error)).toBe(true);
  });

  it('pages API credentials newest first, and back', async () => {
    await write(async (store) => {
      for (let n = 1; n <= 5; n++) {
        // two of them at the same time: the id decides
        await store.insert({ ...ci, id: `cred_${n}`, client_id: `c${n}`, created_at: n === 3 ? 2 : n });
      }
      await store.insert({ ...ci, id: 'cred_9', client_id: 'c9', environment_id: 'env_2' });
    });
    const ids = (rows: CredentialRow[]) => rows.map((row) => row.id);
    expect(ids(await read().page('env_1', undefined, 3))).toEqual(['cred_5', 'cred_4', 'cred_3']);
    expect(ids(await read().page('env_1', { direction: 'next', createdAt: 2, id: 'cred_3' }, 3))).toEqual([
      'cred_2',
      'cred_1',
    ]);
    expect(ids(await read().page('env_1', { direction: 'prev', createdAt: 2, id: 'cred_2' }, 2))).toEqual([
      'cred_3',
      'cred_4',
    ]);
  });

  it('pages the API credentials of one organization, however many others there are', async () => {
    await write(async (store) => {
      for (let n = 1; n <= 6; n++) {
        const organization_id = n % 2 === 0 ? 'org_a' : '';
        await store.insert({ ...ci, id: `cred_${n}`, client_id: `c${n}`, created_at: n, organization_id });
      }
      const other = { id: 'cred_9', client_id: 'c9', environment_id: 'env_2', organization_id: 'org_a' };
      await store.insert({ ...ci, ...other, created_at: 9 });
    });
    const ids = (rows: CredentialRow[]) => rows.map((row) => row.id);
    expect(ids(await read().page('env_1', undefined, 2, 'org_a'))).toEqual(['cred_6', 'cred_4']);
    const position = { direction: 'next', createdAt: 4, id: 'cred_4' } as const;
    expect(ids(await read().page('env_1', position, 2, 'org_a'))).toEqual(['cred_2']);
    expect(ids(await read().page('env_1', undefined, 2, ''))).toEqual(['cred_5', 'cred_3']);
  });
});
