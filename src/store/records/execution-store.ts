/** Executions, beyond what engine/rows.ts does: which tool ran, for which account, how it ended. Never its input or output. */
import { sql, type ExpressionBuilder } from 'kysely';
import type { Owner } from '../../core/caller.ts';
import type { PagePosition } from '../../core/page-token.ts';
import { CALL_SOURCES, EXECUTION_STATUSES } from '../../core/stored-words.ts';
import type { Readable } from '../engine/database.ts';
import { preparedForRows } from '../engine/prepared-query.ts';
import { MAX_MERGED, type Among } from '../engine/keyset.ts';
import { rows, type Where } from '../engine/rows.ts';
import { readSums, type ExecutionSum, type SumQuery } from './execution-sum-store.ts';
import type { Execution, Tables } from '../tables/tables.ts';

/** Exact filters of a list; absent members do not filter. */
export interface ExecutionFilter {
  toolName?: string | undefined;
  connectedAccountId?: string | undefined;
  source?: Execution['source'] | undefined;
  status?: Execution['status'] | undefined;
  /** Of failures. */
  errorCode?: string | undefined;
  /** Owner of the account at the time of the call. */
  userId?: string | undefined;
  organizationId?: string | undefined;
  /** Name of the connection. */
  connection?: string | undefined;
  /** The virtual MCP server at whose address it was called. */
  virtualServerId?: string | undefined;
  /** Unix milliseconds, inclusive. */
  from?: number | undefined;
  /** Unix milliseconds, exclusive. */
  to?: number | undefined;
  /** Owner of the account it ran on, as long as the account exists. */
  owner?: Owner | undefined;
}

type ExecutionsAmong = Among & { readonly column: 'connected_account_id' | 'source' | 'status' };

/** Written as a literal, so that both databases recognize that the partial indexes fit. */
const FAILED = sql<boolean>`executions.status = 'error'`;
const OF_SERVER = sql<boolean>`executions.virtual_server_id is not null`;

/** Insert statements by the number of their rows: a few sizes, so that each is built and compiled once. */
const INSERTS = [50, 25, 1].map((size) => ({
  size,
  insert: preparedForRows(size, (db, executions: readonly Execution[]) =>
    db.insertInto('executions').values(executions.map(columnsOf)),
  ),
}));

export class ExecutionStore {
  readonly #db: Readable;

  constructor(db: Readable) {
    this.#db = db;
  }

