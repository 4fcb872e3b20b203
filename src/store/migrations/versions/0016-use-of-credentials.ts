/** Migration 16: when an API credential was last used. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function useOfCredentials(dialect: Dialect): string[] {
  return [`alter table credentials add column last_used_at ${dialect === 'postgres' ? 'bigint' : 'integer'}`];
}
