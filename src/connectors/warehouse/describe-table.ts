/**
 * warehouse_describe_table: DESCRIBE TABLE, which Snowflake takes for views too. Needs no running warehouse.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/desc-table
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifierViolations, qualified, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

export const describeTable: ToolHandler<ToolInputs['warehouse_describe_table']> = {
  check: ({ database_name, schema_name, table_name }) =>
    identifierViolations({ database_name, schema_name, table_name }),
  call: async ({ input, http }) => {
    const { database_name, schema_name, table_name } = input;
    const table = qualified(database_name, schema_name, table_name);
    return run(http, input, statementOf(sql`DESCRIBE TABLE ${table}`));
  },
};
