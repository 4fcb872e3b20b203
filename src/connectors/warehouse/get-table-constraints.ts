/**
 * warehouse_get_table_constraints: INFORMATION_SCHEMA.TABLE_CONSTRAINTS of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/table_constraints
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { comparedName, requireNames } from './names.ts';
import { identifier, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

interface ConstraintsInput {
  database: string;
  schema?: string;
  table?: string;
  constraint_type?: string;
  limit?: number;
}

/** Those the view holds. */
const TYPES = ['PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE'];

export const getTableConstraints: ToolHandler = async ({ input, http }) => {
  const { database, schema, table, constraint_type, limit } = input as unknown as ConstraintsInput;
  const type = constraint_type?.trim().toUpperCase().replaceAll('_', ' ');
  const isKnown = type === undefined || TYPES.includes(type);
  const description = `Must be one of: ${TYPES.join(', ')}.`;
  requireNames(
    { database, schema, table },
    isKnown ? [] : [{ field: 'constraint_type', description, constraint: 'enum' }],
  );
  const statement = select({
    columns: sql`CONSTRAINT_SCHEMA, CONSTRAINT_NAME, TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_TYPE, ENFORCED, RELY, COMMENT`,
    from: sql`${identifier(database)}.INFORMATION_SCHEMA.TABLE_CONSTRAINTS`,
    where: [
      { column: sql`TABLE_SCHEMA`, operator: '=', value: comparedName(schema) },
      { column: sql`TABLE_NAME`, operator: '=', value: comparedName(table) },
      { column: sql`CONSTRAINT_TYPE`, operator: '=', value: type },
    ],
    orderBy: sql`TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME`,
    limit,
  });
  return run(http, input, statement);
};
