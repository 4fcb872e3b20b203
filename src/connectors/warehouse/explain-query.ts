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
import { scanSql, splitAt } from './statement-tokens.ts';

const CHAIN =
  'Must be one statement, not a chain with ->>: only its first part would be explained, and the others would run.';

export const explainQuery: ToolHandler<ToolInputs['warehouse_explain_query']> = {
  check: ({ statement }) => {
    if (statement === undefined) return [];
    const text = `EXPLAIN USING TABULAR ${statement}`;
    const fault =
      readViolation(text) ?? (splitAt(scanSql(text).tokens, '->>').length > 1 ? CHAIN : undefined);
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
