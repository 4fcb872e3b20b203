/**
 * Migration 17: who asks for a link, that a person declined it, and the name of an account at its provider. Never change
 * it after a release; add a migration.
 */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Earlier rows have none of it, and work as before. */
export function linkDecisions(dialect: Dialect): string[] {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  const int = dialect === 'postgres' ? 'bigint' : 'integer';
  return [
    `alter table links add column requester ${text}`,
    `alter table links add column requested_by ${text}`,
    `alter table links add column declined_at ${int}`,
    `alter table accounts add column declined_at ${int}`,
    `alter table accounts add column display_name_sealed ${text}`,
    `alter table auth_requests add column display_name_sealed ${text}`,
  ];
}
