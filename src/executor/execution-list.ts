/** Pages of recorded executions, newest first (docs/contract.md#bodies). */
import type { Accounts } from '../accounts/accounts.ts';
import { boundOrganizationOf, onlyOwnerOf, type Caller, type Owner } from '../core/caller.ts';
import { toTimestamp } from '../core/clock.ts';
import { invalidField } from '../core/errors.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PagePosition, PageTokens } from '../core/page-token.ts';

/** A recorded execution, as stored. */
export interface StoredExecution {
  id: string;
  tool_name: string;
  connected_account_id: string | null;
  source: string;
  status: string;
  error_code: string | null;
  duration_ms: number;
  at: number;
}

/** Exact filters; absent members do not filter. */
export interface ExecutionFilter {
  toolName?: string | undefined;
  connectedAccountId?: string | undefined;
  source?: Caller['source'] | undefined;
  status?: 'ok' | 'error' | undefined;
}

/** The required part of the store. */
export interface StoredExecutions {
  /** Newest first for `next`, oldest first for `prev`. */
  page(
    environmentId: string,
    filter: ExecutionFilter & { owner?: Owner },
    position: PagePosition | undefined,
    limit: number,
  ): Promise<StoredExecution[]>;
  count(environmentId: string, filter: ExecutionFilter & { owner?: Owner }): Promise<number>;
}

export type ExecutionQuery = ExecutionFilter & PageQuery;

export interface ExecutionView {
  execution_id: string;
  tool_name: string;
  connected_account_id: string | null;
  source: string;
  status: string;
  error_code: string | null;
  duration_ms: number;
  at: string;
}

export interface ExecutionPage extends PageLinks {
  executions: ExecutionView[];
}

interface ExecutionListDeps {
  executions: StoredExecutions;
  recorded: () => Promise<void>;
  accounts: Pick<Accounts, 'describe'>;
  pageTokens: PageTokens;
}

/** Lists executions within a caller's reach. */
export class ExecutionList {
  readonly #deps: ExecutionListDeps;

  /** @param deps.recorded resolves when every call answered so far is in the store */
  constructor(deps: ExecutionListDeps) {
    this.#deps = deps;
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
        count: async () => this.#deps.executions.count(environmentId, filter),
        timeOf: (row) => row.at,
      },
    );
    return { executions: rows.map(toView), ...links };
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

function toView(row: StoredExecution): ExecutionView {
  const { tool_name, connected_account_id, source, status, error_code, duration_ms } = row;
  return {
    execution_id: row.id,
    tool_name,
    connected_account_id,
    source,
    status,
    error_code,
    duration_ms,
    at: toTimestamp(row.at),
  };
}
