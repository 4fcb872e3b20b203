/** Loads the keys at start: from the environment, or from the key file, which the first start creates. */
import { existsSync } from 'node:fs';
import { createKeyFile, readKeyFile } from './key-file.ts';
import { KeyError, parseKeyRing, type KeyRing } from './key-ring.ts';

export interface KeyRingOptions {
  /** The keys themselves (GATEHOUSE_MASTER_KEY); takes precedence over the file. */
  masterKey?: string | undefined;
  masterKeyFile: string;
  /** False once the database knows a key: a new one could not open what is stored. */
  createIfMissing: boolean;
}

/**
 * Reads the keys. Creates a missing key file with mode 0600, if this is allowed.
 *
 * @throws KeyError naming every fault of the list, or a missing file that must not be created again
 */
export function loadKeyRing({ masterKey, masterKeyFile, createIfMissing }: KeyRingOptions): KeyRing {
  if (masterKey !== undefined) return parseKeyRing(masterKey, 'GATEHOUSE_MASTER_KEY');
  if (!existsSync(masterKeyFile)) {
    if (!createIfMissing) throw new KeyError(missing(masterKeyFile));
    createKeyFile(masterKeyFile);
  }
  return readKeyFile(masterKeyFile);
}

function missing(path: string): string {
  return (
    `The key file ${path} is missing, but the database holds secrets that only its key can open. ` +
    'Put the file back, or give the key in GATEHOUSE_MASTER_KEY. No new key was made. ' +
    'If the key is lost for good, start with an empty database and connect the accounts again.'
  );
}
