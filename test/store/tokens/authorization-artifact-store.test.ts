import { expect, it } from 'vitest';
import { AuthorizationArtifactStore } from '../../../src/store/tokens/authorization-artifact-store.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import type { AuthorizationArtifact } from '../../../src/store/tables/people-tables.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';

const row = (changes: Partial<AuthorizationArtifact> = {}): AuthorizationArtifact => ({
  id: 'art_1',
  environment_id: 'env_1',
  model: 'AuthorizationCode',
  id_hash: 'hash',
  grant_hash: 'grant',
  uid_hash: null,
  session_id: null,
  payload_sealed: 'sealed',
  created_at: 1,
  expires_at: 1_000,
  consumed_at: null,
  network: null,
  ...changes,
});

const KEY = { environmentId: 'env_1', model: 'AuthorizationCode', idHash: 'hash' };
const FOREIGN = { ...KEY, environmentId: 'env_2' };

forEachDatabase((_name, open) => {
  const stored = async (...artifacts: AuthorizationArtifact[]): Promise<Database> => {
    const db = await open();
    await db.transaction(async (tx) => {
      for (const id of ['env_1', 'env_2'])
        await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
      await rows(tx, 'authorization_artifacts').insert(...artifacts);
    });
    return db;
  };
  const write = async <T>(
    db: Database,
    work: (store: AuthorizationArtifactStore) => Promise<T>,
  ): Promise<T> => db.transaction(async (tx) => work(new AuthorizationArtifactStore(tx)));

  it('finds an artifact by its environment, model and id only', async () => {
    const db = await stored(row());
    const store = new AuthorizationArtifactStore(db.read);
    expect(await store.find(KEY)).toEqual(row());
    expect(await store.find(FOREIGN)).toBeUndefined();
    expect(await store.find({ ...KEY, model: 'Client' })).toBeUndefined();
    expect(await store.find({ ...KEY, idHash: 'other' })).toBeUndefined();
  });

  it('consumes an artifact of the authorization server once, and never after it expired', async () => {
    const db = await stored(row(), row({ id: 'art_2', id_hash: 'endless', expires_at: null }));
    const tries = Array.from({ length: 5 }, async () => write(db, async (store) => store.consume(KEY, 999)));
    expect((await Promise.all(tries)).filter(Boolean)).toEqual([true]);
    expect((await new AuthorizationArtifactStore(db.read).find(KEY))?.consumed_at).toBe(999);
    const endless = { ...KEY, idHash: 'endless' };
    expect(await write(db, async (store) => store.consume({ ...endless, environmentId: 'env_2' }, 1))).toBe(
      false,
    );
    expect(await write(db, async (store) => store.consume(endless, 9_999))).toBe(true);
    const late = await stored(row());
    expect(await write(late, async (store) => store.consume(KEY, 1_000))).toBe(false);
  });

  it('learns the session of an artifact, and returns it on removal', async () => {
    const db = await stored(row());
    expect(await write(db, async (store) => store.attachSession(FOREIGN, 'ses_0'))).toBe(false);
    expect(await write(db, async (store) => store.attachSession(KEY, 'ses_1'))).toBe(true);
    expect(await write(db, async (store) => store.delete(FOREIGN))).toBeUndefined();
    expect(await write(db, async (store) => store.delete(KEY))).toBe('ses_1');
    expect(await write(db, async (store) => store.delete(KEY))).toBeUndefined();
    expect(await write(db, async (store) => store.attachSession(KEY, 'ses_2'))).toBe(false);
  });

  it('updates payload and expiry of an artifact, which stays consumed', async () => {
    const db = await stored(row({ consumed_at: 5 }));
    const change = { grant_hash: null, payload_sealed: 'other', expires_at: 2_000 };
    const update = async (environmentId: string) =>
      db.transaction(async (tx) =>
        rows(tx, 'authorization_artifacts').update(environmentId, 'art_1', change),
      );
    expect(await update('env_2')).toBe(false);
    expect(await update('env_1')).toBe(true);
    await write(db, async (store) => store.extend(FOREIGN, 9_000));
    await write(db, async (store) => store.extend(KEY, 3_000));
    const expected = { ...row({ consumed_at: 5 }), ...change, expires_at: 3_000 };
    expect(await new AuthorizationArtifactStore(db.read).find(KEY)).toEqual(expected);
  });

  it('keeps the first artifact of one name if asked to, and refuses the second otherwise', async () => {
    const db = await stored(row());
    const second = row({ id: 'art_2', payload_sealed: 'other' });
    await write(db, async (store) => store.insertIfAbsent(second));
    expect((await new AuthorizationArtifactStore(db.read).find(KEY))?.payload_sealed).toBe('sealed');
    const insert = db.transaction(async (tx) => rows(tx, 'authorization_artifacts').insert(second));
    await expect(insert).rejects.toThrow();
  });

  it('removes an artifact with its grant, in its environment', async () => {
    const db = await stored(row(), row({ id: 'art_2', id_hash: 'b', grant_hash: 'other' }));
    await write(db, async (store) => store.deleteByGrant('env_2', 'AuthorizationCode', 'grant'));
    expect(await new AuthorizationArtifactStore(db.read).find(KEY)).toBeDefined();
    await write(db, async (store) => store.deleteByGrant('env_1', 'AuthorizationCode', 'grant'));
    const left = await db.read.selectFrom('authorization_artifacts').select('id').execute();
    expect(left).toEqual([{ id: 'art_2' }]);
  });
});
