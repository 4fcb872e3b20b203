/** Migration 21: when the secret of a connection was set. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Existing secrets have no time. */
export function timeOfSecrets(dialect: Dialect): string[] {
  return [
    `alter table connections add column secret_set_at ${dialect === 'postgres' ? 'bigint' : 'integer'}`,
  ];
}
