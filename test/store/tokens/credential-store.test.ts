import { beforeEach, expect, it } from 'vitest';
import { expireOtherSecrets, liveCredential, noteUse } from '../../../src/store/tokens/credential-store.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import type { PagePosition } from '../../../src/core/page-token.ts';
import type { StoredForm } from '../../../src/store/tables/column-types.ts';
import type { ApiCredential, CredentialSecretTable } from '../../../src/store/tables/tables.ts';
import type { Database, WriteTransaction } from '../../../src/store/engine/database.ts';
import { isUniqueViolation } from '../../../src/store/engine/database-errors.ts';
import { forEachDatabase } from '../../support/databases.ts';

const ci: ApiCredential = {
  id: 'cred_ci',
  environment_id: 'env_1',
  name: 'CI',
  client_id: 'client-ci',
  organization_id: '',
  scopes: 'tools:execute',
  created_at: 1_000,
  last_used_at: null,
};
const secret = {
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

  const write = async <T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => db.transaction(work);
  const insert = async (tx: WriteTransaction, ...credentials: ApiCredential[]) =>
    rows(tx, 'credentials').insert(...credentials);
  const insertSecret = async (tx: WriteTransaction, row: StoredForm<CredentialSecretTable>) =>
    rows(tx, 'credential_secrets').insert(row);
  const read = () => rows(db.read, 'credentials');

  it('finds an API credential by its client id, with the hashes of its secrets, oldest first', async () => {
    await write(async (tx) => {
      await insert(tx, ci);
      await insertSecret(tx, { ...secret, id: 'key_2', secret_hash: 'hash-2', created_at: 2_000 });
      await insertSecret(tx, secret);
    });
    expect(await liveCredential(db.read, 'env_1', 'client-ci', 5_000)).toEqual({
      credential: ci,
      secretHashes: ['hash-1', 'hash-2'],
    });
  });

  it('does not find an API credential in another environment', async () => {
    await write(async (tx) => insert(tx, ci));
    expect(await liveCredential(db.read, 'env_2', 'client-ci', 5_000)).toBeUndefined();
    expect(await read().find('env_2', 'cred_ci')).toBeUndefined();
    expect(await read().find('env_1', 'cred_ci')).toEqual(ci);
  });

  it('omits a secret from the moment it expires', async () => {
    await write(async (tx) => {
      await insert(tx, ci);
      await insertSecret(tx, { ...secret, expires_at: 5_000 });
    });
    const hashesAt = async (now: number) =>
      (await liveCredential(db.read, 'env_1', 'client-ci', now))?.secretHashes;
    expect(await hashesAt(4_999)).toEqual(['hash-1']);
    expect(await hashesAt(5_000)).toEqual([]);
  });

  it('expires all secrets except one, none of them later than planned', async () => {
    await write(async (tx) => {
      await insert(tx, ci);
      await insertSecret(tx, secret);
      await insertSecret(tx, { ...secret, id: 'key_2', secret_hash: 'hash-2', expires_at: 2_000 });
      await insertSecret(tx, { ...secret, id: 'key_3', secret_hash: 'hash-3' });
      await expireOtherSecrets(tx, 'env_1', 'cred_ci', 'key_3', 9_000);
    });
    const secrets = await db.read
      .selectFrom('credential_secrets')
      .select(['id', 'expires_at'])
      .orderBy('id')
      .execute();
    expect(secrets).toEqual([
      { id: 'key_1', expires_at: 9_000 },
      { id: 'key_2', expires_at: 2_000 },
      { id: 'key_3', expires_at: null },
    ]);
  });

  it('changes no secrets of another environment', async () => {
    await write(async (tx) => {
      await insert(tx, ci);
      await insertSecret(tx, secret);
      await expireOtherSecrets(tx, 'env_2', 'cred_ci', 'key_9', 9_000);
    });
    expect(await write(async (tx) => rows(tx, 'credentials').delete('env_2', 'cred_ci'))).toBe(false);
    expect((await liveCredential(db.read, 'env_1', 'client-ci', 10_000))?.secretHashes).toEqual(['hash-1']);
  });

  it('removes the secrets with their API credential', async () => {
    await write(async (tx) => {
      await insert(tx, ci);
      await insertSecret(tx, secret);
    });
    expect(await write(async (tx) => rows(tx, 'credentials').delete('env_1', 'cred_ci'))).toBe(true);
    expect(await write(async (tx) => rows(tx, 'credentials').delete('env_1', 'cred_ci'))).toBe(false);
    expect(await db.read.selectFrom('credential_secrets').selectAll().execute()).toEqual([]);
  });

  it('refuses a second API credential with the same client id', async () => {
    await write(async (tx) => insert(tx, ci));
    const second = write(async (tx) => insert(tx, { ...ci, id: 'cred_other', environment_id: 'env_2' }));
    const error = await second.catch((failure: unknown) => failure);
    expect(isUniqueViolation(error)).toBe(true);
  });

  it('notes a use of an API credential, unless one was noted lately', async () => {
    await write(async (tx) => insert(tx, ci));
    const lastUse = async (now: number) => {
      const credential = { environmentId: 'env_1', id: 'cred_ci' };
      await write(async (tx) => noteUse(tx, credential, { now, notedBefore: now - 60 }));
      return (await read().find('env_1', 'cred_ci'))?.last_used_at;
    };
    expect([await lastUse(2_000), await lastUse(2_059), await lastUse(2_060)]).toEqual([2_000, 2_000, 2_060]);
  });

  it('pages API credentials newest first, and back', async () => {
    await write(async (tx) => {
      for (let n = 1; n <= 5; n++) {
        // two of them at the same time: the id decides
        await insert(tx, { ...ci, id: `cred_${n}`, client_id: `c${n}`, created_at: n === 3 ? 2 : n });
      }
      await insert(tx, { ...ci, id: 'cred_9', client_id: 'c9', environment_id: 'env_2' });
    });
    const ids = (page: ApiCredential[]) => page.map((row) => row.id);
    expect(ids(await read().page('env_1', { position: undefined, limit: 3 }))).toEqual([
      'cred_5',
      'cred_4',
      'cred_3',
    ]);
    expect(
      ids(
        await read().page('env_1', { position: { direction: 'next', createdAt: 2, id: 'cred_3' }, limit: 3 }),
      ),
    ).toEqual(['cred_2', 'cred_1']);
    expect(
      ids(
        await read().page('env_1', { position: { direction: 'prev', createdAt: 2, id: 'cred_2' }, limit: 2 }),
      ),
    ).toEqual(['cred_3', 'cred_4']);
  });

  it('pages the API credentials of one organization, however many others there are', async () => {
    await write(async (tx) => {
      for (let n = 1; n <= 6; n++) {
        const organization_id = n % 2 === 0 ? 'org_a' : '';
        await insert(tx, { ...ci, id: `cred_${n}`, client_id: `c${n}`, created_at: n, organization_id });
      }
      const other = { id: 'cred_9', client_id: 'c9', environment_id: 'env_2', organization_id: 'org_a' };
      await insert(tx, { ...ci, ...other, created_at: 9 });
    });
    const ids = (page: ApiCredential[]) => page.map((row) => row.id);
    const ofOrganization = async (id: string, position: PagePosition | undefined, limit: number) =>
      read().page('env_1', { where: { organization_id: id }, position, limit });
    expect(ids(await ofOrganization('org_a', undefined, 2))).toEqual(['cred_6', 'cred_4']);
    const position = { direction: 'next', createdAt: 4, id: 'cred_4' } as const;
    expect(ids(await ofOrganization('org_a', position, 2))).toEqual(['cred_2']);
    expect(ids(await ofOrganization('', undefined, 2))).toEqual(['cred_5', 'cred_3']);
  });
});
