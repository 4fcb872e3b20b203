/**
 * warehouse_get_tables: INFORMATION_SCHEMA.TABLES of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/tables
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { comparedName, identifier, identifierViolations, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

export const getTables: ToolHandler<ToolInputs['warehouse_get_tables']> = {
  check: ({ database, schema }) => identifierViolations({ database, schema }),
  call: async ({ input, http }) => {
    const { database, schema, table_name_like, limit } = input;
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
  },
};
