import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import type { KeyRing } from '../../src/vault/key-ring.ts';
import { keyIdOf, UnreadableSecret, Vault } from '../../src/vault/vault.ts';

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 1) };
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 2) };
const place = { table: 'accounts', row: 'ca_1', column: 'credentials_sealed' };
const secret = '{"access_token":"s3cret ✓"}';

async function failure(promise: Promise<unknown>): Promise<UnreadableSecret> {
  return promise.then(
    () => expect.fail('expected a failure'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(UnreadableSecret);
      return error as UnreadableSecret;
    },
  );
}

describe('sealed value of the vault', () => {
  const vault = new Vault([k1]);

  it.each(['', 'x', secret, 'x'.repeat(100_000)])('opens to the text that was sealed', async (text) => {
    expect(await vault.open(place, await vault.seal(place, text))).toBe(text);
  });

  it('consists of a compact JWE with key id and place, and nothing else', async () => {
    const sealed = await vault.seal(place, secret);
    expect(sealed.split('.')).toHaveLength(5);
    expect(decodeProtectedHeader(sealed)).toEqual({ alg: 'dir', enc: 'A256GCM', kid: 'k1', ctx: place });
    expect(Buffer.from(sealed).toString()).not.toContain('s3cret');
  });

  it('differs after each sealing of the same text', async () => {
    expect(await vault.seal(place, secret)).not.toBe(await vault.seal(place, secret));
  });

  it.each([
    ['another table', { ...place, table: 'auth_requests' }],
    ['another row', { ...place, row: 'ca_2' }],
    ['another column', { ...place, column: 'waiting_sealed' }],
  ])('does not open in %s', async (_what, other) => {
    const error = await failure(vault.open(other, await vault.seal(place, secret)));
    expect(error.reason).toBe('other_place');
  });

  it('does not open in another place whose name was written into it', async () => {
    const [, ...rest] = (await vault.seal(place, secret)).split('.');
    const [header] = (await vault.seal({ ...place, row: 'ca_2' }, secret)).split('.');
    const error = await failure(vault.open({ ...place, row: 'ca_2' }, [header, ...rest].join('.')));
    expect(error.reason).toBe('damaged');
  });

  it.each([1, 2, 3, 4])('does not open when its part %i was changed', async (part) => {
    const parts = (await vault.seal(place, secret)).split('.');
    const bytes = Buffer.from(parts[part]!, 'base64url');
    parts[part] =
      part === 1
        ? 'AA'
        : Buffer.from(bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte))).toString('base64url');
    expect((await failure(vault.open(place, parts.join('.')))).reason).toBe('damaged');
  });

  it.each(['', 'not sealed', 'a.b.c.d.e', '{"access_token":"plain"}'])(
    'cannot be opened from %j',
    async (text) => {
      expect((await failure(vault.open(place, text))).reason).toBe('damaged');
    },
  );

  it('tells the caller which row is affected and what to do, without any of its content', async () => {
    const sealed = await new Vault([k2]).seal(place, secret);
    const error = await failure(vault.open(place, sealed));
    expect([error.code, error.status, error.message]).toEqual([
      'UNAVAILABLE',
      503,
      'The stored secret of ca_1 cannot be opened: it was sealed with the key k2, which is not among the master keys. Add that key.',
    ]);
    expect(error.reason).toBe('unknown_key');
  });
});

describe('vault with several keys', () => {
  const rotated: KeyRing = [k2, k1];

  it('seals with the first key and opens with all', async () => {
    const old = await new Vault([k1]).seal(place, secret);
    const vault = new Vault(rotated);
    expect(await vault.open(place, old)).toBe(secret);
    const fresh = await vault.seal(place, secret);
    expect([keyIdOf(old), keyIdOf(fresh)]).toEqual(['k1', 'k2']);
  });

  it('does not open with a key of the same id but other bytes', async () => {
    const sealed = await new Vault([k1]).seal(place, secret);
    const error = await failure(new Vault([{ id: 'k1', bytes: k2.bytes }]).open(place, sealed));
    expect(error.reason).toBe('damaged');
  });
});

describe('derived keys of the vault', () => {
  it('differ by purpose and by key, and stay the same in every process', () => {
    const vault = new Vault([k1]);
    expect(vault.derive('page tokens')).toHaveLength(32);
    expect(vault.derive('page tokens')).toEqual(new Vault([k1, k2]).derive('page tokens'));
    expect(vault.derive('page tokens')).not.toEqual(vault.derive('cookies'));
    expect(vault.derive('page tokens')).not.toEqual(new Vault([k2]).derive('page tokens'));
    expect(vault.derive('page tokens')).not.toEqual(k1.bytes);
  });
});
