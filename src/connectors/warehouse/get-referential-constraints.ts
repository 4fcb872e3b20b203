/**
 * warehouse_get_referential_constraints: INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS of a database. The view does not
 * name the table of a constraint, so a table filter uses TABLE_CONSTRAINTS.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/referential_constraints
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { comparedName, identifier, identifierViolations, NOTHING, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

export const getReferentialConstraints: ToolHandler<ToolInputs['warehouse_get_referential_constraints']> = {
  check: ({ database, schema, table }) => identifierViolations({ database, schema, table }),
  call: async ({ input, http }) => {
    const { database, schema, table, limit } = input;
    const views = sql`${identifier(database)}.INFORMATION_SCHEMA`;
    const join =
      table === undefined
        ? NOTHING
        : sql` JOIN ${views}.TABLE_CONSTRAINTS TC ON TC.CONSTRAINT_CATALOG = RC.CONSTRAINT_CATALOG AND TC.CONSTRAINT_SCHEMA = RC.CONSTRAINT_SCHEMA AND TC.CONSTRAINT_NAME = RC.CONSTRAINT_NAME`;
    const statement = select({
      columns: sql`RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME, RC.UNIQUE_CONSTRAINT_CATALOG, RC.UNIQUE_CONSTRAINT_SCHEMA, RC.UNIQUE_CONSTRAINT_NAME, RC.MATCH_OPTION, RC.UPDATE_RULE, RC.DELETE_RULE`,
      from: sql`${views}.REFERENTIAL_CONSTRAINTS RC${join}`,
      where: [
        { column: sql`RC.CONSTRAINT_SCHEMA`, operator: '=', value: comparedName(schema) },
        { column: sql`TC.TABLE_NAME`, operator: '=', value: comparedName(table) },
      ],
      orderBy: sql`RC.CONSTRAINT_SCHEMA, RC.CONSTRAINT_NAME`,
      limit,
    });
    return run(http, input, statement);
  },
};
