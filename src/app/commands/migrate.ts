/** `gatehouse migrate`: brings the tables of the database up to date before a new program serves. */
import { systemClock } from '../../core/clock.ts';
import { copyBeforeMigration } from '../../operations/copy-before-migration.ts';
import type { Settings } from '../../settings/settings.ts';
import type { MigrationPlan } from '../../store/migrations/migration-plan.ts';
import { planMigration, schemaFit } from '../../store/migrations/migrator.ts';
import { openDatabase } from '../../store/open.ts';
import { hasFile, openAsItIs, sqliteFile } from './existing-database.ts';

/** The result of `migrate`, or the plan of it. */
export interface MigrateResult {
  plan: MigrationPlan;
  /** Path of the copy that was made before; null without one. */
  copy: string | null;
  /** Duration without the copy, in milliseconds; null if nothing was done. */
  durationMs: number | null;
}

/**
 * @param options.dryRun only says what would be done
 * @param options.withCopy copies an SQLite database first
 * @throws DatabaseError if the database cannot be used, copied or migrated
 */
export async function runMigrate({
  settings,
  dryRun,
  withCopy,
}: {
  settings: Settings;
  dryRun: boolean;
  withCopy: boolean;
}): Promise<MigrateResult> {
  const url = settings.databaseUrl;
  const plan = await planOf(url);
  if (dryRun || plan.statements.length === 0) return { plan, copy: null, durationMs: null };
  const database = sqliteFile(url);
  const copy =
    withCopy && plan.from > 0 && database !== undefined
      ? await copyBeforeMigration({
          database,
          keyFile: settings.keys.masterKeyFile,
          version: plan.from,
          clock: systemClock,
        })
      : null;
  const startedAt = performance.now();
  await (await openDatabase({ url })).close();
  return { plan, copy, durationMs: Math.round(performance.now() - startedAt) };
}

/** Reads the database. If it does not exist, an empty one in memory shows what would be done, and no file is made. */
async function planOf(url: string): Promise<MigrationPlan> {
  const db = await openAsItIs(hasFile(url) ? url : 'sqlite::memory:');
  try {
    const { version } = await schemaFit(db.read, db.dialect);
    return await planMigration(db, version);
  } finally {
    await db.close();
  }
}
