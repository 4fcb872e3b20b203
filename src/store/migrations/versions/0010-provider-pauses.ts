/** Migration 10: how long a provider wants no calls, of one account or of a connection. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function providerPauses(dialect: Dialect): string[] {
  const int = dialect === 'postgres' ? 'bigint' : 'integer';
  return ['accounts', 'connections'].map((table) => `alter table ${table} add column paused_until ${int}`);
}
