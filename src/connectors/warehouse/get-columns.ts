/**
 * warehouse_get_columns: INFORMATION_SCHEMA.COLUMNS of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/columns
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { comparedName, identifier, identifierViolations, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

export const getColumns: ToolHandler<ToolInputs['warehouse_get_columns']> = {
  check: ({ database, schema, table }) => identifierViolations({ database, schema, table }),
  call: async ({ input, http }) => {
    const { database, schema, table, column_name_like, limit } = input;
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
  },
};
