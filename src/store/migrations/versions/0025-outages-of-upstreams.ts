/**
 * Migration 25: the time since when the server of a connection fails. Never change it after a release; add a
 * migration.
 */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function outagesOfUpstreams(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  return [
    `alter table upstream_connections add column failing_since ${postgres ? 'bigint' : 'integer'}`,
    `alter table upstream_connections add column failing_origin ${postgres ? 'text collate "C"' : 'text'}`,
  ];
}
