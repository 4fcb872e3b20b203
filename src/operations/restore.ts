/** `gatehouse restore`: replaces the SQLite database with a backup. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { toTimestamp, type Clock } from '../core/clock.ts';
import { DatabaseError } from '../store/engine/database-errors.ts';
import { InstallationStore } from '../store/installation/installation-store.ts';
import { copyDatabase, hasLog, openCopy, type OpenedCopy } from '../store/installation/sqlite-copy.ts';
import { replaceDatabase } from '../store/installation/sqlite-replacement.ts';
import { verifyKey } from '../vault/key-check.ts';
import { KeyError, type KeyRing } from '../vault/key-ring.ts';
import { Vault } from '../vault/vault.ts';
import { isSystemError, keyIdsOf, readCopy } from './backup.ts';

/** Output of `restore`. */
export interface RestoreResult {
  database: string;
  /** Path of the previous database; null without an earlier database. */
  replaced: string | null;
}

/**
 * Checks the backup and the keys, then replaces the database with a copy of the backup. The old database is
 * kept next to it.
 *
 * @param options.force also replaces a database that is too damaged to tell whether a process has it open
 * @throws DatabaseError, KeyError if the backup is damaged or newer, the keys do not fit it, or a process
 * has the database open; nothing was changed
 */
export async function restore(options: {
  file: string;
  database: string;
  keys: KeyRing;
  clock: Clock;
  force: boolean;
}): Promise<RestoreResult> {
  const { file, database, keys, clock, force } = options;
  if (hasLog(file)) {
    throw new DatabaseError(
      `${file} has a write-ahead log next to it: it is in use, or was copied while in use, and part of its data is in ${file}-wal. ` +
        'Make a backup with "gatehouse backup". Nothing was changed.',
    );
  }
  const draft = `${database}.restoring-${randomBytes(4).toString('hex')}`;
  const keepAs = `${database}.replaced-${toTimestamp(clock.now()).replaceAll(':', '')}`;
  try {
    mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
    await copyDatabase(file, draft);
    const copy = await openCopy(draft, file);
    await readCopy(copy, async () => requireFitting(copy, keys, file));
    const wasThere = await replaceDatabase({ path: database, draft, keepAs, force });
    return { database, replaced: wasThere ? keepAs : null };
  } catch (error) {
    throw isSystemError(error)
      ? new DatabaseError(`${file} cannot be restored: ${error.message}. The database is as it was.`, {
          cause: error,
        })
      : error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The key check value proves that the keys are the right ones; the ids, that none is missing. */
async function requireFitting(copy: OpenedCopy, keys: KeyRing, file: string): Promise<void> {
  const needed = await keyIdsOf(copy);
  const check = await new InstallationStore(copy.read).get('key_check');
  if (check === undefined) throw new DatabaseError(`${file} has no key check value. Nothing was changed.`);
  await verifyKey(
    new Vault(keys),
    async () => check,
    async () => check,
  );
  const missing = needed.filter((id) => !keys.some((key) => key.id === id));
  if (missing.length === 0) return;
  throw new KeyError(
    `${file} holds secrets sealed with keys that were not given: ${missing.join(', ')}. ` +
      'Add them to the master keys. Nothing was changed.',
  );
}
