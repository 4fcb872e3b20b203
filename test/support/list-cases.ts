/**
 * Every list of a table that grows, with its filters, as the store reads it: for the test of their plans
 * (test/store/list-plans.test.ts) and for their times (bench/scale.ts). The rows are those of growing-rows.ts.
 */
import type { Kysely } from 'kysely';
import { MAX_TOTAL } from '../../src/core/newest-first.ts';
import type { PagePosition } from '../../src/core/page-token.ts';
import type { AccountFilter } from '../../src/store/accounts/account-list-query.ts';
import { candidateAccounts } from '../../src/store/accounts/candidate-accounts.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { rows, type RowTable } from '../../src/store/engine/rows.ts';
import { membershipsOf } from '../../src/store/people/membership-store.ts';
import { SessionStore } from '../../src/store/people/session-store.ts';
import { deliveriesOf } from '../../src/store/policy/webhook-delivery-store.ts';
import { auditPages, type AuditFilter } from '../../src/store/records/audit-store.ts';
import { ExecutionStore, type ExecutionFilter } from '../../src/store/records/execution-store.ts';
import { TokenHolderStore } from '../../src/store/tokens/token-holder-store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import type { GrowingTable } from './growing-rows.ts';

/** The environment whose rows are read. */
export interface ListSource {
  db: Kysely<Tables>;
  environmentId: string;
}

/** A list, or a look-up. */
export interface ListCase {
  name: string;
  /** The table that is listed. */
  table: GrowingTable;
  /** Columns that an index has to find by; the rest is looked at row by row. */
  by: readonly string[];
  /** An identifier in the middle of a list in order of identifiers. */
  middle?: string;
  /** Reads a page. Look-ups have none. */
  page?: (source: ListSource, position: PagePosition | undefined, limit: number) => Promise<unknown>;
  /** Counts the list as far as lists are counted, or looks up. */
  read?: (source: ListSource) => Promise<unknown>;
}

function accounts(filter: AccountFilter, ...by: string[]): ListCase {
  return {
    table: 'accounts',
    name: `accounts ${JSON.stringify(filter)}`,
    by,
    ...(filter.identifierPrefix !== undefined && { middle: `${filter.identifierPrefix}5` }),
    page: async ({ db, environmentId }, position, limit) =>
      new AccountStore(db).page({ environmentId }, filter, position, limit),
    read: async ({ db, environmentId }) =>
      new AccountStore(db).count({ environmentId }, filter, MAX_TOTAL + 1),
  };
}

function executions(filter: ExecutionFilter, ...by: string[]): ListCase {
  return {
    table: 'executions',
    name: `executions ${JSON.stringify(filter)}`,
    by,
    page: async ({ db, environmentId }, position, limit) =>
      new ExecutionStore(db).page(environmentId, filter, position, limit),
    read: async ({ db, environmentId }) => new ExecutionStore(db).count(environmentId, filter, MAX_TOTAL + 1),
  };
}

function audit(filter: AuditFilter, ...by: string[]): ListCase {
  const pagesOf = async ({ db, environmentId }: ListSource) => auditPages(db, environmentId, filter);
  return {
    table: 'audit',
    name: `audit ${JSON.stringify(filter)}`,
    by,
    page: async (source, position, limit) => (await pagesOf(source)).read(position, limit),
    read: async (source) => (await pagesOf(source)).count(MAX_TOTAL + 1),
  };
}

function others<T extends RowTable & GrowingTable>(
  table: T,
  where: Parameters<ReturnType<typeof rows<T>>['pages']>[1],
  ...by: string[]
): ListCase {
  const pagesOf = ({ db, environmentId }: ListSource) => rows(db, table).pages(environmentId, where);
  return {
    table,
    name: `${table} ${JSON.stringify(where)}`,
    by,
    page: async (source, position, limit) => pagesOf(source).read(position, limit),
    read: async (source) => pagesOf(source).count(MAX_TOTAL + 1),
  };
}

/** What one row is, and what the rows beside it share with it. */
function valuesOf(n: number) {
  const digits = String(n);
  return {
    account: `ca_${n}`,
    identifier: `user-${n}`,
    // Accounts whose numbers begin with the same digits: 111 of all.
    rare: `user-${digits.slice(0, -2)}`,
    user: `u${Math.floor(n / 4)}`,
    organization: `acme${Math.floor(n / 700)}`,
    person: `usr_${Math.floor(n / 10) + 1}`,
    company: `org_${Math.floor(n / 400) + 1}`,
  };
}

