/**
 * Rows of the tables that grow with use, as many as wanted, and statistics as if there were a million of each.
 *
 * What belongs to one account, person or organization stays as large as it is while the tables grow. What belongs to a
 * tool, status, source or connection grows with them.
 */
import { sql, type Kysely } from 'kysely';
import { MAX_TOTAL } from '../../src/core/newest-first.ts';
import type { Dialect } from '../../src/store/engine/database.ts';
import { DURATION_COLUMNS } from '../../src/store/tables/execution-sum-table.ts';
import type { Tables } from '../../src/store/tables/tables.ts';

/** Tables that grow with use. */
export const GROWING = [
  'accounts',
  'account_events',
  'executions',
  'execution_sums',
  'audit',
  'webhook_deliveries',
  'users',
  'organizations',
  'memberships',
  'invitations',
  'sessions',
  'interceptor_logs',
  'links',
  'oauth_flows',
  'auth_requests',
  'idempotency_keys',
  'revoked_tokens',
  'rate_windows',
  'user_identities',
  'organization_providers',
  'email_codes',
  'sign_in_flows',
  'authorization_artifacts',
] as const satisfies readonly (keyof Tables)[];

/** A table that grows with use. */
export type GrowingTable = (typeof GROWING)[number];

/** More accounts with one prefix than are sorted, so that both ways to read them are taken. */
const ACCOUNTS = MAX_TOTAL + 100;

/** The environment of the rows. */
export const ENV = 'env_1';
/** Columns whose values say nothing. */
const texts = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `'${name}_' || i`]));

/** Number of rows of each growing table. */
export type RowCounts = Readonly<Record<GrowingTable, number>>;

/** Rows of an installation with this many accounts. */
export function rowsFor(accounts: number): RowCounts {
  const part = (share: number): number => Math.max(1, Math.floor(accounts * share));
  return {
    accounts,
    account_events: accounts,
    executions: 5 * accounts,
    audit: accounts,
    webhook_deliveries: accounts,
    users: part(0.5),
    organizations: part(0.2),
    memberships: part(0.5),
    invitations: part(0.1),
    sessions: part(0.5),
    interceptor_logs: part(0.5),
    execution_sums: part(0.01),
    links: part(0.2),
    oauth_flows: part(0.2),
    auth_requests: part(0.2),
    idempotency_keys: part(0.1),
    revoked_tokens: part(0.1),
    rate_windows: part(0.1),
    user_identities: part(0.5),
    organization_providers: part(0.01),
    email_codes: part(0.1),
    sign_in_flows: part(0.1),
    authorization_artifacts: part(0.5),
  };
}

/** Rows of the tests: few, because planners take an empty table for what it is. */
const FEW: RowCounts = {
  accounts: ACCOUNTS,
  account_events: 900,
  executions: 3_000,
  audit: 2_000,
  webhook_deliveries: 900,
  users: 900,
  organizations: 300,
  memberships: 900,
  invitations: 900,
  sessions: 900,
  interceptor_logs: 900,
  execution_sums: 3000,
  links: 900,
  oauth_flows: 900,
  auth_requests: 900,
  idempotency_keys: 900,
  revoked_tokens: 900,
  rate_windows: 900,
  user_identities: 900,
  organization_providers: 300,
  email_codes: 900,
  sign_in_flows: 900,
  authorization_artifacts: 900,
};

