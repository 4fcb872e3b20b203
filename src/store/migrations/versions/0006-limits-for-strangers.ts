/** Migration 6: networks of strangers, whose waiting requests, registrations and codes are limited. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Earlier rows belong to no network. */
export function limitsForStrangers(dialect: Dialect): string[] {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  return [
    `alter table authorization_artifacts add column network ${text}`,
    'create index authorization_artifacts_of_network on authorization_artifacts (environment_id, model, network, created_at) where network is not null',
    `alter table email_codes add column network ${text}`,
    `alter table email_codes add column known_browser ${text}`,
  ];
}
