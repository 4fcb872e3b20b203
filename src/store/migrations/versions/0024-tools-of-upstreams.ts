/** Migration 24: connectors added at run time, and the tools of remote MCP servers. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. */
export function toolsOfUpstreams(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const text = postgres ? 'text collate "C"' : 'text';
  const int = postgres ? 'bigint' : 'integer';
  const end = postgres ? ')' : ') strict';
  const environment = `environment_id ${text} not null references environments (id)`;
  const connection = `connection_id ${text} not null references connections (id) on delete cascade`;
  return [
    `create table upstreams (
      id ${text} primary key,
      ${environment},
      name ${text} not null,
      definition ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (environment_id, name)
    ${end}`,
    `create table upstream_versions (
      environment_id ${text} primary key references environments (id),
      version ${int} not null
    ${end}`,
    `create table upstream_connections (
      id ${text} primary key references connections (id) on delete cascade,
      ${environment},
      era ${text},
      discover ${text} not null,
      era_at ${int},
      server ${text} not null,
      listed_at ${int}
    ${end}`,
    `create table upstream_tools (
      id ${text} primary key,
      ${environment},
      ${connection},
      tool ${text} not null,
      hash ${text} not null,
      state ${text} not null,
      obstacle ${text},
      definition ${text} not null,
      findings ${text} not null,
      name ${text},
      effect ${text},
      decided_by ${text},
      decided_at ${int},
      created_at ${int} not null,
      unique (connection_id, tool, hash)
    ${end}`,
    'create index upstream_tools_of_environment on upstream_tools (environment_id, connection_id, tool, hash)',
    `create table upstream_lists (
      id ${text} primary key references accounts (id) on delete cascade,
      ${environment},
      ${connection},
      hash ${text} not null,
      tools ${text} not null,
      listed_at ${int} not null
    ${end}`,
    'create index upstream_lists_of_connection on upstream_lists (connection_id, id)',
  ];
}
