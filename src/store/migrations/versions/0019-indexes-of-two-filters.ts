/** Migration 19: indexes of lists by two filters, and of all logs of interceptors in their order. Never change it after a release; add a migration. */

/**
 * SQL of this migration, one statement per entry. The source is before the time: a list without it reads the index once
 * for each of the five sources. Columns after `id` are looked at in the index and not in the table.
 *
 * The executions' indexes that it drops were made by unreleased programs of version 12 and later.
 */
export function indexesOfTwoFilters(): string[] {
  return [
    'create index executions_of_connection_by_source on executions (environment_id, connector, source, at, id, status)',
    'create index executions_by_tool_and_source on executions (environment_id, tool_name, source, at, id, status, connector)',
    ...OF_FAILURES.map(
      ([name, columns]) => `create index ${name} on executions (${columns}) where status = 'error'`,
    ),
    'create index audit_of_actor_by_action on audit (environment_id, actor, action, at, id)',
    'create index interceptor_logs_by_time on interceptor_logs (environment_id, at, id)',
    'drop index interceptor_logs_by_end',
    'drop index if exists executions_of_connection',
    'drop index if exists executions_by_tool',
    'drop index if exists failed_executions_of_connection',
    'drop index if exists failed_executions_by_tool',
    'drop index if exists failed_executions_by_code',
  ];
}

/** A call that succeeds does not write them. */
const OF_FAILURES = [
  ['failed_executions_of_connection_by_source', 'environment_id, connector, source, at, id'],
  ['failed_executions_by_tool_and_source', 'environment_id, tool_name, source, at, id, connector'],
  ['failed_executions_by_code_and_source', 'environment_id, error_code, source, at, id'],
  ['failed_executions_of_connection_by_code', 'environment_id, connector, error_code, at, id, source'],
  ['failed_executions_by_tool_and_code', 'environment_id, tool_name, error_code, at, id, source, connector'],
] as const;
