import { describe, expect, it } from 'vitest';
import { SigningKeys } from '../../src/identity/signing-keys.ts';
import type { Database } from '../../src/store/database.ts';
import { SigningKeyStore } from '../../src/store/signing-key-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { memoryDatabase, testVault, withEnvironments } from './identity-support.ts';

const clock = fixedClock();

function signingKeys(database: Database): SigningKeys {
  return new SigningKeys({ database, vault: testVault(), clock });
}

describe('SigningKeys', () => {
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
    const [row] = await new SigningKeyStore(database.read).list('env_dev');
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
    expect(await new SigningKeyStore(database.read).list('env_dev')).toHaveLength(1);
  });

  forEachDatabase((_name, open) => {
    it('makes one key for 50 parallel first requests of two processes', async () => {
      const database = await withEnvironments(await open(), 'env_dev');
      const processes = [signingKeys(database), signingKeys(database)];
      const asked = Array.from({ length: 50 }, async (_, i) => processes[i % 2]?.signingJwk('env_dev'));
      const kids = new Set((await Promise.all(asked)).map((key) => key?.kid));
      expect(kids.size).toBe(1);
      expect(await new SigningKeyStore(database.read).list('env_dev')).toHaveLength(1);
    });
  });
});
