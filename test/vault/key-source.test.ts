import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceKeyFile } from '../../src/vault/key-file.ts';
import type { KeyRing } from '../../src/vault/key-ring.ts';
import { KeyFileSource } from '../../src/vault/key-source.ts';
import { keyIdOf, Vault } from '../../src/vault/vault.ts';

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 1) };
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 2) };
const place = { table: 'accounts', row: 'ca_1', column: 'credentials_sealed' };

describe('key file of a running process', () => {
  let folder: string;
  let file: string;
  let fits: (ring: KeyRing) => boolean;
  let refused: string[];
  let vault: Vault;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
    file = join(folder, 'master.key');
    writeFileSync(file, `k1:${k1.bytes.toString('base64')}\n`);
    fits = () => true;
    refused = [];
    vault = new Vault(
      new KeyFileSource({
        path: file,
        ring: [k1],
        fits: async (ring) => fits(ring),
        refused: (reason) => refused.push(reason),
      }),
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const sealingKey = async (): Promise<string | null> => keyIdOf(await vault.seal(place, 'x'));

  it('opens values of another process with a key that is new in the file', async () => {
    const sealed = await new Vault([k2, k1]).seal(place, 'secret');
    replaceKeyFile(file, [k2, k1]);
    expect(await vault.open(place, sealed)).toBe('secret');
  });

  it('seals with the new first key as soon as it is in the file', async () => {
    expect(await sealingKey()).toBe('k1');
    replaceKeyFile(file, [k2, k1]);
    expect(await sealingKey()).toBe('k2');
  });

  it('seals with the old key while the new one stands behind it, and opens both', async () => {
    replaceKeyFile(file, [k1, k2]);
    expect(await sealingKey()).toBe('k1');
    expect(await vault.open(place, await new Vault([k2]).seal(place, 'secret'))).toBe('secret');
  });

  it('no longer opens values of a key that was removed', async () => {
    const sealed = await vault.seal(place, 'secret');
    replaceKeyFile(file, [k2]);
    expect(await sealingKey()).toBe('k2');
    await expect(vault.open(place, sealed)).rejects.toThrow('sealed with the key k1');
  });

  it.each([
    ['is gone', () => rmSync(file), []],
    ['holds no key', () => writeFileSync(file, 'half'), ['Entry 1 is not id:base64']],
    ['holds keys of another database', () => replaceKeyFile(file, [k2]), ['not those of the database']],
  ])('keeps its loaded keys when the file %s', async (_what, change, said) => {
    fits = (ring) => ring.some(({ id }) => id === 'k1');
    const before = await vault.seal(place, 'secret');
    change();
    expect(await sealingKey()).toBe('k1');
    expect(await vault.open(place, before)).toBe('secret');
    expect(refused).toEqual(said.map((reason) => expect.stringContaining(reason) as string));
  });

  it('reads an unchanged file once, however often it is asked', async () => {
    let asked = 0;
    fits = () => {
      asked += 1;
      return true;
    };
    replaceKeyFile(file, [k2, k1]);
    await Promise.all(Array.from({ length: 20 }, () => sealingKey()));
    await sealingKey();
    expect(asked).toBe(1);
  });
});
