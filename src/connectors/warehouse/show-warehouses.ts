/**
 * warehouse_show_warehouses: SHOW WAREHOUSES. Needs no running warehouse.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-warehouses
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { literal, NOTHING, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

export const showWarehouses: ToolHandler<ToolInputs['warehouse_show_warehouses']> = {
  call: async ({ input, http }) => {
    const { like_pattern } = input;
    const like = like_pattern === undefined ? NOTHING : sql` LIKE ${literal(like_pattern)}`;
    return run(http, input, statementOf(sql`SHOW WAREHOUSES${like}`));
  },
};
