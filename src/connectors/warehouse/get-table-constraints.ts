/**
 * warehouse_get_table_constraints: INFORMATION_SCHEMA.TABLE_CONSTRAINTS of a database.
 *
 * @see https://docs.snowflake.com/en/sql-reference/info-schema/table_constraints
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { comparedName, identifier, identifierViolations, select, sql } from './sql.ts';
import { run } from './statement-request.ts';

/** The types of constraints in the view. */
const TYPES = ['PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE'];

export const getTableConstraints: ToolHandler<ToolInputs['warehouse_get_table_constraints']> = {
  check: ({ database, schema, table, constraint_type }) => [
    ...identifierViolations({ database, schema, table }),
    ...typeViolations(constraint_type),
  ],
  call: async ({ input, http }) => {
    const { database, schema, table, constraint_type, limit } = input;
    const statement = select({
      columns: sql`CONSTRAINT_SCHEMA, CONSTRAINT_NAME, TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_TYPE, ENFORCED, RELY, COMMENT`,
      from: sql`${identifier(database)}.INFORMATION_SCHEMA.TABLE_CONSTRAINTS`,
      where: [
        { column: sql`TABLE_SCHEMA`, operator: '=', value: comparedName(schema) },
        { column: sql`TABLE_NAME`, operator: '=', value: comparedName(table) },
        { column: sql`CONSTRAINT_TYPE`, operator: '=', value: typeOf(constraint_type) },
      ],
      orderBy: sql`TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME`,
      limit,
    });
    return run(http, input, statement);
  },
};

/** The type in the view's spelling; accepts any case, and `_` for a space. */
function typeOf(text: string | undefined): string | undefined {
  return text?.trim().toUpperCase().replaceAll('_', ' ');
}

function typeViolations(text: string | undefined): FieldViolation[] {
  const type = typeOf(text);
  if (type === undefined || TYPES.includes(type)) return [];
  return [violation('constraint_type', `Must be one of: ${TYPES.join(', ')}.`, 'enum')];
}
