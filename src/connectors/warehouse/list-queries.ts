/**
 * warehouse_list_queries: the table function QUERY_HISTORY, which has the statements of the last seven days.
 *
 * @see https://docs.snowflake.com/en/sql-reference/functions/query_history
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { comparedName, identifier, identifierViolations, select, sql, type SqlText } from './sql.ts';
import { run } from './statement-request.ts';

const FAILED = sql`(EXECUTION_STATUS ILIKE 'FAIL%' OR EXECUTION_STATUS ILIKE '%INCIDENT%')`;

/**
 * Conditions by status. The texts of ended statements have known beginnings; statements with any other text are
 * running or waiting.
 */
const CONDITIONS = {
  running: [sql`NOT (EXECUTION_STATUS ILIKE 'SUCCESS%' OR ${FAILED})`],
  failed: [FAILED],
  all: [],
} satisfies Record<string, SqlText[]>;

export const listQueries: ToolHandler<ToolInputs['warehouse_list_queries']> = {
  check: ({ database_name, user, warehouse_name }) =>
    identifierViolations({ database_name, user, warehouse_name }),
  call: async ({ input, http }) => {
    const { database_name, status, user, warehouse_name, since, limit } = input;
    const statement = select({
      columns: sql`QUERY_ID, QUERY_TEXT, USER_NAME, WAREHOUSE_NAME, EXECUTION_STATUS, START_TIME, TOTAL_ELAPSED_TIME, ROWS_PRODUCED, BYTES_SCANNED, ERROR_MESSAGE`,
      // The function applies its limit before the conditions, so the highest limit is used.
      from: sql`TABLE(${identifier(database_name)}.INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 10000))`,
      always: CONDITIONS[status],
      where: [
        { column: sql`USER_NAME`, operator: '=', value: comparedName(user) },
        { column: sql`WAREHOUSE_NAME`, operator: '=', value: comparedName(warehouse_name) },
        { column: sql`START_TIME`, operator: 'since', value: withOffset(since) },
      ],
      orderBy: sql`START_TIME DESC`,
      limit,
    });
    return run(http, input, statement);
  },
};

/** A time with its offset in digits, which is the documented form. */
function withOffset(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString().replace('Z', '+00:00');
}