/** Lists with the values of the row with number `n`. Their order does not depend on it. */
export function listCases(n: number): readonly ListCase[] {
  const { account, identifier, rare, user, organization, person, company } = valuesOf(n);
  const owner = { userId: user, organizationId: '' };
  return [
    accounts({}),
    accounts({ userId: user }, 'user_id', 'organization_id'),
    accounts({ organizationId: organization }, 'user_id', 'organization_id'),
    accounts({ status: 'ACTIVE' }, 'status'),
    accounts({ identifier }, 'identifier'),
    accounts({ connection: 'notes' }, 'connection_id'),
    accounts({ connections: ['notes', 'mail'] }, 'connection_id'),
    accounts({ connector: 'notes' }, 'connection_id'),
    accounts({ connection: 'notes', status: 'EXPIRED' }, 'connection_id', 'status'),
    accounts({ connector: 'notes', status: 'EXPIRED' }, 'connection_id', 'status'),
    accounts({ connection: 'notes', identifier }, 'connection_id', 'identifier'),
    accounts({ userId: user, status: 'ACTIVE' }, 'user_id', 'organization_id', 'status'),
    accounts({ userId: user, connection: 'notes' }, 'user_id', 'organization_id', 'connection_id'),
    accounts({ userId: user, identifier }),
    accounts({ identifier, status: 'ACTIVE' }),
    accounts({ userId: user, connection: 'notes', status: 'ACTIVE' }),
    accounts({ identifierPrefix: rare }, 'identifier'),
    accounts({ identifierPrefix: rare, status: 'ACTIVE' }, 'identifier', 'status'),
    accounts({ identifierPrefix: 'user-', status: 'EXPIRED' }, 'identifier', 'status'),
    accounts({ identifierPrefix: 'user-' }),
    accounts({ identifierPrefix: 'user-1' }),
    accounts({ identifierPrefix: 'user-', connection: 'notes' }),
    executions({}),
    executions({ from: 1, to: Number.MAX_SAFE_INTEGER }, 'at'),
    executions({ connectedAccountId: account }, 'connected_account_id'),
    executions({ userId: user }, 'user_id', 'organization_id'),
    executions({ organizationId: organization }, 'user_id', 'organization_id'),
    executions({ owner }, 'connected_account_id'),
    executions({ toolName: 'tool_7' }, 'tool_name'),
    executions({ connection: 'notes' }, 'connector'),
    executions({ virtualServerId: 'mcp_1' }, 'virtual_server_id'),
    executions({ virtualServerId: 'mcp_1', status: 'error' }, 'virtual_server_id', 'status'),
    executions({ virtualServerId: 'mcp_1', toolName: 'tool_7' }),
    executions({ virtualServerId: 'mcp_1', connection: 'notes', status: 'ok' }),
    executions({ virtualServerId: 'mcp_1', from: 1, to: Number.MAX_SAFE_INTEGER }, 'virtual_server_id', 'at'),
    executions({ source: 'mcp' }, 'source'),
    executions({ status: 'ok' }, 'status'),
    executions({ status: 'error' }, 'status'),
    executions({ errorCode: 'TOOL_ERROR' }, 'error_code'),
    executions({ errorCode: 'TOOL_ERROR', from: 1, to: Number.MAX_SAFE_INTEGER }, 'error_code', 'at'),
    executions({ errorCode: 'TOOL_ERROR', toolName: 'tool_7' }),
    executions({ errorCode: 'TOOL_ERROR', connection: 'notes' }),
    executions({ toolName: 'tool_7', status: 'error' }, 'tool_name', 'status'),
    executions({ connection: 'notes', status: 'error' }, 'connector', 'status'),
    executions({ source: 'mcp', status: 'error' }, 'source', 'status'),
    executions({ connectedAccountId: account, status: 'error' }, 'connected_account_id', 'status'),
    executions({ userId: user, status: 'error' }, 'user_id', 'organization_id', 'status'),
    executions({ owner, status: 'error' }, 'connected_account_id', 'status'),
    executions({ toolName: 'tool_7', from: 1, to: Number.MAX_SAFE_INTEGER }, 'tool_name', 'at'),
    executions({ toolName: 'tool_7', status: 'ok' }, 'tool_name'),
    executions({ toolName: 'tool_7', source: 'mcp' }, 'tool_name'),
    executions({ toolName: 'tool_7', connection: 'notes' }),
    executions({ connection: 'notes', source: 'mcp' }),
    executions({ connection: 'notes', status: 'ok' }),
    executions({ source: 'mcp', status: 'ok' }),
    executions({ status: 'error', from: 1, to: Number.MAX_SAFE_INTEGER }, 'status', 'at'),
    executions({ userId: user, connection: 'notes', status: 'ok' }),
    audit({}),
    audit({ from: 1, until: Number.MAX_SAFE_INTEGER }, 'at'),
    audit({ actor: 'cred_1' }, 'actor'),
    audit({ target: person }, 'target'),
    audit({ action: 'user.create' }, 'action'),
    audit({ action: 'user.' }, 'action'),
    audit({ action: 'user.', actor: 'cred_1' }),
    audit({ action: 'user.create', actor: 'cred_1' }),
    audit({ action: 'user.create', from: 1, until: Number.MAX_SAFE_INTEGER }, 'action', 'at'),
    audit({ actor: 'cred_1', from: 1, until: Number.MAX_SAFE_INTEGER }, 'actor', 'at'),
    audit({ actor: 'cred_1', target: person }),
    others('users', {}),
    others('users', { email: `u${Math.ceil(n / 2)}@example.test` }, 'email'),
    others('organizations', {}),
    others('organizations', { name: `Acme ${Math.ceil(n / 5)}` }, 'name'),
    others('memberships', { organization_id: company }, 'organization_id'),
    others('invitations', { organization_id: `org_${Math.floor(n / 1_000) + 1}` }, 'organization_id'),
    others('sessions', {}),
    others('sessions', { user_id: person }, 'user_id'),
    others('sessions', { organization_id: company }, 'organization_id'),
    others('sessions', { user_id: person, organization_id: `org_${Math.floor(n / 100) + 1}` }),
    others('webhook_deliveries', { webhook_id: 'whk_1' }, 'webhook_id'),
    ...(['pending', 'delivered', 'failed'] as const).map((status) => ({
      ...others('webhook_deliveries', deliveriesOf('whk_1', status), 'webhook_id', 'status'),
      name: `webhook_deliveries ${status}`,
    })),
    others('interceptor_logs', {}),
    others('interceptor_logs', { interceptor_id: 'int_1' }, 'interceptor_id'),
    ...lookUps(n),
  ];
}

