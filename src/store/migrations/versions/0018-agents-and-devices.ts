/** Migration 18: the app that made a call, and the kind of browser and the place where a session began. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Of older calls and sessions neither is known. */
export function agentsAndDevices(dialect: Dialect): string[] {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  return [
    `alter table executions add column client_id ${text}`,
    `alter table sessions add column device ${text} not null default '{}'`,
  ];
}
