/** Executions, beyond what engine/rows.ts does: which tool ran, for which account, how it ended. Never its input or output. */
import type { ExpressionBuilder } from 'kysely';
import type { Owner } from '../../core/caller.ts';
import type { PagePosition } from '../../core/page-token.ts';
import type { Readable } from '../engine/database.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import { rows, type Where } from '../engine/rows.ts';
import type { Execution, Tables } from '../tables/tables.ts';

/** Exact filters of a list; absent members do not filter. */
export interface ExecutionFilter {
  toolName?: string | undefined;
  connectedAccountId?: string | undefined;
  source?: Execution['source'] | undefined;
  status?: Execution['status'] | undefined;
  /** Owner of the account it ran on, as long as the account exists. */
  owner?: Owner | undefined;
}

/** Rows per insert statement; more rows go into several statements of the same transaction. */
const ROWS_PER_INSERT = 50;

export class ExecutionStore {
  readonly #db: Readable;

  constructor(db: Readable) {
    this.#db = db;
  }

  /** Stores any number of executions; inside a transaction either all or none. */
  async insertMany(executions: readonly Execution[]): Promise<void> {
    const [only] = executions;
    if (only !== undefined && executions.length === 1) {
      await insertOne(this.#db, only);
      return;
    }
    for (let start = 0; start < executions.length; start += ROWS_PER_INSERT)
      await rows(this.#db, 'executions').insert(...executions.slice(start, start + ROWS_PER_INSERT));
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    filter: ExecutionFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<Execution[]> {
    const where = matching(environmentId, filter);
    return rows(this.#db, 'executions').page(environmentId, { where, position, limit });
  }

  async count(environmentId: string, filter: ExecutionFilter): Promise<number> {
    return rows(this.#db, 'executions').count(environmentId, matching(environmentId, filter));
  }
}

function matching(
  environmentId: string,
  { toolName, connectedAccountId, source, status, owner }: ExecutionFilter,
): Where<'executions'> {
  return (e) =>
    e.and([
      ...(toolName === undefined ? [] : [e('tool_name', '=', toolName)]),
      ...(connectedAccountId === undefined ? [] : [e('connected_account_id', '=', connectedAccountId)]),
      ...(source === undefined ? [] : [e('source', '=', source)]),
      ...(status === undefined ? [] : [e('status', '=', status)]),
      ...(owner === undefined ? [] : [e.exists(accountOf(e, environmentId, owner))]),
    ]);
}

function accountOf(e: ExpressionBuilder<Tables, 'executions'>, environmentId: string, owner: Owner) {
  return e
    .selectFrom('accounts')
    .select('accounts.id')
    .whereRef('accounts.id', '=', 'executions.connected_account_id')
    .where('accounts.environment_id', '=', environmentId)
    .where('accounts.user_id', '=', owner.userId)
    .where('accounts.organization_id', '=', owner.organizationId);
}

const insertOne = preparedQuery((db, row: Execution) =>
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
