/** Migration 2: outcomes of calls under idempotency keys. Never change it after a release; add a migration. */
import type { Dialect } from '../../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function idempotencyKeys(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  return [
    `create table idempotency_keys (
      id ${text} primary key,
      environment_id ${text} not null references environments (id),
      actor ${text} not null,
      account_id ${text} not null references accounts (id) on delete cascade,
      key_hash ${text} not null,
      input_hash ${text} not null,
      state ${text} not null,
      lease_owner ${text},
      lease_until ${int},
      outcome_sealed ${text},
      created_at ${int} not null,
      unique (environment_id, actor, account_id, key_hash)
    )${postgres ? '' : ' strict'}`,
    'create index idempotency_keys_of_account on idempotency_keys (account_id)',
    'create index idempotency_keys_by_age on idempotency_keys (environment_id, created_at)',
  ];
}
