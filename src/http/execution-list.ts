/** Pages of recorded executions, newest first (contract section 13). */
import type { Accounts } from '../accounts/accounts.ts';
import type { Caller } from '../core/caller.ts';
import { toTimestamp } from '../core/clock.ts';
import { invalidField } from '../core/errors.ts';
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
  source?: string | undefined;
  status?: string | undefined;
}

/** What is needed of the store. */
export interface StoredExecutions {
  /** Newest first for `next`, oldest first for `prev`. */
  page(
    environmentId: string,
    filter: ExecutionFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<StoredExecution[]>;
  count(environmentId: string, filter: ExecutionFilter): Promise<number>;
}

export interface ExecutionQuery extends ExecutionFilter {
  pageSize?: number | undefined;
  pageToken?: string | undefined;
}

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

export interface ExecutionPage {
  executions: ExecutionView[];
  next_page_token: string;
  prev_page_token: string;
  total_size: number;
}

/** Lists executions within a caller's reach. */
export class ExecutionList {
  readonly #store: StoredExecutions;
  readonly #accounts: Pick<Accounts, 'describe'>;
  readonly #pageTokens: PageTokens;
  readonly #recorded: () => Promise<void>;

  /** @param deps.recorded resolves when every call answered so far is in the store */
  constructor(deps: {
    executions: StoredExecutions;
    recorded: () => Promise<void>;
    accounts: Pick<Accounts, 'describe'>;
    pageTokens: PageTokens;
  }) {
    this.#store = deps.executions;
    this.#accounts = deps.accounts;
    this.#pageTokens = deps.pageTokens;
    this.#recorded = deps.recorded;
  }

  /** @throws ServiceError INVALID_ARGUMENT for a bad page token; RESOURCE_NOT_FOUND for an account out of reach */
  async list(caller: Caller, query: ExecutionQuery): Promise<ExecutionPage> {
    await this.#requireReach(caller, query.connectedAccountId);
    const { pageSize: size = 30, pageToken, ...filter } = query;
    const { environmentId } = caller;
    const bound = ['executions', environmentId, filter];
    const position = pageToken ? this.#pageTokens.decode(pageToken, bound) : undefined;
    await this.#recorded();
    const [found, total] = await Promise.all([
      this.#store.page(environmentId, filter, position, size + 1),
      this.#store.count(environmentId, filter),
    ]);
    const hasMore = found.length > size;
    const rows = found.slice(0, size);
    const isBackwards = position?.direction === 'prev';
    if (isBackwards) rows.reverse();
    const token = (direction: 'next' | 'prev', edge: StoredExecution | undefined, exists: boolean): string =>
      edge === undefined || !exists
        ? ''
        : this.#pageTokens.encode({ direction, createdAt: edge.at, id: edge.id }, bound);
    return {
      executions: rows.map(toView),
      next_page_token: token('next', rows.at(-1), isBackwards || hasMore),
      prev_page_token: token('prev', rows[0], isBackwards ? hasMore : position !== undefined),
      total_size: total,
    };
  }

  /** An organization's credential sees what ran on its own accounts, and executions are stored by account. */
  async #requireReach(caller: Caller, accountId: string | undefined): Promise<void> {
    if (caller.boundOrganizationId === undefined) return;
    if (accountId === undefined) {
      throw invalidField(
        'connected_account_id',
        'This credential belongs to one organization: name one of its accounts.',
        'required',
      );
    }
    await this.#accounts.describe(caller, { id: accountId });
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
