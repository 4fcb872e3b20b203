/** The vault of an installation: its keys, checked against its database before anything is sealed or opened. */
import type { Settings } from '../core/config/settings.ts';
import type { Log } from '../core/log.ts';
import type { Database } from '../store/database.ts';
import { InstallationStore, type InstallationKey } from '../store/installation-store.ts';
import { openDerivationSecret } from '../vault/derivation-secret.ts';
import { verifyKey } from '../vault/key-check.ts';
import type { KeyRing } from '../vault/key-ring.ts';
import { fixedKeys, KeyFileSource, type KeySource } from '../vault/key-source.ts';
import { loadKeyRing } from '../vault/load-key-ring.ts';
import { Vault } from '../vault/vault.ts';

/**
 * Opens it. A new key is made only for a database that has never known one: anything else would lock its owner out.
 *
 * @throws KeyProblem when the keys are not those of the database; nothing was changed
 */
export async function openVault({ keys }: Settings, db: Database, log: Log): Promise<Vault> {
  const facts = new InstallationStore(db.read);
  const stored = await facts.get('key_check');
  const ring = loadKeyRing({ ...keys, createIfMissing: stored === undefined });
  const opener = new Vault(ring);
  await verifyKey(opener, async () => stored, writeIfAbsent(db, 'key_check'));
  const secret = await openDerivationSecret(opener, {
    read: async () => facts.get('derivation_secret'),
    writeIfAbsent: writeIfAbsent(db, 'derivation_secret'),
    replace: async (old, value) =>
      db.transaction(async (tx) => new InstallationStore(tx).replace('derivation_secret', old, value)),
  });
  return new Vault(
    keys.masterKey === undefined ? watched(keys.masterKeyFile, ring, facts, log) : fixedKeys(ring),
    secret,
  );
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
