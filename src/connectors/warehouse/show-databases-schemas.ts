/**
 * warehouse_show_databases_schemas: SHOW DATABASES, or SHOW SCHEMAS of one database or of all.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-schemas
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifierViolations, likeIn, literal, NOTHING, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

export const showDatabasesSchemas: ToolHandler<ToolInputs['warehouse_show_databases_schemas']> = {
  check: ({ database_name }) => identifierViolations({ database_name }),
  call: async ({ input, http }) => {
    const { object_type, like_pattern } = input;
    const like = like_pattern === undefined ? NOTHING : sql` LIKE ${literal(like_pattern)}`;
    const text = object_type === 'databases' ? sql`SHOW DATABASES${like}` : sql`SHOW SCHEMAS${likeIn(input)}`;
    return run(http, input, statementOf(text));
  },
};
