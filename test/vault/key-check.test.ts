import { beforeEach, describe, expect, it } from 'vitest';
import { verifyKey } from '../../src/vault/key-check.ts';
import { Vault } from '../../src/vault/vault.ts';

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 1) };
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 2) };

describe('master key check', () => {
  let stored: string | undefined;
  const verify = async (vault: Vault): Promise<void> =>
    verifyKey(
      vault,
      async () => stored,
      async (value) => (stored ??= value),
    );

  beforeEach(() => {
    stored = undefined;
  });

  it('stores a value on the first start and accepts the same key afterwards', async () => {
    await verify(new Vault([k1]));
    const first = stored;
    expect(first).toBeTypeOf('string');
    await verify(new Vault([k1]));
    expect(stored).toBe(first);
  });

  it('accepts a new key next to the old one', async () => {
    await verify(new Vault([k1]));
    await expect(verify(new Vault([k2, k1]))).resolves.toBeUndefined();
  });

  it('refuses another key and names the required one', async () => {
    await verify(new Vault([k1]));
    const first = stored;
    await expect(verify(new Vault([k2]))).rejects.toThrow(
      'The master keys are not those of this database: its secrets are sealed with the key k1, which was not given. ' +
        'Use the key file that belongs to this database. Nothing was changed.',
    );
    expect(stored).toBe(first);
  });

  it('refuses other bytes under the same id', async () => {
    await verify(new Vault([k1]));
    await expect(verify(new Vault([{ id: 'k1', bytes: k2.bytes }]))).rejects.toThrow(
      'The master key is not the one of this database: it has the right id, but does not open what is stored. ' +
        'Use the key file that belongs to this database. Nothing was changed.',
    );
  });

  it('refuses the slower of two first starts with different keys', async () => {
    const winner = new Vault([k1]);
    const late = verifyKey(
      new Vault([k2]),
      async () => undefined,
      async (value) => {
        await verify(winner);
        return (stored ??= value);
      },
    );
    await expect(late).rejects.toThrow('The master keys are not those of this database');
    await expect(verify(winner)).resolves.toBeUndefined();
  });
});
