/**
 * warehouse_list_semantic_views and warehouse_describe_semantic_view: SHOW and DESCRIBE of semantic views. Need no
 * running warehouse.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-semantic-views
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifierViolations, likeIn, qualified, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

export const listSemanticViews: ToolHandler<ToolInputs['warehouse_list_semantic_views']> = {
  check: ({ database_name, schema_name }) => identifierViolations({ database_name, schema_name }),
  call: async ({ input, http }) => run(http, input, statementOf(sql`SHOW SEMANTIC VIEWS${likeIn(input)}`)),
};

export const describeSemanticView: ToolHandler<ToolInputs['warehouse_describe_semantic_view']> = {
  check: ({ database_name, schema_name, view_name }) =>
    identifierViolations({ database_name, schema_name, view_name }),
  call: async ({ input, http }) => {
    const view = qualified(input.database_name, input.schema_name, input.view_name);
    return run(http, input, statementOf(sql`DESCRIBE SEMANTIC VIEW ${view}`));
  },
};
