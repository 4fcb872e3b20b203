/**
 * Migration 8: the browser that consented, links that can be given again, and accounts by identifier alone. Never
 * change it after a release; add a migration.
 */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Earlier rows have neither, and work as before. */
export function linkBinding(dialect: Dialect): string[] {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  return [
    `alter table auth_requests add column browser_hash ${text}`,
    `alter table links add column token_sealed ${text}`,
    'create index accounts_by_identifier on accounts (connection_id, identifier)',
  ];
}