  /** Stores any number of executions; inside a transaction either all or none. */
  async insertMany(executions: readonly Execution[]): Promise<void> {
    let done = 0;
    for (const { size, insert } of INSERTS)
      for (; executions.length - done >= size; done += size)
        await insert(this.#db, executions.slice(done, done + size));
  }

  async find(environmentId: string, id: string): Promise<Execution | undefined> {
    return rows(this.#db, 'executions').find(environmentId, id);
  }

  /** The sums of the executions that ended within a range, in order of time. */
  async sums(environmentId: string, query: SumQuery): Promise<ExecutionSum[]> {
    return readSums(this.#db, environmentId, query);
  }

  /** Removes executions that were stored before they ended. */
  async removeBegun(executions: readonly Execution[]): Promise<void> {
    for (const [environmentId, begun] of Map.groupBy(executions, (row) => row.environment_id))
      await this.#db
        .deleteFrom('executions')
        .where('environment_id', '=', environmentId)
        .where(
          'id',
          'in',
          begun.map(({ id }) => id),
        )
        .execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    filter: ExecutionFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<Execution[]> {
    const list = await this.#list(environmentId, filter);
    return rows(this.#db, 'executions').page(environmentId, { ...list, position, limit });
  }

  /** Counts executions, but no more than `atMost` of them. */
  async count(environmentId: string, filter: ExecutionFilter, atMost: number): Promise<number> {
    const list = await this.#list(environmentId, filter);
    return rows(this.#db, 'executions').countUpTo(environmentId, list, atMost);
  }

  async #list(environmentId: string, filter: ExecutionFilter) {
    const among = await this.#among(environmentId, filter);
    const where = matching(environmentId, filter, among);
    return { where, among, range: { from: filter.from, until: filter.to } };
  }

  /**
   * Values for each of which an index has the executions in their order: the accounts of an owner, unless they are many;
   * the sources, where an index has them between a filter and the time; the states of a source or a virtual server.
   */
  async #among(environmentId: string, filter: ExecutionFilter): Promise<ExecutionsAmong | undefined> {
    const { owner, status, errorCode } = filter;
    // A success has no error code.
    if (status === 'ok' && errorCode !== undefined) return { column: 'status', values: [] };
    if (owner === undefined) return amongSourcesOrStates(filter);
    const accounts = await this.#db
      .selectFrom('accounts')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('user_id', '=', owner.userId)
      .where('organization_id', '=', owner.organizationId)
      .limit(MAX_MERGED + 1)
      .execute();
    if (accounts.length > MAX_MERGED) return undefined;
    return { column: 'connected_account_id', values: accounts.map(({ id }) => id) };
  }
}

/** Indexes have the source before the time, and those of all tools and of virtual servers the status. */
function amongSourcesOrStates({
  toolName,
  connectedAccountId,
  userId,
  organizationId,
  connection,
  virtualServerId,
  errorCode,
  source,
  status,
}: ExecutionFilter): ExecutionsAmong | undefined {
  // Their executions are few, or in order without the source.
  if ([connectedAccountId, userId, organizationId].some((value) => value !== undefined)) return undefined;
  const isOfTool = toolName !== undefined || connection !== undefined;
  if (virtualServerId !== undefined && !isOfTool)
    return status === undefined && errorCode === undefined
      ? { column: 'status', values: EXECUTION_STATUSES }
      : undefined;
  if (isOfTool && errorCode !== undefined) return undefined;
  const isFoundByIt = isOfTool || errorCode !== undefined;
  if (source === undefined)
    return isFoundByIt || status !== undefined ? { column: 'source', values: CALL_SOURCES } : undefined;
  return isFoundByIt || status !== undefined ? undefined : { column: 'status', values: EXECUTION_STATUSES };
}

/** The condition of a list, without its range of time and the values among which it is. */
function matching(
  environmentId: string,
  filter: ExecutionFilter,
  among: ExecutionsAmong | undefined,
): Where<'executions'> {
  const { owner } = filter;
  const isOfFailures = filter.status === 'error' || filter.errorCode !== undefined;
  const exact = {
    tool_name: filter.toolName,
    connected_account_id: filter.connectedAccountId,
    source: filter.source,
    status: isOfFailures ? undefined : filter.status,
    error_code: filter.errorCode,
    ...ownerAtTheTime(filter),
    connector: filter.connection,
  };
  const server = filter.virtualServerId;
  const given = Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== undefined));
  return (e) =>
    e.and([
      e.and(given),
      ...(isOfFailures ? [FAILED] : []),
      ...(server === undefined ? [] : [e('virtual_server_id', '=', server), OF_SERVER]),
      ...(owner === undefined || among !== undefined
        ? []
        : [e('connected_account_id', 'in', accountsOf(e, environmentId, owner))]),
    ]);
}

/**
 * The columns of an owner. If only a user or an organization is named, the other one is given as absent, because
 * the index has both.
 */
function ownerAtTheTime({ userId, organizationId }: ExecutionFilter) {
  return {
    user_id: userId ?? (organizationId ? '' : undefined),
    organization_id: organizationId ?? (userId ? '' : undefined),
  };
}

function accountsOf(e: ExpressionBuilder<Tables, 'executions'>, environmentId: string, owner: Owner) {
  return e
    .selectFrom('accounts')
    .select('accounts.id')
    .where('accounts.environment_id', '=', environmentId)
    .where('accounts.user_id', '=', owner.userId)
    .where('accounts.organization_id', '=', owner.organizationId);
}

function columnsOf(row: Execution): Execution {
  return {
    id: row.id,
    environment_id: row.environment_id,
    tool_name: row.tool_name,
    connected_account_id: row.connected_account_id,
    source: row.source,
    status: row.status,
    error_code: row.error_code,
    duration_ms: row.duration_ms,
    at: row.at,
    user_id: row.user_id,
    organization_id: row.organization_id,
    connector: row.connector,
    error_message: row.error_message,
    provider_status: row.provider_status,
    queue_ms: row.queue_ms,
    provider_ms: row.provider_ms,
    attempts: row.attempts,
    renewals: row.renewals,
    client_id: row.client_id,
    virtual_server_id: row.virtual_server_id,
  };
}
