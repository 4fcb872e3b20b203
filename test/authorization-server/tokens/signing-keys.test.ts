import { describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import { SigningKeys } from '../../../src/authorization-server/tokens/signing-keys.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { memoryDatabase, testVault, withEnvironments } from '../identity-support.ts';
import { rows } from '../../../src/store/engine/rows.ts';

const clock = fixedClock();

function signingKeys(database: Database): SigningKeys {
  return new SigningKeys({ database, vault: testVault(), clock, log: silentLog });
}

describe('signing keys for tokens', () => {
  it('makes an RSA pair of 2048 bits and shows the public half only', async () => {
    const keys = signingKeys(await memoryDatabase());
    const { keys: published } = await keys.jwks('env_dev');
    expect(published).toEqual([
      {
        kty: 'RSA',
        e: 'AQAB',
        n: expect.stringMatching(/^[\w-]{342}$/),
        kid: expect.stringMatching(/^key_/),
        alg: 'RS256',
        use: 'sig',
      },
    ]);
    const signing = await keys.signingJwk('env_dev');
    expect(signing.kid).toBe(published[0]?.kid);
    expect(signing.d).toEqual(expect.any(String));
  });

  it('stores the private half sealed', async () => {
    const database = await memoryDatabase();
    const { d, kid } = await signingKeys(database).signingJwk('env_dev');
    const [row] = await rows(database.read, 'signing_keys').list('env_dev');
    expect(row?.id).toBe(kid);
    expect(JSON.stringify(row)).not.toContain(d);
    expect(row?.public_jwk).not.toContain('"d"');
    const opened = await testVault().open(
      { table: 'signing_keys', row: kid, column: 'private_jwk' },
      row?.private_jwk_sealed ?? '',
    );
    expect(JSON.parse(opened)).toMatchObject({ d, kid });
  });

  it('gives each environment a key of its own', async () => {
    const keys = signingKeys(await memoryDatabase());
    const [development, production] = await Promise.all([keys.jwks('env_dev'), keys.jwks('env_prod')]);
    expect(development.keys[0]?.n).not.toBe(production.keys[0]?.n);
    expect(await keys.publicKey('env_prod', development.keys[0]?.kid ?? '')).toBeUndefined();
  });

  it('finds the key that was made after it first looked in vain', async () => {
    const keys = signingKeys(await memoryDatabase());
    expect(await keys.publicKey('env_dev', 'key_unknown')).toBeUndefined();
    const { kid } = await keys.signingJwk('env_dev');
    expect(await keys.publicKey('env_dev', kid)).toBeDefined();
  });

  it('tries again after a failure instead of remembering it', async () => {
    const database = await memoryDatabase();
    const vault = testVault();
    let isBroken = true;
    const keys = new SigningKeys({
      database,
      clock,
      log: silentLog,
      vault: {
        seal: async (place, text) => vault.seal(place, text),
        open: async (place, sealed) => {
          if (isBroken) throw new Error('the vault is closed');
          return vault.open(place, sealed);
        },
      },
    });
    await expect(keys.signingJwk('env_dev')).rejects.toThrow('the vault is closed');
    isBroken = false;
    expect((await keys.signingJwk('env_dev')).kid).toMatch(/^key_/);
    expect(await rows(database.read, 'signing_keys').list('env_dev')).toHaveLength(1);
  });

  it('replaces a key after 90 days: the next is published for a day before it signs, the last stays until the one after', async () => {
    const moving = fixedClock();
    const DAY = 86_400_000;
    const database = await memoryDatabase();
    const keys = new SigningKeys({ database, vault: testVault(), clock: moving, log: silentLog });
    const kids = async (): Promise<string[]> => (await keys.jwks('env_dev')).keys.map(({ kid }) => kid);
    const first = (await keys.signingJwk('env_dev')).kid;
    moving.advance(90 * DAY - 1);
    expect((await keys.signingJwk('env_dev')).kid).toBe(first);
    expect(await kids()).toEqual([first]);
    moving.advance(60_000);
    expect((await keys.signingJwk('env_dev')).kid).toBe(first);
    const [second = '', ...others] = await kids();
    expect(others).toEqual([first]);
    expect(second).not.toBe(first);
    moving.advance(DAY - 1);
    expect((await keys.signingJwk('env_dev')).kid).toBe(first);
    moving.advance(60_000);
    expect((await keys.signingJwk('env_dev')).kid).toBe(second);
    expect(await keys.publicKey('env_dev', first)).toBeDefined();
    moving.advance(89 * DAY - 180_000);
    expect(await kids()).toEqual([second, first]);
    moving.advance(180_000);
    await keys.signingJwk('env_dev');
    const [third, ...rest] = await kids();
    expect(rest).toEqual([second]);
    expect(third).not.toBe(second);
    const another = new SigningKeys({ database, vault: testVault(), clock: moving, log: silentLog });
    expect((await another.signingJwk('env_dev')).kid).toBe(second);
    expect(await another.publicKey('env_dev', first)).toBeUndefined();
  });

  it('opens the key that signs once, however often it is asked for', async () => {
    const moving = fixedClock();
    const vault = testVault();
    let opened = 0;
    const keys = new SigningKeys({
      database: await memoryDatabase(),
      clock: moving,
      log: silentLog,
      vault: {
        seal: async (place, text) => vault.seal(place, text),
        open: async (place, sealed) => {
          opened += 1;
          return vault.open(place, sealed);
        },
      },
    });
    const key = await keys.signingJwk('env_dev');
    moving.advance(3_600_000);
    expect(await keys.signingJwk('env_dev')).toBe(key);
    expect(opened).toBe(1);
  });

  describe('while the database fails', () => {
    const DAY = 86_400_000;
    const down = new ServiceError('UNAVAILABLE', 'The disk is full.');

    /** An environment with a key, and the keys of a process that has opened it. */
    async function withKey() {
      const database = await memoryDatabase();
      const moving = fixedClock();
      const logged: unknown[] = [];
      const log = { ...silentLog, warn: (...line: unknown[]) => void logged.push(line) };
      const another = () => new SigningKeys({ database, vault: testVault(), clock: moving, log });
      const keys = another();
      const { kid } = await keys.signingJwk('env_dev');
      return { database, moving, logged, another, keys, kid };
    }

    it('signs with the key that is there and shows it, where the next one cannot be stored', async () => {
      const { database, moving, logged, another, keys, kid } = await withKey();
      const writing = vi.spyOn(database, 'transaction').mockRejectedValue(down);
      moving.advance(90 * DAY);
      const fresh = another();
      expect((await fresh.jwks('env_dev')).keys.map((key) => key.kid)).toEqual([kid]);
      for (const process of [keys, fresh]) expect((await process.signingJwk('env_dev')).kid).toBe(kid);
      const line = ['signing_key_not_made', { environment_id: 'env_dev', err: down }];
      expect(logged).toEqual([line, line]);
      writing.mockRestore();
      moving.advance(60_000);
      expect((await keys.signingJwk('env_dev')).kid).toBe(kid);
      moving.advance(DAY);
      expect((await keys.signingJwk('env_dev')).kid).not.toBe(kid);
    });

    it('shows its keys without making another', async () => {
      const { database, moving, another, kid } = await withKey();
      const writing = vi.spyOn(database, 'transaction');
      moving.advance(90 * DAY);
      expect((await another().jwks('env_dev')).keys.map((key) => key.kid)).toEqual([kid]);
      expect(writing).not.toHaveBeenCalled();
    });

    it('keeps the key that it has where it cannot look which one signs, and looks again', async () => {
      const { database, moving, logged, another, keys, kid } = await withKey();
      const failsWith = (error: Error) => () => {
        throw error;
      };
      const reading = vi.spyOn(database.read, 'selectFrom').mockImplementation(failsWith(down));
      try {
        moving.advance(60_000);
        expect((await keys.signingJwk('env_dev')).kid).toBe(kid);
        expect(logged).toEqual([['signing_key_not_checked', { environment_id: 'env_dev', err: down }]]);
        await expect(another().signingJwk('env_dev')).rejects.toThrow('The disk is full.');
        moving.advance(60_000);
        reading.mockImplementation(failsWith(new Error('a fault of ours')));
        await expect(keys.signingJwk('env_dev')).rejects.toThrow('a fault of ours');
      } finally {
        reading.mockRestore();
      }
    });

    it('makes no first key that it cannot store', async () => {
      const database = await memoryDatabase();
      vi.spyOn(database, 'transaction').mockRejectedValue(down);
      await expect(signingKeys(database).jwks('env_dev')).rejects.toThrow('The disk is full.');
    });
  });

  forEachDatabase((_name, open) => {
    it('makes one further key when two processes find it due at once', async () => {
      const database = await withEnvironments(await open(), 'env_dev');
      await signingKeys(database).signingJwk('env_dev');
      const later = fixedClock(clock.now() + 90 * 86_400_000);
      const processes = [1, 2].map(
        () => new SigningKeys({ database, vault: testVault(), clock: later, log: silentLog }),
      );
      await Promise.all(processes.map(async (keys) => keys.signingJwk('env_dev')));
      expect(await rows(database.read, 'signing_keys').list('env_dev')).toHaveLength(2);
    });

    it('makes one key for 50 parallel first requests of two processes', async () => {
      const database = await withEnvironments(await open(), 'env_dev');
      const processes = [signingKeys(database), signingKeys(database)];
      const asked = Array.from({ length: 50 }, async (_, i) => processes[i % 2]?.signingJwk('env_dev'));
      const kids = new Set((await Promise.all(asked)).map((key) => key?.kid));
      expect(kids.size).toBe(1);
      expect(await rows(database.read, 'signing_keys').list('env_dev')).toHaveLength(1);
    });
  });
});
