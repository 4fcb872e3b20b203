/** Recorded executions: pages of them, newest first, single ones, and their sums (docs/contract.md#executions). */
import type { Accounts } from '../accounts/accounts.ts';
import { boundOrganizationOf, onlyOwnerOf, type Caller } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import { invalidField, notFound, ServiceError } from '../core/errors.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { ExecutionFilter, ExecutionStore } from '../store/records/execution-store.ts';
import { CODE_AND_CONNECTION } from '../store/records/execution-sum-store.ts';
import type { Execution } from '../store/tables/tables.ts';
import { DaySums } from './day-sums.ts';
import {
  overviewOf,
  summaryBuckets,
  sumQuery,
  type ExecutionOverview,
  type SummaryBucket,
  type SummaryQuery,
} from './execution-summary.ts';

export type ExecutionQuery = Omit<ExecutionFilter, 'owner'> & PageQuery;

/** Columns that only the details show. */
type Details = 'queue_ms' | 'provider_ms' | 'attempts' | 'renewals';

/** An execution as the API lists it. */
export interface ExecutionView extends Omit<
  Execution,
  'id' | 'environment_id' | 'at' | 'client_id' | Details
> {
  execution_id: string;
  at: string;
}

/** An execution with where its time went. What was not noted is null. */
export interface ExecutionDetails extends ExecutionView, Pick<Execution, Exclude<Details, 'renewals'>> {
  /** Time that was spent neither in a queue nor by the provider. */
  own_ms: number | null;
  refreshed: boolean | null;
}

export interface ExecutionPage extends PageLinks {
  executions: ExecutionView[];
}

/** The latest successful execution of an account. */
export interface LatestUse {
  /** Unix milliseconds. */
  at: number;
  source: Execution['source'];
  /** OAuth client or API credential that called; '' if unknown. */
  clientId: string;
}

interface ExecutionListDeps {
  executions: Pick<ExecutionStore, 'page' | 'count' | 'find' | 'sums'>;
  recorded: () => Promise<void>;
  accounts: Pick<Accounts, 'describe'>;
  pageTokens: PageTokens;
  clock: Clock;
}

/** Shows executions within a caller's reach. */
export class ExecutionList {
  readonly #deps: ExecutionListDeps;
  readonly #daySums: DaySums;

  /** @param deps.recorded resolves when every call answered so far is in the store */
  constructor(deps: ExecutionListDeps) {
    this.#deps = deps;
    this.#daySums = new DaySums(deps);
  }

  /** @throws ServiceError INVALID_ARGUMENT for a bad page token; RESOURCE_NOT_FOUND for an account out of reach */
  async list(caller: Caller, query: ExecutionQuery): Promise<ExecutionPage> {
    await this.#requireReach(caller, query.connectedAccountId);
    const { pageSize, pageToken, ...asked } = query;
    const { environmentId } = caller;
    const onlyOwner = onlyOwnerOf(caller);
    const filter = { ...asked, ...(onlyOwner !== undefined && { owner: onlyOwner }) };
    await this.#deps.recorded();
    const { rows, links } = await newestFirst(
      this.#deps.pageTokens,
      { pageSize, pageToken },
      {
        bound: ['executions', environmentId, filter],
        read: async (position, limit) => this.#deps.executions.page(environmentId, filter, position, limit),
        count: async (atMost) => this.#deps.executions.count(environmentId, filter, atMost),
        timeOf: (row) => row.at,
      },
    );
    return { executions: rows.map(toView), ...links };
  }

