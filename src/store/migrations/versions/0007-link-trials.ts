/** Migration 7: how often a credential was tried with a link. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function linkTrials(dialect: Dialect): string[] {
  const int = dialect === 'postgres' ? 'bigint' : 'integer';
  return [`alter table links add column trials ${int} not null default 0`];
}
