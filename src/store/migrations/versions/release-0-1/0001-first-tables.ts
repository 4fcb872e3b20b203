/** Migration 1: the tables of an installation. Never change it after a release; add a migration. */
import type { Dialect } from '../../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function firstTables(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  // Bytes decide order and equality on both databases: the default on SQLite, collation C on Postgres.
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  const end = postgres ? '' : ' strict';
  const environment = `environment_id ${text} not null references environments (id)`;
  const account = `account_id ${text} not null references accounts (id) on delete cascade`;

  const tables = [
    `create table environments (
      id ${text} primary key,
      name ${text} not null unique,
      created_at ${int} not null
    )`,
    `create table connections (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      connector ${text} not null,
      authorization_type ${text} not null,
      client_id ${text},
      client_secret_sealed ${text},
      scopes ${text} not null,
      params ${text} not null,
      overrides ${text} not null,
      post_user_verify_redirect_url ${text},
      managed_by ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (environment_id, name)
    )`,
    `create table accounts (
      id ${text} primary key,
      ${environment},
      connection_id ${text} not null references connections (id) on delete restrict,
      organization_id ${text} not null,
      user_id ${text} not null,
      identifier ${text} not null,
      status ${text} not null,
      credentials_sealed ${text},
      token_expires_at ${int},
      token_received_at ${int},
      api_config ${text} not null,
      generation ${int} not null,
      lease_owner ${text},
      lease_until ${int},
      refresh_state ${text} not null,
      failed_until ${int},
      failed_attempts ${int} not null,
      failed_reason ${text},
      refusals ${int} not null,
      last_used_at ${int},
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (environment_id, connection_id, organization_id, user_id, identifier)
    )`,
    `create table account_events (
      id ${text} primary key,
      ${environment},
      ${account},
      at ${int} not null,
      from_status ${text},
      to_status ${text} not null,
      cause ${text} not null,
      actor ${text} not null
    )`,
    `create table links (
      id ${text} primary key,
      ${environment},
      ${account},
      token_hash ${text} not null unique,
      verification ${text} not null,
      user_verify_url ${text},
      caller_state ${text},
      scopes ${text} not null,
      created_by ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      completed_at ${int}
    )`,
    `create table oauth_flows (
      id ${text} primary key,
      ${environment},
      ${account},
      link_id ${text} not null references links (id) on delete cascade,
      connection_id ${text} not null,
      state_hash ${text} not null unique,
      browser_hash ${text} not null,
      verifier_sealed ${text},
      token_url ${text} not null,
      issuer ${text} not null,
      redirect_uri ${text} not null,
      scopes ${text} not null,
      api_config ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      consumed_at ${int}
    )`,
    `create table auth_requests (
      id ${text} primary key,
      ${environment},
      ${account},
      link_id ${text} not null,
      token_hash ${text} not null unique,
      identifier ${text} not null,
      waiting_sealed ${text},
      waiting_expires_at ${int},
      waiting_api_config ${text} not null,
      status_before ${text} not null,
      wrong_identifiers ${int} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      ended_at ${int},
      ended_by ${text}
    )`,
    `create table executions (
      id ${text} primary key,
      ${environment},
      tool_name ${text} not null,
      connected_account_id ${text},
      source ${text} not null,
      status ${text} not null,
      error_code ${text},
      duration_ms ${int} not null,
      at ${int} not null
    )`,
    `create table credentials (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      client_id ${text} not null unique,
      organization_id ${text} not null,
      scopes ${text} not null,
      created_at ${int} not null
    )`,
    `create table credential_secrets (
      id ${text} primary key,
      ${environment},
      credential_id ${text} not null references credentials (id) on delete cascade,
      secret_hash ${text} not null,
      created_at ${int} not null,
      expires_at ${int}
    )`,
    `create table signing_keys (
      id ${text} primary key,
      ${environment},
      public_jwk ${text} not null,
      private_jwk_sealed ${text} not null,
      created_at ${int} not null
    )`,
    `create table revoked_tokens (
      ${environment},
      token_id ${text} not null,
      expires_at ${int} not null,
      primary key (environment_id, token_id)
    )`,
    `create table audit (
      id ${text} primary key,
      ${environment},
      at ${int} not null,
      actor ${text} not null,
      action ${text} not null,
      target ${text} not null,
      ip ${text} not null
    )`,
    `create table webhooks (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      url ${text} not null,
      events ${text} not null,
      enabled ${int} not null,
      managed_by ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (environment_id, name)
    )`,
    `create table webhook_deliveries (
      id ${text} primary key,
      ${environment},
      webhook_id ${text} not null references webhooks (id) on delete cascade,
      event_id ${text} not null,
      event_type ${text} not null,
      body ${text} not null,
      status ${text} not null,
      attempts ${int} not null,
      next_attempt_at ${int},
      taken_until ${int},
      last_status ${int},
      last_failure ${text},
      created_at ${int} not null,
      finished_at ${int}
    )`,
    `create table signing_secrets (
      id ${text} primary key,
      ${environment},
      secret_sealed ${text} not null,
      created_at ${int} not null,
      expires_at ${int}
    )`,
    `create table rate_windows (
      key ${text} primary key,
      points ${int} not null,
      expire ${int} not null
    )`,
  ];

  return [
    ...tables.map((table) => table + end),
    'create index accounts_by_age on accounts (environment_id, created_at, id)',
    'create index accounts_by_owner on accounts (environment_id, user_id, organization_id, created_at, id)',
    'create index accounts_by_connection on accounts (connection_id)',
    'create index account_events_by_account on account_events (environment_id, account_id, at)',
    'create index account_events_of_account on account_events (account_id)',
    'create index links_of_account on links (account_id)',
    'create index links_by_expiry on links (expires_at)',
    'create index oauth_flows_of_account on oauth_flows (account_id)',
    'create index oauth_flows_of_link on oauth_flows (link_id)',
    'create index oauth_flows_by_expiry on oauth_flows (expires_at)',
    'create index auth_requests_of_account on auth_requests (account_id)',
    'create index auth_requests_open on auth_requests (expires_at) where ended_at is null',
    'create index auth_requests_ended on auth_requests (ended_at) where ended_at is not null',
    'create index executions_by_time on executions (environment_id, at, id)',
    'create index credentials_by_age on credentials (environment_id, created_at, id)',
    'create index credential_secrets_of_credential on credential_secrets (credential_id)',
    'create index signing_keys_by_age on signing_keys (environment_id, created_at)',
    'create index revoked_tokens_by_expiry on revoked_tokens (expires_at)',
    "create index webhook_deliveries_pending on webhook_deliveries (environment_id, webhook_id, created_at, id) where status = 'pending'",
    'create index webhook_deliveries_taken on webhook_deliveries (environment_id, webhook_id) where taken_until is not null',
    'create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, created_at, id)',
    'create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null',
    'create index signing_secrets_by_age on signing_secrets (environment_id, created_at)',
    'create index audit_by_time on audit (environment_id, at, id)',
    ...(postgres ? POSTGRES_AUDIT_RULES : SQLITE_AUDIT_RULES),
  ];
}

const SQLITE_AUDIT_RULES = [
  `create trigger audit_no_update before update on audit
   begin select raise(abort, 'audit is append-only'); end`,
  `create trigger audit_no_delete before delete on audit
   begin select raise(abort, 'audit is append-only'); end`,
];

const POSTGRES_AUDIT_RULES = [
  `create function audit_is_append_only() returns trigger language plpgsql as
   $$ begin raise exception 'audit is append-only'; end $$`,
  `create trigger audit_append_only before update or delete or truncate on audit
   for each statement execute function audit_is_append_only()`,
];
