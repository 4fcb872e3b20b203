/**
 * warehouse_get_columns: INFORMATION_SCHEMA.COLUMNS of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/columns
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { comparedName, requireNames } from './names.ts';
import { identifier, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

interface ColumnsInput {
  database: string;
  schema?: string;
  table?: string;
  column_name_like?: string;
  limit?: number;
}

export const getColumns: ToolHandler = async ({ input, http }) => {
  const { database, schema, table, column_name_like, limit } = input as unknown as ColumnsInput;
  requireNames({ database, schema, table });
  const statement = select({
    columns: sql`TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, DATA_TYPE, IS_NULLABLE, COLUMN_DEFAULT, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, COMMENT`,
    from: sql`${identifier(database)}.INFORMATION_SCHEMA.COLUMNS`,
    where: [
      { column: sql`TABLE_SCHEMA`, operator: '=', value: comparedName(schema) },
      { column: sql`TABLE_NAME`, operator: '=', value: comparedName(table) },
      { column: sql`COLUMN_NAME`, operator: 'ILIKE', value: column_name_like },
    ],
    orderBy: sql`TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`,
    limit,
  });
  return run(http, input, statement);
};
