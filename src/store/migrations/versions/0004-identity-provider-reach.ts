/** Migration 4: who entered an identity provider, which decides whether it may have private addresses. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. It is not known who entered existing identity providers. */
export function identityProviderReach(dialect: Dialect): string[] {
  const int = dialect === 'postgres' ? 'bigint' : 'integer';
  return [`alter table organization_providers add column entered_by_operator ${int} not null default 0`];
}
