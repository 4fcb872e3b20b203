/** Migration 22: the virtual MCP server of a call. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/**
 * SQL of this migration, one statement per entry. The server of older calls is unknown. Calls without a virtual
 * server do not write the index.
 */
export function serverOfCalls(dialect: Dialect): string[] {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  return [
    `alter table executions add column virtual_server_id ${text}`,
    'create index executions_of_server_by_status on executions (environment_id, virtual_server_id, status, at, id) where virtual_server_id is not null',
  ];
}
