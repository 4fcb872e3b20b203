import { beforeEach, describe, expect, it } from 'vitest';
import { openDerivationSecret, type StoredSecret } from '../../src/vault/derivation-secret.ts';
import type { KeyRing } from '../../src/vault/key-ring.ts';
import { keyIdOf, Vault } from '../../src/vault/vault.ts';

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 1) };
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 2) };
const place = { table: 'installation', row: 'derivation_secret', column: 'value' };

describe('derived keys of an installation', () => {
  let value: string | undefined;
  const stored: StoredSecret = {
    read: async () => value,
    writeIfAbsent: async (made) => (value ??= made),
    replace: async (old, made) => {
      if (value === old) value = made;
    },
  };
  const derived = async (ring: KeyRing): Promise<string> => {
    const secret = await openDerivationSecret(new Vault(ring), stored);
    return new Vault(ring, secret).derive('page-token').toString('hex');
  };

  beforeEach(() => {
    value = undefined;
  });

  it('stay the same in every process', async () => {
    expect(await derived([k1])).toBe(await derived([k1]));
  });

  it('differ in another installation with the same key', async () => {
    const one = await derived([k1]);
    value = undefined;
    expect(await derived([k1])).not.toBe(one);
  });

  it('stay the same when the master key changes', async () => {
    const before = await derived([k1]);
    const text = await new Vault([k1]).open(place, value ?? '');
    expect(await derived([k2, k1])).toBe(before);
    value = await new Vault([k2]).seal(place, text);
    expect(await derived([k2])).toBe(before);
  });

  it('change where the stored secret is damaged, because nothing permanent depends on them', async () => {
    const before = await derived([k1]);
    value = 'scribble';
    const after = await derived([k1]);
    expect(after).not.toBe(before);
    expect(await derived([k1])).toBe(after);
  });

  it('do not change when a rotation to a missing key began elsewhere', async () => {
    await derived([k2]);
    const before = value;
    await expect(derived([k1])).rejects.toThrow(
      'The database has secrets sealed with the key k2, which was not given: a rotation to it was begun. ' +
        'Add that key to the master keys. Nothing was changed.',
    );
    expect([value, keyIdOf(before ?? '')]).toEqual([before, 'k2']);
  });
});
