/** Logs that a database is migrated, for how long, and that it is done. */
import type { Log } from '../../core/log.ts';
import type { OpenOptions } from '../../store/open.ts';

/** Logs a migration; see OpenOptions. */
export type OnMigration = NonNullable<OpenOptions['onMigration']>;

/**
 * @param also is waited for before the migration begins
 * @returns `onMigration` for the database to open, and `done` to be called when it is open
 */
export function migrationNotice(
  log: Log,
  also: OnMigration | undefined,
): { onMigration: OnMigration; done(): void } {
  let begunAt: number | undefined;
  let versions = '';
  return {
    onMigration: async (plan, db) => {
      const { from, to, seconds } = plan;
      const rows = plan.statements.reduce((most, each) => Math.max(most, each.rows ?? 0), 0);
      versions = `from schema version ${from} to ${to}`;
      begunAt = performance.now();
      log.info('database_migrating', {
        ...(rows > 0 && { count: rows }),
        message: `The tables are brought ${versions}${duration(seconds)}.`,
      });
      await also?.(plan, db);
    },
    done: () => {
      if (begunAt === undefined) return;
      const duration_ms = Math.round(performance.now() - begunAt);
      log.info('database_migrated', { duration_ms, message: `The tables were brought ${versions}.` });
    },
  };
}

function duration(seconds: number | undefined): string {
  return seconds === undefined
    ? ', while other processes use them'
    : `, and indexes are built: about ${seconds} s at most`;
}
