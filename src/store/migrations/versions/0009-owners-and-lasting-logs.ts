/** Migration 9: whose an execution was and how it failed; logs that outlive their interceptor. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. The new columns of existing executions are unknown (null). */
export function ownersAndLastingLogs(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const columns = ['user_id', 'organization_id', 'connector', 'error_message'].map(
    (name) => `${name} ${text}`,
  );
  return [
    ...[...columns, `provider_status ${postgres ? 'bigint' : 'integer'}`].map(
      (column) => `alter table executions add column ${column}`,
    ),
    ...(postgres
      ? ['alter table interceptor_logs drop constraint interceptor_logs_interceptor_id_fkey']
      : SQLITE_LOGS),
  ];
}

/** SQLite cannot drop a foreign key, so the table is written again. */
const SQLITE_LOGS = [
  `create table interceptor_logs_kept (
    id text primary key,
    environment_id text not null references environments (id),
    interceptor_id text not null,
    at integer not null,
    trigger_point text not null,
    request text not null,
    response_status integer,
    response_body text,
    failure text,
    decision text not null,
    duration_ms integer not null
  ) strict`,
  'insert into interceptor_logs_kept select * from interceptor_logs',
  'drop table interceptor_logs',
  'alter table interceptor_logs_kept rename to interceptor_logs',
  'create index interceptor_logs_by_age on interceptor_logs (environment_id, interceptor_id, at, id)',
  'create index interceptor_logs_by_end on interceptor_logs (environment_id, at)',
];
