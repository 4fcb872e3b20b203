/** Migration 3: people, organizations, sessions, interceptors, virtual servers. Never change it after a release; add a migration. */
import type { Dialect } from '../../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function peopleAndPolicy(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  const end = postgres ? '' : ' strict';
  const environment = `environment_id ${text} not null references environments (id)`;
  const organization = `organization_id ${text} not null references organizations (id) on delete cascade`;
  const dates = `created_at ${int} not null,
      updated_at ${int} not null`;
  const tables = [
    `create table users (
      id ${text} primary key,
      ${environment},
      email ${text} not null,
      email_verified ${int} not null,
      given_name ${text} not null,
      family_name ${text} not null,
      is_operator ${int} not null,
      ${dates},
      unique (environment_id, email)
    )`,
    `create table organizations (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      ${dates}
    )`,
    `create table memberships (
      id ${text} primary key,
      ${environment},
      ${organization},
      user_id ${text} not null references users (id) on delete cascade,
      role ${text} not null,
      ${dates},
      unique (environment_id, organization_id, user_id)
    )`,
    `create table invitations (
      id ${text} primary key,
      ${environment},
      ${organization},
      email ${text} not null,
      role ${text} not null,
      token_hash ${text} not null unique,
      invited_by ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      accepted_at ${int},
      revoked_at ${int}
    )`,
    `create table organization_providers (
      id ${text} primary key,
      ${environment},
      ${organization} unique,
      issuer ${text} not null,
      client_id ${text} not null,
      client_secret_sealed ${text},
      domains ${text} not null,
      ${dates}
    )`,
    `create table sessions (
      id ${text} primary key,
      ${environment},
      kind ${text} not null,
      user_id ${text} not null,
      organization_id ${text} not null,
      client_id ${text} not null,
      resource ${text} not null,
      token_hash ${text} unique,
      connection_details ${text} not null,
      custom_claims ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      ended_at ${int}
    )`,
    `create table email_codes (
      id ${text} primary key,
      ${environment},
      email ${text} not null,
      code_hash ${text} not null,
      browser_hash ${text} not null,
      ip ${text} not null,
      wrong_codes ${int} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      used_at ${int}
    )`,
    `create table sign_in_flows (
      id ${text} primary key,
      ${environment},
      ${organization},
      state_hash ${text} not null unique,
      browser_hash ${text} not null,
      secrets_sealed ${text} not null,
      next ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      consumed_at ${int}
    )`,
    `create table authorization_artifacts (
      id ${text} primary key,
      ${environment},
      model ${text} not null,
      id_hash ${text} not null,
      grant_hash ${text},
      uid_hash ${text},
      session_id ${text},
      payload_sealed ${text} not null,
      created_at ${int} not null,
      expires_at ${int},
      consumed_at ${int},
      unique (environment_id, model, id_hash)
    )`,
    `create table interceptors (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      trigger_point ${text} not null,
      endpoint ${text} not null,
      timeout_ms ${int} not null,
      fallback ${text} not null,
      enabled ${int} not null,
      managed_by ${text} not null,
      ${dates},
      unique (environment_id, name)
    )`,
    `create table interceptor_logs (
      id ${text} primary key,
      ${environment},
      interceptor_id ${text} not null references interceptors (id) on delete cascade,
      at ${int} not null,
      trigger_point ${text} not null,
      request ${text} not null,
      response_status ${int},
      response_body ${text},
      failure ${text},
      decision ${text} not null,
      duration_ms ${int} not null
    )`,
    `create table mcp_servers (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      organization_id ${text} not null,
      connections ${text} not null,
      toolsets ${text} not null,
      tools ${text} not null,
      read_only ${int} not null,
      ${dates},
      unique (environment_id, name)
    )`,
  ].map((table) => `${table}${end}`);
  return [...tables, ...INDEXES];
}

const INDEXES = [
  'create index organizations_by_age on organizations (environment_id, created_at, id)',
  'create index users_by_age on users (environment_id, created_at, id)',
  'create index memberships_of_user on memberships (environment_id, user_id)',
  'create index invitations_of_organization on invitations (environment_id, organization_id, created_at, id)',
  'create index sessions_by_age on sessions (environment_id, created_at, id)',
  'create index sessions_of_user on sessions (environment_id, user_id)',
  'create index sessions_by_end on sessions (environment_id, expires_at)',
  'create index email_codes_of_email on email_codes (environment_id, email, created_at)',
  'create index email_codes_of_ip on email_codes (environment_id, ip, created_at)',
  'create index sign_in_flows_by_end on sign_in_flows (environment_id, expires_at)',
  'create index authorization_artifacts_of_grant on authorization_artifacts (environment_id, grant_hash)',
  'create index authorization_artifacts_of_uid on authorization_artifacts (environment_id, uid_hash)',
  'create index authorization_artifacts_of_session on authorization_artifacts (environment_id, session_id)',
  'create index authorization_artifacts_by_end on authorization_artifacts (environment_id, expires_at)',
  'create index authorization_artifacts_by_use on authorization_artifacts (environment_id, consumed_at)',
  'create index interceptors_of_trigger on interceptors (environment_id, trigger_point, created_at)',
  'create index interceptor_logs_by_age on interceptor_logs (environment_id, interceptor_id, at, id)',
  'create index interceptor_logs_by_end on interceptor_logs (environment_id, at)',
  'create index audit_by_action on audit (environment_id, action, at, id)',
  'create index audit_by_actor on audit (environment_id, actor, at, id)',
  'create index audit_by_target on audit (environment_id, target, at, id)',
];
