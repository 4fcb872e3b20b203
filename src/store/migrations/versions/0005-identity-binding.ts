/** Migration 5: who a person is at an identity provider, and what only the operator switches on for a provider. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Existing people have no row until their next sign-in. */
export function identityBinding(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  const flag = (name: string): string =>
    `alter table organization_providers add column ${name} ${int} not null default 0`;
  return [
    flag('assume_email_verified'),
    flag('allow_operator_rights'),
    `create table user_identities (
      id ${text} primary key,
      environment_id ${text} not null references environments (id),
      user_id ${text} not null references users (id) on delete cascade,
      issuer ${text} not null,
      subject ${text} not null,
      created_at ${int} not null,
      unique (environment_id, issuer, subject),
      unique (environment_id, user_id, issuer)
    )${postgres ? '' : ' strict'}`,
  ];
}
