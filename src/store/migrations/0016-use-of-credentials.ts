/** Migration 16: when an API credential was last used, and failed executions by their error. Never change it after a release; add a migration. */
import type { Dialect } from '../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function useOfCredentials(dialect: Dialect): string[] {
  return [
    `alter table credentials add column last_used_at ${dialect === 'postgres' ? 'bigint' : 'integer'}`,
    "create index failed_executions_by_code on executions (environment_id, error_code, at, id) where status = 'error'",
  ];
}
