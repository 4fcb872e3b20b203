/**
 * warehouse_query: one statement that reads, sent unchanged.
 *
 * The check keeps a model from changing data by mistake. What a statement may do in the end is decided by the rights of
 * the role, because a function that is called in a SELECT may change something too.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-requests
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { given } from '../provider-call.ts';
import { bindVariables } from './bindings.ts';
import { readViolation } from './read-statement.ts';
import { ONE_STATEMENT, statementRequest } from './statement-request.ts';

export const query: ToolHandler<ToolInputs['warehouse_query']> = {
  check: ({ statement, bindings }) => {
    const fault = statement === undefined ? undefined : readViolation(statement);
    return [
      ...bindVariables(bindings).violations,
      ...(fault === undefined ? [] : [violation('statement', fault, 'read_only')]),
    ];
  },
  call: async ({ input, http }) => {
    const { statement, timeout, database, schema, warehouse, role } = input;
    const { variables: bindings } = bindVariables(input.bindings);
    const parameters = ONE_STATEMENT;
    const body = { statement, timeout, database, schema, warehouse, role, bindings, parameters };
    return http.send(statementRequest(given(body)));
  },
};
