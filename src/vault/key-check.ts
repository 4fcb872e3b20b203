/** The key check value: a sealed text in the database that only the right master key opens. */
import { KeyError } from './key-ring.ts';
import { keyIdOf, UnreadableSecret, type SealedPlace, type Vault } from './vault.ts';

const PLACE: SealedPlace = { table: 'installation', row: 'key_check', column: 'value' };

/**
 * Makes sure that the keys fit the database, before anything is sealed with them.
 *
 * @param vault reads its keys again if they come from a file and one is missing: a rotation may begin at any
 * moment
 * @param read returns the stored value, `undefined` in a new database
 * @param writeIfAbsent stores a value unless there is one, and returns the stored one. Of two processes that
 * start together with different keys only one succeeds
 * @throws KeyError if the keys are not those of this database; nothing was changed
 */
export async function verifyKey(
  vault: Vault,
  read: () => Promise<string | undefined>,
  writeIfAbsent: (value: string) => Promise<string>,
): Promise<void> {
  const stored = (await read()) ?? (await writeIfAbsent(await vault.seal(PLACE, 'gatehouse')));
  try {
    await vault.open(PLACE, stored);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new KeyError(`${REASONS[error.reason](stored)} Nothing was changed.`, { cause: error });
  }
}

const REASONS = {
  unknown_key: (stored: string) =>
    `The master keys are not those of this database: its secrets are sealed with the key ${keyIdOf(stored)}, ` +
    'which was not given. Use the key file that belongs to this database.',
  damaged: () =>
    'The master key is not the one of this database: it has the right id, but does not open what is stored. ' +
    'Use the key file that belongs to this database.',
  other_place: () => 'The key check value in the database is damaged. Restore the table installation.',
};
