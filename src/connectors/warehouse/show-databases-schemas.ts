/**
 * warehouse_show_databases_schemas: SHOW DATABASES, or SHOW SCHEMAS of one database or of all.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-schemas
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { requireNames } from './names.ts';
import { identifier, literal, NOTHING, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

interface ShowInput {
  object_type: 'databases' | 'schemas';
  database_name?: string;
  like_pattern?: string;
}

export const showDatabasesSchemas: ToolHandler = async ({ input, http }) => {
  const { object_type, database_name, like_pattern } = input as unknown as ShowInput;
  requireNames({ database_name });
  const like = like_pattern === undefined ? NOTHING : sql` LIKE ${literal(like_pattern)}`;
  const scope =
    database_name === undefined ? sql` IN ACCOUNT` : sql` IN DATABASE ${identifier(database_name)}`;
  const text = object_type === 'databases' ? sql`SHOW DATABASES${like}` : sql`SHOW SCHEMAS${like}${scope}`;
  return run(http, input, statementOf(text));
};
