/**
 * warehouse_show_tables: SHOW TABLES or SHOW VIEWS of the narrowest scope that is named. Needs no running warehouse.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-tables
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifierViolations, likeIn, NOTHING, sql, statementOf, whole } from './sql.ts';
import { run } from './statement-request.ts';

export const showTables: ToolHandler<ToolInputs['warehouse_show_tables']> = {
  check: ({ database_name, schema_name }) => identifierViolations({ database_name, schema_name }),
  call: async ({ input, http }) => {
    const { kind, limit } = input;
    const objects = kind === 'views' ? sql`VIEWS` : sql`TABLES`;
    const most = limit === undefined ? NOTHING : sql` LIMIT ${whole(limit)}`;
    return run(http, input, statementOf(sql`SHOW ${objects}${likeIn(input)}${most}`));
  },
};
