/** The vault of an installation: its keys, checked against its database before anything is sealed or opened. */
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../store/engine/database.ts';
import { InstallationStore, type InstallationKey } from '../../store/installation/installation-store.ts';
import { openDerivationSecret } from '../../vault/derivation-secret.ts';
import { verifyKey } from '../../vault/key-check.ts';
import { isReadableByOthers } from '../../vault/key-file.ts';
import type { KeyRing } from '../../vault/key-ring.ts';
import { fixedKeys, KeyFileSource, type KeySource } from '../../vault/key-source.ts';
import { loadKeyRing } from '../../vault/load-key-ring.ts';
import { Vault } from '../../vault/vault.ts';

/**
 * Opens the vault. A new key is only made for a database that never had one: otherwise the owner would be locked out.
 *
 * @throws KeyError if the keys do not belong to the database; nothing was changed
 */
export async function openVault({ keys }: Settings, db: Database, log: Log): Promise<Vault> {
  const facts = new InstallationStore(db.read);
  const createIfMissing = (await facts.get('key_check')) === undefined;
  const ring = loadKeyRing({ ...keys, createIfMissing });
  const source =
    keys.masterKey === undefined ? watched(keys.masterKeyFile, ring, facts, log) : fixedKeys(ring);
  // A rotation may begin at any time. It writes its key to the file before it seals with it. So rows read after the
  // file open with the file's keys, as first read or as read again.
  const opener = new Vault(source);
  await verifyKey(opener, async () => facts.get('key_check'), writeIfAbsent(db, 'key_check'));
  const secret = await openDerivationSecret(opener, {
    read: async () => facts.get('derivation_secret'),
    writeIfAbsent: writeIfAbsent(db, 'derivation_secret'),
    replace: async (old, value) =>
      db.transaction(async (tx) => new InstallationStore(tx).replace('derivation_secret', old, value)),
  });
  return new Vault(source, secret);
}

/** Describes unsafe permissions of the key file and the fix; `undefined` if they are fine or there is no file. */
export function keyFileProblem({ masterKey, masterKeyFile: path }: Settings['keys']): string | undefined {
  if (masterKey !== undefined || !isReadableByOthers(path)) return undefined;
  return `${path} can be read by others. Run: chmod 600 ${path}`;
}

/** Logged at every start of a server whose key others can read; the server starts all the same. */
export function warnOfOpenKeyFile({ keys }: Settings, log: Log): void {
  const message = keyFileProblem(keys);
  if (message !== undefined) log.warn('key_file_readable_by_others', { path: keys.masterKeyFile, message });
}

function writeIfAbsent(db: Database, key: InstallationKey): (value: string) => Promise<string> {
  return async (value) => db.transaction(async (tx) => new InstallationStore(tx).setIfAbsent(key, value));
}

function watched(path: string, ring: KeyRing, facts: InstallationStore, log: Log): KeySource {
  return new KeyFileSource({
    path,
    ring,
    fits: async (candidate) => {
      const check = (await facts.get('key_check')) ?? '';
      return verifyKey(
        new Vault(candidate),
        async () => check,
        async () => check,
      ).then(
        () => true,
        () => false,
      );
    },
    refused: (message) => log.warn('key_file_not_used', { path, message }),
  });
}