  /**
   * The latest successful execution of each account, for accounts that a list within the caller's reach gave.
   *
   * @returns by id of the account; none for an account on which nothing was executed with success
   */
  async latestOf(caller: Caller, accountIds: readonly string[]): Promise<ReadonlyMap<string, LatestUse>> {
    await this.#deps.recorded();
    const latest = await Promise.all(
      accountIds.map(async (connectedAccountId) =>
        this.#deps.executions.page(caller.environmentId, { connectedAccountId, status: 'ok' }, undefined, 1),
      ),
    );
    return new Map(
      latest
        .flat()
        .map(({ connected_account_id: id, at, source, client_id: clientId }) => [
          id ?? '',
          { at, source, clientId: clientId ?? '' },
        ]),
    );
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND, also for an execution on an account out of reach */
  async describe(caller: Caller, id: string): Promise<ExecutionDetails> {
    await this.#deps.recorded();
    const row = await this.#deps.executions.find(caller.environmentId, id);
    if (row === undefined || !(await this.#reaches(caller, row.connected_account_id)))
      throw notFound('execution');
    const { queue_ms, provider_ms, attempts, renewals, duration_ms: whole } = row;
    const isKnown = queue_ms !== null && provider_ms !== null;
    return {
      ...toView(row),
      own_ms: isKnown ? Math.max(0, whole - queue_ms - provider_ms) : null,
      queue_ms,
      provider_ms,
      attempts,
      refreshed: renewals === null ? null : renewals > 0,
    };
  }

  /**
   * Sums of the whole environment.
   *
   * @throws ServiceError PERMISSION_DENIED for a caller that reaches a part of it: sums name no owner
   */
  async summary(caller: Caller, query: SummaryQuery): Promise<{ buckets: SummaryBucket[] }> {
    requireUnlimited(caller);
    const asked = sumQuery(query);
    await this.#deps.recorded();
    return { buckets: summaryBuckets(await this.#deps.executions.sums(caller.environmentId, asked)) };
  }

  /**
   * The sums of a range by time, error code and connection, in one read. Days that are over are read once an hour.
   *
   * @throws ServiceError PERMISSION_DENIED as `summary` does; INVALID_ARGUMENT for the range
   */
  async overview(caller: Caller, query: Omit<SummaryQuery, 'groupBy'>): Promise<ExecutionOverview> {
    requireUnlimited(caller);
    const asked = { ...sumQuery(query), groupBy: CODE_AND_CONNECTION } as const;
    await this.#deps.recorded();
    const { environmentId } = caller;
    const sums =
      query.bucket === 'day'
        ? this.#daySums.read(environmentId, asked)
        : this.#deps.executions.sums(environmentId, asked);
    return overviewOf(await sums);
  }

  async #reaches(caller: Caller, accountId: string | null): Promise<boolean> {
    if (!isLimited(caller)) return true;
    if (accountId === null) return false;
    try {
      await this.#deps.accounts.describe(caller, { id: accountId });
      return true;
    } catch (error) {
      if (error instanceof ServiceError && OUT_OF_REACH.has(error.code)) return false;
      throw error;
    }
  }

  /** An organization's credential may see only executions of its own accounts, and executions are stored by account. */
  async #requireReach(caller: Caller, accountId: string | undefined): Promise<void> {
    if (boundOrganizationOf(caller) === undefined) {
      if (onlyOwnerOf(caller) !== undefined && accountId !== undefined)
        await this.#deps.accounts.describe(caller, { id: accountId });
      return;
    }
    if (accountId === undefined) {
      throw invalidField(
        'connected_account_id',
        'This credential belongs to one organization: name one of its accounts.',
        'required',
      );
    }
    await this.#deps.accounts.describe(caller, { id: accountId });
  }
}

/** Errors of a caller that names an account of somebody else, or none. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(['RESOURCE_NOT_FOUND', 'PERMISSION_DENIED']);

/** Whether a caller reaches only the accounts of one owner. */
function isLimited(caller: Caller): boolean {
  return onlyOwnerOf(caller) !== undefined || boundOrganizationOf(caller) !== undefined;
}

/** @throws ServiceError PERMISSION_DENIED */
function requireUnlimited(caller: Caller): void {
  if (isLimited(caller))
    throw new ServiceError(
      'PERMISSION_DENIED',
      'Sums are those of the whole environment, and this token reaches a part of it. Use an API credential that belongs to no organization.',
    );
}

function toView(row: Execution): ExecutionView {
  return {
    execution_id: row.id,
    tool_name: row.tool_name,
    connected_account_id: row.connected_account_id,
    source: row.source,
    status: row.status,
    error_code: row.error_code,
    duration_ms: row.duration_ms,
    at: toTimestamp(row.at),
    user_id: row.user_id,
    organization_id: row.organization_id,
    connector: row.connector,
    virtual_server_id: row.virtual_server_id,
    error_message: row.error_message,
    provider_status: row.provider_status,
  };
}
