/**
 * Migration 23: authorization of remote MCP servers, and our clients there. Never change it after a release; add a
 * migration.
 */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Flows that are running do not require `iss`. */
export function authorizationOfUpstreams(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  const end = postgres ? ')' : ') strict';
  const environment = `environment_id ${text} not null references environments (id)`;
  return [
    `create table upstream_servers (
      id ${text} primary key,
      ${environment},
      connection_id ${text} not null references connections (id) on delete cascade,
      url ${text} not null,
      authorization_found ${text} not null,
      held ${text} not null,
      held_at ${int},
      challenge_scopes ${text} not null,
      checked_at ${int} not null,
      lease_owner ${text},
      lease_until ${int},
      reset_at ${int} not null,
      refused_at ${int},
      created_at ${int} not null,
      unique (connection_id, url)
    ${end}`,
    `create table upstream_clients (
      id ${text} primary key,
      ${environment},
      server_id ${text} not null references upstream_servers (id) on delete cascade,
      issuer ${text} not null,
      client_id ${text} not null,
      client_secret_sealed ${text},
      authentication ${text} not null,
      secret_expires_at ${int},
      redirect_uri ${text} not null,
      gone_at ${int},
      lost_browsers ${int} not null,
      used_at ${int},
      created_at ${int} not null
    ${end}`,
    'create index upstream_clients_of_server on upstream_clients (server_id, created_at, id)',
    `alter table oauth_flows add column issuer_required ${int} not null default 0`,
  ];
}
