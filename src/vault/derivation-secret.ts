/**
 * The secret that derived keys (`Vault.derive`) are made from: 32 random bytes, sealed in the database. It
 * does not change with the master keys, so page tokens, forms and prompts stay valid after a rotation, in
 * every process.
 */
import { randomBytes } from 'node:crypto';
import { KeyError } from './key-ring.ts';
import { keyIdOf, UnreadableSecret, type SealedPlace, type Vault } from './vault.ts';

const PLACE: SealedPlace = { table: 'installation', row: 'derivation_secret', column: 'value' };

/** The stored value in the database. */
export interface StoredSecret {
  read(): Promise<string | undefined>;
  /** Stores the value unless there is one; returns the stored value. */
  writeIfAbsent(value: string): Promise<string>;
  /** Replaces `old`; does nothing if another value is stored by now. */
  replace(old: string, value: string): Promise<unknown>;
}

/**
 * Returns the secret of the installation. It is made on the first start, and again if the stored one is
 * damaged: everything derived from it is short-lived.
 *
 * @param vault reads its keys again if they come from a file and one is missing: a rotation may begin at any
 * moment
 * @throws KeyError if it is sealed with a key that is not available, because other values then are, too
 */
export async function openDerivationSecret(vault: Vault, stored: StoredSecret): Promise<Buffer> {
  const value = (await stored.read()) ?? (await stored.writeIfAbsent(await newSecret(vault)));
  try {
    return await open(vault, value);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    if (error.reason === 'unknown_key') throw missingKey(keyIdOf(value), error);
  }
  await stored.replace(value, await newSecret(vault));
  return open(vault, (await stored.read()) ?? '');
}

async function newSecret(vault: Vault): Promise<string> {
  return vault.seal(PLACE, randomBytes(32).toString('base64url'));
}

async function open(vault: Vault, value: string): Promise<Buffer> {
  return Buffer.from(await vault.open(PLACE, value), 'base64url');
}

function missingKey(id: string | null, cause: unknown): KeyError {
  return new KeyError(
    `The database has secrets sealed with the key ${id}, which was not given: a rotation to it was begun. ` +
      'Add that key to the master keys. Nothing was changed.',
    { cause },
  );
}
