/**
 * warehouse_explain_query: EXPLAIN of one statement, which Snowflake compiles and does not run.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/explain
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { given } from '../provider-call.ts';
import { readViolation } from './read-statement.ts';
import { ONE_STATEMENT, statementRequest } from './statement-request.ts';

export const explainQuery: ToolHandler<ToolInputs['warehouse_explain_query']> = {
  check: ({ statement }) => {
    const fault = statement === undefined ? undefined : readViolation(`EXPLAIN USING TABULAR ${statement}`);
    return fault === undefined ? [] : [violation('statement', fault, 'read_only')];
  },
  call: async ({ input, http }) => {
    const { statement, format, database, schema, role } = input;
    const text = `EXPLAIN USING ${format.toUpperCase()} ${statement}`;
    return http.send(
      statementRequest(given({ statement: text, database, schema, role, parameters: ONE_STATEMENT })),
    );
  },
};
