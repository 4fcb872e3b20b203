/**
 * warehouse_get_schemata: INFORMATION_SCHEMA.SCHEMATA of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/schemata
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifier, identifierViolations, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

export const getSchemata: ToolHandler<ToolInputs['warehouse_get_schemata']> = {
  check: ({ database }) => identifierViolations({ database }),
  call: async ({ input, http }) => {
    const { database, schema_like, limit } = input;
    const statement = select({
      columns: sql`CATALOG_NAME, SCHEMA_NAME, SCHEMA_OWNER, CREATED, LAST_ALTERED, COMMENT`,
      from: sql`${identifier(database)}.INFORMATION_SCHEMA.SCHEMATA`,
      where: [{ column: sql`SCHEMA_NAME`, operator: 'ILIKE', value: schema_like }],
      orderBy: sql`SCHEMA_NAME`,
      limit,
    });
    return run(http, input, statement);
  },
};