/** What a call reads of growing tables, and what it chooses an account by. */
export async function readForACall({ db, environmentId }: ListSource, n: number): Promise<void> {
  const { account, identifier, user } = valuesOf(n);
  const owner = { userId: user, organizationId: '' };
  const store = new AccountStore(db);
  await new TokenHolderStore(db).find(environmentId, `ses_${Math.ceil(n / 2)}`, 'tok_1');
  await store.find({ environmentId }, account);
  await store.findByKey({ environmentId }, { connectionId: 'con_notes', ...owner, identifier });
  await store.findByOwner({ environmentId }, 'con_notes', owner);
  await store.listNamed({ environmentId }, 'con_notes', identifier, 2);
  await store.listOfOwner(environmentId, owner);
  for (const by of ['name', 'connector'] as const)
    for (const among of [{ owner }, { identifier }, { owner, identifier }])
      await candidateAccounts(db, { environmentId, by, value: 'notes', ...among });
}

function lookUps(n: number): ListCase[] {
  const { account, person } = valuesOf(n);
  return [
    {
      table: 'account_events',
      name: 'events of an account',
      by: ['account_id'],
      page: async ({ db, environmentId }, _position, limit) =>
        rows(db, 'account_events').list(environmentId, {
          where: { account_id: account },
          orderBy: ['at', 'id'],
          direction: 'desc',
          limit,
        }),
    },
    ...([undefined, 'connector', 'error_code'] as const).map((groupBy) => ({
      table: 'execution_sums' as const,
      name: `sums of executions by ${groupBy ?? 'time'}`,
      by: ['hour'],
      read: async ({ db, environmentId }: ListSource) =>
        new ExecutionStore(db).sums(environmentId, { from: 100, to: 200, spanMs: 10, groupBy }),
    })),
    {
      table: 'accounts',
      name: 'accounts that a call chooses among',
      by: [],
      read: async (source) => readForACall(source, n),
    },
    {
      table: 'accounts',
      name: 'connectors of tools/list',
      by: ['connection_id'],
      read: async ({ db, environmentId }) => new AccountStore(db).connectorsInUse(environmentId),
    },
    {
      table: 'sessions',
      name: 'sessions and memberships of a person',
      by: ['user_id'],
      read: async ({ db, environmentId }) => {
        await new SessionStore(db).liveBeside(environmentId, { userId: person, id: 'ses_0' }, 9, 50);
        await membershipsOf(db, environmentId, [person, 'usr_2']);
      },
    },
  ];
}
