/** Migration 15: sums of executions by hour, and where the time of a call went. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/**
 * SQL of this migration, one statement per entry. Older executions are not summed up: reading millions of them would
 * delay the start, and an older program that still runs adds records without sums. Their new columns stay unknown (null).
 */
export function executionSums(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  return [
    `create table execution_sums (
      environment_id ${text} not null references environments (id),
      hour ${int} not null,
      connector ${text} not null,
      source ${text} not null,
      status ${text} not null,
      error_code ${text} not null,
      part integer not null,
      ${CLASSES.map((name) => `${name} integer not null default 0`).join(', ')},
      primary key (environment_id, hour, connector, source, status, error_code, part)
    )${postgres ? '' : ' strict, without rowid'}`,
    ...['queue_ms', 'provider_ms', 'attempts', 'renewals'].map(
      (name) => `alter table executions add column ${name} ${int}`,
    ),
  ];
}

const CLASSES = [
  ...[
    5, 10, 20, 35, 60, 100, 150, 250, 400, 600, 1000, 1500, 2500, 4000, 6000, 10000, 15000, 30000, 60000,
  ].map((bound) => `up_to_${bound}`),
  'longer',
];
