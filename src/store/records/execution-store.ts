/** Rows of executions: the tool, the account and the outcome of each call. Never its input or output. */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { ExecutionTable, Tables } from '../tables/tables.ts';

export type ExecutionRow = Selectable<ExecutionTable>;

/** Exact filters of a list; absent members do not filter. */
export interface ExecutionFilter {
  toolName?: string | undefined;
  connectedAccountId?: string | undefined;
  source?: ExecutionRow['source'] | undefined;
  status?: ExecutionRow['status'] | undefined;
  /** Owner of the account it ran on, as long as the account exists. */
  owner?: { userId: string; organizationId: string } | undefined;
}

/** Rows per insert statement; more rows go into several statements of the same transaction. */
const ROWS_PER_INSERT = 50;

export class ExecutionStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Stores any number of rows; inside a transaction either all or none. */
  async insertMany(rows: readonly ExecutionRow[]): Promise<void> {
    const [only] = rows;
    if (only !== undefined && rows.length === 1) {
      await insertOne(this.#db, only);
      return;
    }
    for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
      const values = rows.slice(start, start + ROWS_PER_INSERT);
      await this.#db.insertInto('executions').values(values).execute();
    }
  }

  async find(environmentId: string, id: string): Promise<ExecutionRow | undefined> {
    return this.#db
      .selectFrom('executions')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    filter: ExecutionFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<ExecutionRow[]> {
    const query = this.#filtered(environmentId, filter).selectAll();
    return rowsFrom(query, 'at', position, limit);
  }

  async count(environmentId: string, filter: ExecutionFilter): Promise<number> {
    const { total } = await this.#filtered(environmentId, filter)
      .select((e) => e.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  #filtered(environmentId: string, filter: ExecutionFilter) {
    let query = this.#db.selectFrom('executions').where('environment_id', '=', environmentId);
    if (filter.toolName !== undefined) query = query.where('tool_name', '=', filter.toolName);
    if (filter.connectedAccountId !== undefined) {
      query = query.where('connected_account_id', '=', filter.connectedAccountId);
    }
    if (filter.source !== undefined) query = query.where('source', '=', filter.source);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    const { owner } = filter;
    if (owner === undefined) return query;
    return query.where((e) =>
      e.exists(
        e
          .selectFrom('accounts')
          .select('accounts.id')
          .whereRef('accounts.id', '=', 'executions.connected_account_id')
          .where('accounts.environment_id', '=', environmentId)
          .where('accounts.user_id', '=', owner.userId)
          .where('accounts.organization_id', '=', owner.organizationId),
      ),
    );
  }
}

const insertOne = preparedQuery((db, row: ExecutionRow) =>
  db.insertInto('executions').values({
    id: row.id,
    environment_id: row.environment_id,
    tool_name: row.tool_name,
    connected_account_id: row.connected_account_id,
    source: row.source,
    status: row.status,
    error_code: row.error_code,
    duration_ms: row.duration_ms,
    at: row.at,
  }),
);
