/** The commands for master keys: rotation and verification. They only need the database and the keys. */
import { systemClock, type Clock } from '../../core/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../../core/log.ts';
import { KeyRotation, type RemovalResult, type RotationResult } from '../../operations/key-rotation.ts';
import { verifyKeys, type KeyReport } from '../../operations/key-verification.ts';
import { DatabaseError } from '../../store/engine/database-errors.ts';
import { openDatabase } from '../../store/open.ts';
import { holdsInstallation } from './existing-database.ts';
import { openVault } from '../services/open-vault.ts';
import { schemaNotice } from '../services/schema-notice.ts';

export interface Keys {
  /** The key file; `undefined` if the environment provides the keys. */
  keyFile: string | undefined;
  rotate(progress?: (resealed: number) => void): Promise<RotationResult>;
  removeOld(progress?: (resealed: number) => void): Promise<RemovalResult>;
  verify(): Promise<KeyReport>;
  close(): Promise<void>;
}

/**
 * Opens an existing installation. Creates nothing.
 *
 * @throws DatabaseError without an installation, KeyError if the keys do not belong to it
 */
export async function openKeys({
  settings,
  log,
  clock = systemClock,
}: {
  settings: Settings;
  log: Log;
  clock?: Clock;
}): Promise<Keys> {
  if (!(await holdsInstallation(settings.databaseUrl))) {
    throw new DatabaseError(
      'There is no data of Gatehouse yet, so there are no keys to work with; the first start makes both. Check data_dir (GATEHOUSE_DATA_DIR) and database_url (GATEHOUSE_DATABASE_URL).',
    );
  }
  const { masterKey, masterKeyFile } = settings.keys;
  const db = await openDatabase({ url: settings.databaseUrl, onNewer: schemaNotice(log) });
  try {
    const vault = await openVault(settings, db, log);
    const keyFile = masterKey === undefined ? masterKeyFile : undefined;
    const rotation = new KeyRotation({ db, vault, clock, keyFile });
    return {
      keyFile,
      rotate: async (progress) => rotation.rotate(progress),
      removeOld: async (progress) => rotation.removeOld(progress),
      verify: async () => verifyKeys(db, vault),
      close: async () => db.close(),
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}
