/**
 * warehouse_show_primary_keys: SHOW PRIMARY KEYS of the narrowest scope that is named.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-primary-keys
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifierViolations, qualified, sql, statementOf, type SqlText } from './sql.ts';
import { run } from './statement-request.ts';

type KeysInput = ToolInputs['warehouse_show_primary_keys'];

export const showPrimaryKeys: ToolHandler<KeysInput> = {
  check: (names) => {
    const { database_name, schema_name, table_name } = names;
    return [...identifierViolations({ database_name, schema_name, table_name }), ...gapViolations(names)];
  },
  call: async ({ input, http }) => run(http, input, statementOf(sql`SHOW PRIMARY KEYS IN ${scopeOf(input)}`)),
};

function gapViolations({ database_name, schema_name, table_name }: KeysInput): FieldViolation[] {
  const isBroken = table_name !== undefined && database_name !== undefined && schema_name === undefined;
  if (!isBroken) return [];
  return [violation('schema_name', 'Is required when database_name and table_name are given.', 'require')];
}

function scopeOf({ database_name, schema_name, table_name }: KeysInput): SqlText {
  if (table_name !== undefined) return sql`TABLE ${qualified(database_name, schema_name, table_name)}`;
  if (schema_name !== undefined) return sql`SCHEMA ${qualified(database_name, schema_name)}`;
  if (database_name !== undefined) return sql`DATABASE ${qualified(database_name)}`;
  return sql`ACCOUNT`;
}