/** The values of a row as expressions of its number `i`. */
function columnsOf(
  table: GrowingTable,
  { accounts }: RowCounts,
  since: number,
): Readonly<Record<string, string>> {
  const time = `${since} + i`;
  const numbers = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, time]));
  const ownerOf = (account: string) => ({
    organization_id: `case when ${account} % 7 = 0 then 'acme' || (${account} / 700) else '' end`,
    user_id: `case when ${account} % 7 = 0 then '' else 'u' || (${account} / 4) end`,
  });
  const of: Record<GrowingTable, Readonly<Record<string, string>>> = {
    accounts: {
      id: `'ca_' || i`,
      connection_id: `case when i % 3 = 0 then 'con_mail' else 'con_notes' end`,
      ...ownerOf('i'),
      identifier: `'user-' || i`,
      status: `case i % 5 when 0 then 'EXPIRED' when 1 then 'PENDING_AUTH' else 'ACTIVE' end`,
      api_config: `'{}'`,
      generation: '1',
      refresh_state: `'idle'`,
      failed_attempts: '0',
      refusals: '0',
      created_at: time,
      updated_at: time,
    },
    account_events: {
      id: `'evt_' || i`,
      account_id: `'ca_' || (i / 10 + 1)`,
      at: time,
      to_status: `'ACTIVE'`,
      cause: `'created'`,
      actor: `'local'`,
    },
    executions: {
      id: `'exe_' || i`,
      tool_name: `'tool_' || (i / 3 % 10)`,
      connected_account_id: `'ca_' || (i % ${accounts} + 1)`,
      source: `case i / 30 % 3 when 0 then 'mcp' when 1 then 'api' else 'cli' end`,
      status: `case when i / 90 % 4 = 0 then 'error' else 'ok' end`,
      error_code: `case when i / 90 % 4 = 0 then case i % 9 when 0 then 'RATE_LIMITED' else 'TOOL_ERROR' end end`,
      duration_ms: '5',
      at: time,
      ...ownerOf(`(i % ${accounts} + 1)`),
      connector: `case when i % 3 = 0 then 'mail' else 'notes' end`,
      virtual_server_id: `case when i / 30 % 3 = 0 then 'mcp_' || (i / 3 % 2) end`,
    },
    audit: {
      id: `'aud_' || i`,
      at: time,
      actor: `'cred_' || (i % 3)`,
      action: `case i / 3 % 3 when 0 then 'user.create' when 1 then 'user.delete' else 'connection.update' end`,
      target: `'usr_' || (i / 4)`,
      ip: `''`,
    },
    webhook_deliveries: {
      id: `'whd_' || i`,
      webhook_id: `'whk_' || (i % 3)`,
      event_id: `'evt_' || i`,
      event_type: `'connected_account.created'`,
      body: `'{}'`,
      status: `case i / 3 % 3 when 0 then 'failed' when 1 then 'pending' else 'delivered' end`,
      attempts: '1',
      created_at: time,
    },
    users: {
      id: `'usr_' || i`,
      email: `'u' || i || '@example.test'`,
      email_verified: '1',
      given_name: `''`,
      family_name: `''`,
      is_operator: '0',
      created_at: time,
      updated_at: time,
    },
    organizations: { id: `'org_' || i`, name: `'Acme ' || i`, created_at: time, updated_at: time },
    memberships: {
      id: `'mem_' || i`,
      organization_id: `'org_' || (i / 100 + 1)`,
      user_id: `'usr_' || i`,
      role: `'member'`,
      created_at: time,
      updated_at: time,
    },
    invitations: {
      id: `'inv_' || i`,
      organization_id: `'org_' || (i / 100 + 1)`,
      email: `'i' || i || '@example.test'`,
      role: `'member'`,
      token_hash: `'hash_' || i`,
      invited_by: `'usr_' || (i / 10)`,
      created_at: time,
      expires_at: `${time} + 604800000`,
    },
    sessions: {
      id: `'ses_' || i`,
      kind: `'client'`,
      user_id: `'usr_' || (i / 4 + 1)`,
      organization_id: `'org_' || (i / 40 + 1)`,
      client_id: `'client'`,
      resource: `''`,
      connection_details: `'[]'`,
      custom_claims: `'{}'`,
      created_at: time,
      expires_at: `${time} + 604800000`,
    },
    interceptor_logs: {
      id: `'log_' || i`,
      interceptor_id: `'int_' || (i % 3)`,
      at: time,
      trigger_point: `'tool_call'`,
      request: `'{}'`,
      decision: `'ALLOW'`,
      duration_ms: '1',
    },
    execution_sums: {
      hour: time,
      connector: `case when i % 3 = 0 then 'mail' else 'notes' end`,
      source: `'api'`,
      status: `'ok'`,
      error_code: `''`,
      part: '0',
      ...Object.fromEntries(DURATION_COLUMNS.map((name) => [name, '1'])),
    },
    links: {
      ...texts('id', 'token_hash', 'created_by'),
      verification: `'app'`,
      scopes: `'[]'`,
      account_id: `'ca_' || i`,
      ...numbers('created_at', 'expires_at'),
      trials: '0',
    },
    oauth_flows: {
      ...texts('id', 'connection_id', 'state_hash', 'browser_hash', 'token_url', 'issuer', 'redirect_uri'),
      scopes: `'[]'`,
      api_config: `'{}'`,
      account_id: `'ca_' || i`,
      link_id: `'id_' || i`,
      ...numbers('created_at', 'expires_at', 'consumed_at'),
    },
    auth_requests: {
      ...texts('id', 'link_id', 'token_hash', 'identifier'),
      waiting_api_config: `'{}'`,
      status_before: `'ACTIVE'`,
      account_id: `'ca_' || i`,
      created_at: time,
      // Those that wait still do after a day of measuring.
      expires_at: `${time} + 86400000`,
      wrong_identifiers: '0',
      // Only an ACTIVE account has one that waits beside its status.
      ended_at: `case when i % 9 > 0 or i % 5 < 2 then ${time} end`,
    },
    idempotency_keys: {
      ...texts('id', 'key_hash', 'input_hash'),
      actor: `'cred_' || (i % 9)`,
      account_id: `'ca_' || i`,
      state: `'done'`,
      created_at: time,
    },
    revoked_tokens: { ...texts('token_id'), expires_at: `${time} + 604800000` },
    rate_windows: { ...texts('key'), points: '1', expire: time },
    user_identities: {
      ...texts('id', 'subject'),
      user_id: `'usr_' || i`,
      issuer: `'issuer'`,
      created_at: time,
    },
    organization_providers: {
      ...texts('id', 'issuer', 'client_id'),
      domains: `'[]'`,
      organization_id: `'org_' || i`,
      ...numbers('created_at', 'updated_at'),
    },
    email_codes: {
      ...texts('id', 'email', 'code_hash', 'browser_hash', 'ip'),
      ...numbers('created_at', 'expires_at'),
      wrong_codes: '0',
    },
    sign_in_flows: {
      ...texts('id', 'state_hash', 'browser_hash', 'secrets_sealed', 'next'),
      organization_id: `'org_' || (i % 300 + 1)`,
      ...numbers('created_at', 'expires_at'),
    },
    authorization_artifacts: {
      ...texts('id', 'id_hash', 'grant_hash', 'uid_hash', 'session_id', 'payload_sealed'),
      model: `case when i % 2 = 0 then 'RefreshToken' else 'AuthorizationCode' end`,
      network: `case when i % 9 = 0 then 'network_' || i end`,
      ...numbers('created_at', 'expires_at'),
      consumed_at: 'case when i % 2 = 0 then ' + time + ' end',
    },
  };
  return of[table];
}

