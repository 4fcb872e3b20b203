/**
 * warehouse_get_tables: INFORMATION_SCHEMA.TABLES of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/tables
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { comparedName, requireNames } from './names.ts';
import { identifier, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

interface TablesInput {
  database: string;
  schema?: string;
  table_name_like?: string;
  limit?: number;
}

export const getTables: ToolHandler = async ({ input, http }) => {
  const { database, schema, table_name_like, limit } = input as unknown as TablesInput;
  requireNames({ database, schema });
  const statement = select({
    columns: sql`TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ROW_COUNT, BYTES, CREATED, LAST_ALTERED, COMMENT`,
    from: sql`${identifier(database)}.INFORMATION_SCHEMA.TABLES`,
    where: [
      { column: sql`TABLE_SCHEMA`, operator: '=', value: comparedName(schema) },
      { column: sql`TABLE_NAME`, operator: 'ILIKE', value: table_name_like },
    ],
    orderBy: sql`TABLE_SCHEMA, TABLE_NAME`,
    limit,
  });
  return run(http, input, statement);
};
