/** Backup and restore of the SQLite database that the settings name. Postgres has its own tools for this. */
import { systemClock } from '../../core/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import { backUp, type BackupResult } from '../../operations/backup.ts';
import { restore, type RestoreResult } from '../../operations/restore.ts';
import { DatabaseError } from '../../store/engine/database-errors.ts';
import { loadKeyRing } from '../../vault/load-key-ring.ts';

export interface BackupOptions {
  settings: Settings;
  /** Absolute path of the backup. */
  file: string;
  force: boolean;
}

/** @throws DatabaseError if the backup cannot be made */
export async function runBackup({ settings, ...options }: BackupOptions): Promise<BackupResult> {
  const { masterKeyFile: keyFile } = settings.keys;
  return backUp({ database: databaseFile(settings), keyFile, ...options });
}

/** @throws DatabaseError, KeyError if the backup cannot be used; nothing was changed */
export async function runRestore({ settings, ...options }: BackupOptions): Promise<RestoreResult> {
  const database = databaseFile(settings);
  const keys = loadKeyRing({ ...settings.keys, createIfMissing: false });
  return restore({ database, keys, clock: systemClock, ...options });
}

function databaseFile({ databaseUrl }: Settings): string {
  const file = /^sqlite:(?!:memory:$)(.+)$/.exec(databaseUrl)?.[1];
  if (file !== undefined) return file;
  throw new DatabaseError('The settings name no SQLite file (database_url, GATEHOUSE_DATABASE_URL).');
}