/** Order in which rows can be inserted that refer to others. */
const FILLED = ['accounts', 'organizations', 'users', ...GROWING] as const;

/** Fills an empty database. */
export async function fill(db: Kysely<Tables>): Promise<void> {
  const run = async (text: string): Promise<void> => {
    await sql.raw(text).execute(db);
  };
  await run(
    `insert into environments (id, name, created_at) values ('${ENV}', '${ENV}', 1), ('env_2', 'env_2', 1)`,
  );
  await fillEnvironment(run, ENV, FEW);
}

/**
 * Fills the tables of one environment. Row `i` was written `i` milliseconds after `since`.
 *
 * @param run executes a statement
 */
export async function fillEnvironment(
  run: (text: string) => Promise<void>,
  environmentId: string,
  counts: RowCounts,
  since = 0,
): Promise<void> {
  for (const name of ['notes', 'notes-2', 'mail'])
    await run(`insert into connections (id, environment_id, name, connector, authorization_type, scopes, params, overrides,
      managed_by, created_at, updated_at)
      values ('con_${name}', '${environmentId}', '${name}', '${name.replace('-2', '')}', 'OAUTH', '[]', '{}', '{}', 'operator', 1, 1)`);
  for (const id of ['whk_0', 'whk_1', 'whk_2'])
    await run(`insert into webhooks (id, environment_id, name, url, events, enabled, managed_by, created_at, updated_at)
      values ('${id}', '${environmentId}', '${id}', 'https://hooks.example.test', '[]', 0, 'operator', 1, 1)`);
  for (const table of new Set(FILLED)) {
    const columns = columnsOf(table, counts, since);
    const stored = table === 'rate_windows' ? columns : { environment_id: `'${environmentId}'`, ...columns };
    await run(`insert into ${table} (${Object.keys(stored).join(', ')})
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${counts[table]})
      select ${Object.values(stored).join(', ')} from n`);
  }
}

/** Makes the statistics say that every growing table has a million rows. */
export async function pretend(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') {
    // Postgres would count the rows again after a minute.
    for (const table of GROWING)
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db);
    await sql`analyze`.execute(db);
    await sql`update pg_class set reltuples = 1000000, relpages = greatest(1, pg_relation_size(oid) / 8192)
      where relname in (${sql.join([...GROWING])})`.execute(db);
    // Those of whole tables count as many rows as the table.
    await sql`update pg_class set reltuples = 300000, relpages = greatest(1, pg_relation_size(oid) / 8192)
      where oid in (select i.indexrelid from pg_index i join pg_class t on t.oid = i.indrelid
        where i.indpred is not null and t.relname in (${sql.join([...GROWING])}))`.execute(db);
    return;
  }
  await sql`analyze`.execute(db);
  const { rows: indexes } = await sql<{ name: string; tbl: string; isPartial: 0 | 1; columns: string }>`
    select m.name, m.tbl_name as tbl, coalesce(m.sql, '') like '% where %' as isPartial, group_concat(i.name, ' ' order by i.seqno) as columns
    from sqlite_master m, pragma_index_info(m.name) i
    where m.type = 'index' and m.tbl_name in (${sql.join([...GROWING])}) group by m.name`.execute(db);
  await sql`delete from sqlite_stat1 where tbl in (${sql.join([...GROWING])})`.execute(db);
  for (const { name, tbl, isPartial, columns } of indexes) {
    // The rows of one status.
    const all = isPartial === 1 ? 300_000 : 1_000_000;
    let left = all;
    const rest = columns.split(' ').map((column) => {
      left = column === 'id' ? 1 : Math.max(1, Math.floor(left / (FEW_VALUES[column] ?? 200)));
      return left;
    });
    // Those of constraints are unique.
    if (name.startsWith('sqlite_autoindex')) rest[rest.length - 1] = 1;
    await sql`insert into sqlite_stat1 values (${tbl}, ${name}, ${[all, ...rest].join(' ')})`.execute(db);
  }
}

/** Columns with few different values. Another one divides the rows by 200, which is what Postgres assumes too. */
const FEW_VALUES: Readonly<Record<string, number>> = { environment_id: 2, status: 3, source: 3 };
