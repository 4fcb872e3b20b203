/**
 * warehouse_show_primary_keys: SHOW PRIMARY KEYS of the narrowest scope that is named.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-primary-keys
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { requireNames } from './names.ts';
import { qualified, sql, statementOf, type SqlText } from './sql.ts';
import { run } from './statement-request.ts';

interface KeysInput {
  database_name?: string;
  schema_name?: string;
  table_name?: string;
}

export const showPrimaryKeys: ToolHandler = async ({ input, http }) => {
  const names = input as KeysInput;
  const { database_name, schema_name, table_name } = names;
  const isBroken = table_name !== undefined && database_name !== undefined && schema_name === undefined;
  const description = 'Is required when database_name and table_name are given.';
  requireNames(
    { database_name, schema_name, table_name },
    isBroken ? [{ field: 'schema_name', description, constraint: 'require' }] : [],
  );
  return run(http, input, statementOf(sql`SHOW PRIMARY KEYS IN ${scopeOf(names)}`));
};

function scopeOf({ database_name, schema_name, table_name }: KeysInput): SqlText {
  if (table_name !== undefined) return sql`TABLE ${qualified(database_name, schema_name, table_name)}`;
  if (schema_name !== undefined) return sql`SCHEMA ${qualified(database_name, schema_name)}`;
  if (database_name !== undefined) return sql`DATABASE ${qualified(database_name)}`;
  return sql`ACCOUNT`;
}
