/**
 * warehouse_sample_rows: the first rows that Snowflake finds. LIMIT reads little; SAMPLE would read the whole table.
 *
 * @see https://docs.snowflake.com/en/sql-reference/constructs/limit
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifier, identifierViolations, joined, qualified, sql, statementOf, whole } from './sql.ts';
import { run } from './statement-request.ts';

export const sampleRows: ToolHandler<ToolInputs['warehouse_sample_rows']> = {
  check: ({ database_name, schema_name, table_name, columns = [] }) => {
    const named = columns.map((column, i) => [`columns[${i}]`, column] as const);
    return identifierViolations({ database_name, schema_name, table_name, ...Object.fromEntries(named) });
  },
  call: async ({ input, http }) => {
    const { database_name, schema_name, table_name, columns, limit } = input;
    const wanted = columns === undefined ? sql`*` : joined(columns.map(identifier), ', ');
    const table = qualified(database_name, schema_name, table_name);
    return run(http, input, statementOf(sql`SELECT ${wanted} FROM ${table} LIMIT ${whole(limit)}`));
  },
};
