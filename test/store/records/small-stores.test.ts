/** Signing keys, revoked tokens, audit lines, environments and facts about the installation. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database, WriteTransaction } from '../../../src/store/engine/database.ts';
import { EnvironmentStore } from '../../../src/store/installation/environment-store.ts';
import { InstallationStore } from '../../../src/store/installation/installation-store.ts';
import { RevokedTokenStore } from '../../../src/store/tokens/revoked-token-store.ts';
import { TokenHolderStore } from '../../../src/store/tokens/token-holder-store.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { rows } from '../../../src/store/engine/rows.ts';

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

  describe('stored signing keys', () => {
    it('appear newest first, per environment', async () => {
      const key = { environment_id: 'env_1', public_jwk: '{}', private_jwk_sealed: 'sealed' };
      await write(async (tx) => {
        const store = rows(tx, 'signing_keys');
        await store.insert({ ...key, id: 'key_a', created_at: 1 });
        await store.insert({ ...key, id: 'key_c', created_at: 2 });
        await store.insert({ ...key, id: 'key_b', created_at: 2 });
        await store.insert({ ...key, id: 'key_d', created_at: 3, environment_id: 'env_2' });
      });
      const keys = await rows(db.read, 'signing_keys').list('env_1', {
        orderBy: ['created_at', 'id'],
        direction: 'desc',
      });
      expect(keys.map((row) => row.id)).toEqual(['key_c', 'key_b', 'key_a']);
      expect(keys[2]).toEqual({ ...key, public_jwk: {}, id: 'key_a', created_at: 1 });
    });
  });

  describe('revoked access tokens', () => {
    it('exist in their environment only, after any number of revocations', async () => {
      const token = { environment_id: 'env_1', token_id: 'jti-1', expires_at: 9_000 };
      await write(async (tx) => new RevokedTokenStore(tx).add(token));
      await write(async (tx) => new RevokedTokenStore(tx).add(token));
      for (const id of ['env_1', 'env_2'])
        await write(async (tx) =>
          rows(tx, 'credentials').insert({
            id: `cred_${id}`,
            environment_id: id,
            name: id,
            client_id: id,
            organization_id: '',
            scopes: '',
            created_at: 1,
            last_used_at: id === 'env_1' ? null : 7,
          }),
        );
      const store = new TokenHolderStore(db.read);
      expect(await store.findCredential('env_1', 'cred_env_1', 'jti-1')).toBeUndefined();
      expect(await store.findCredential('env_2', 'cred_env_2', 'jti-1')).toEqual({ last_used_at: 7 });
      expect(await store.findCredential('env_1', 'cred_env_1', 'jti-2')).toEqual({ last_used_at: null });
      expect(await store.findCredential('env_1', 'cred_env_2', 'jti-2')).toBeUndefined();
    });
  });

  describe('audit log', () => {
    const line = {
      environment_id: 'env_1',
      actor: 'cred_1',
      action: 'credentials.read',
      target: 'ca_1',
      ip: '',
    };

    it('pages newest first, and back, per environment', async () => {
      await write(async (tx) => {
        const store = rows(tx, 'audit');
        for (let n = 1; n <= 4; n++) await store.insert({ ...line, id: `aud_${n}`, at: n });
        await store.insert({ ...line, id: 'aud_5', at: 5, environment_id: 'env_2' });
      });
      const store = rows(db.read, 'audit');
      const page = await store.page('env_1', { position: undefined, limit: 2 });
      expect(page).toEqual([
        { ...line, id: 'aud_4', at: 4 },
        { ...line, id: 'aud_3', at: 3 },
      ]);
      const after = { direction: 'next', createdAt: 3, id: 'aud_3' } as const;
      const next = await store.page('env_1', { position: after, limit: 5 });
      expect(next.map((row) => row.id)).toEqual(['aud_2', 'aud_1']);
      const before = { direction: 'prev', createdAt: 2, id: 'aud_2' } as const;
      const back = await store.page('env_1', { position: before, limit: 5 });
      expect(back.map((row) => row.id)).toEqual(['aud_3', 'aud_4']);
      expect(await store.count('env_1')).toBe(4);
    });

    it('survives the deletion of its account, and cannot be removed', async () => {
      await write(async (tx) => rows(tx, 'audit').insert({ ...line, id: 'aud_1', at: 1 }));
      await expect(write(async (tx) => tx.deleteFrom('audit').execute())).rejects.toThrow(
        'audit is append-only',
      );
      expect(await rows(db.read, 'audit').count('env_1')).toBe(1);
    });
  });

  describe('stored environments', () => {
    it('exist once: a second creation returns the stored one', async () => {
      const ensure = async (id: string) =>
        write(async (tx) => new EnvironmentStore(tx).ensure({ id, name: 'production', created_at: 5 }));
      expect(await ensure('env_a')).toEqual({ id: 'env_a', name: 'production', created_at: 5 });
      expect(await ensure('env_b')).toEqual({ id: 'env_a', name: 'production', created_at: 5 });
    });

    it('exist once for processes that start at the same time', async () => {
      const made = await Promise.all(
        ['env_a', 'env_b', 'env_c', 'env_d'].map(async (id) =>
          write(async (tx) => new EnvironmentStore(tx).ensure({ id, name: 'production', created_at: 5 })),
        ),
      );
      expect(new Set(made.map((row) => row.id)).size).toBe(1);
    });

    it('appear ordered by name', async () => {
      const names = (await new EnvironmentStore(db.read).list()).map((row) => row.name);
      expect(names).toEqual(['env_1', 'env_2']);
    });
  });

  describe('facts about the installation', () => {
    it('keep their first value', async () => {
      const set = async (value: string) =>
        write(async (tx) => new InstallationStore(tx).setIfAbsent('installation_id', value));
      expect(await new InstallationStore(db.read).get('installation_id')).toBeUndefined();
      expect(await set('first')).toBe('first');
      expect(await set('second')).toBe('first');
      expect(await new InstallationStore(db.read).get('installation_id')).toBe('first');
      expect(await new InstallationStore(db.read).get('key_check')).toBeUndefined();
    });
  });
});
