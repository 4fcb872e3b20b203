/** Migration 12: indexes that filter and order the lists at once. Never change it after a release; add a migration. */

/**
 * SQL of this migration, one statement per entry. A dropped index is the beginning of a new one. Columns after `id` are
 * those of a second filter: they are looked at in the index and not in the table.
 */
export function indexesForLists(): string[] {
  return [
    ...ACCOUNTS,
    ...EXECUTIONS,
    ...FAILED_EXECUTIONS,
    ...PEOPLE,
    'create index audit_of_actor on audit (environment_id, actor, at, id, action)',
    'drop index audit_by_actor',
    'create index audit_of_action on audit (environment_id, action, at, id, actor)',
    'drop index audit_by_action',
    'create index account_events_by_time on account_events (environment_id, account_id, at, id)',
    'drop index account_events_by_account',
    "create index webhook_deliveries_delivered on webhook_deliveries (environment_id, webhook_id, created_at, id) where status = 'delivered'",
  ];
}

const ACCOUNTS = [
  'create index accounts_by_status on accounts (environment_id, status, created_at, id)',
  'create index accounts_by_name on accounts (environment_id, identifier, created_at, id)',
  'create index accounts_of_connection on accounts (environment_id, connection_id, created_at, id)',
  'create index accounts_of_connection_by_status on accounts (environment_id, connection_id, status, created_at, id)',
  'create index accounts_of_connection_by_name on accounts (environment_id, connection_id, identifier, created_at, id)',
  'create index accounts_of_owner_by_status on accounts (environment_id, user_id, organization_id, status, created_at, id)',
  'create index accounts_of_owner_by_connection on accounts (environment_id, user_id, organization_id, connection_id, created_at, id)',
  'drop index accounts_by_identifier',
];

/**
 * Every call writes them. Five sources and two states share one index: a list without one of them reads it for each value.
 * Migration 19 has those of connections and tools.
 */
const EXECUTIONS = [
  'create index executions_of_account on executions (environment_id, connected_account_id, at, id)',
  'create index executions_of_owner on executions (environment_id, user_id, organization_id, at, id)',
  'create index executions_by_source on executions (environment_id, source, status, at, id)',
];

/** Failures are rare, so these are small, and a call that succeeds does not write them. */
const FAILED_EXECUTIONS = [
  "create index failed_executions_of_account on executions (environment_id, connected_account_id, at, id) where status = 'error'",
  "create index failed_executions_of_owner on executions (environment_id, user_id, organization_id, at, id) where status = 'error'",
];

const PEOPLE = [
  'create index organizations_by_name on organizations (environment_id, name, created_at, id)',
  'create index memberships_of_organization on memberships (environment_id, organization_id, created_at, id)',
  'create index invitations_by_sender on invitations (environment_id, invited_by, created_at)',
  'create index sessions_of_user_by_age on sessions (environment_id, user_id, created_at, id)',
  'drop index sessions_of_user',
  'create index sessions_of_organization on sessions (environment_id, organization_id, created_at, id)',
];
