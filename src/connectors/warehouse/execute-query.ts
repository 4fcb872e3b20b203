/**
 * warehouse_execute_query: one or several statements, sent unchanged.
 *
 * Every request carries an id, from the caller or generated: Snowflake runs statements with the same id only once. So a
 * request whose answer was lost is sent once more.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-requests
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject, ProviderRequest, ToolHandler } from '../../catalog/model/types.ts';
import { shownKey } from '../../core/safe-json.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { given, refusalCode, refusalStatus } from '../provider-call.ts';
import { bindVariables } from './bindings.ts';
import { statementRequest } from './statement-request.ts';
import { isSymbol, isWord, scanSql, statementsOf, type SqlToken } from './statement-tokens.ts';

type QueryInput = ToolInputs['warehouse_execute_query'];

/** Snowflake's parameter for the number of statements; 0 means any number. */
const COUNT = 'MULTI_STATEMENT_COUNT';

export const executeQuery: ToolHandler<QueryInput> = {
  check: (query) => {
    const { statement, bindings, parameters } = query;
    // Without a statement their number is unknown, and the other rules depend on it.
    if (statement === undefined && announcedCount(parameters) === undefined) return [];
    return [
      ...bindVariables(bindings).violations,
      ...parameterViolations(parameters),
      ...severalViolations(query),
    ];
  },
  call: async ({ input, http }) => {
    const body = bodyOf(input);
    const requestId = input.request_id ?? randomUUID();
    try {
      return await http.send(statementRequest(body, queryOf(input, requestId, input.retry === true)));
    } catch (error) {
      if (!isLost(error)) throw error;
      return http.send(statementRequest(body, queryOf(input, requestId, true)));
    }
  },
};

function queryOf(
  { async: isAsync, nullable }: QueryInput,
  requestId: string,
  isRetry: boolean,
): ProviderRequest['query'] {
  return [
    ['requestId', requestId],
    ...(isRetry ? [['retry', 'true'] as const] : []),
    ...(isAsync === undefined ? [] : [['async', String(isAsync)] as const]),
    ...(nullable === undefined ? [] : [['nullable', String(nullable)] as const]),
  ];
}

function bodyOf(query: QueryInput): JsonObject {
  const { statement, timeout, database, schema, warehouse, role } = query;
  const { variables: bindings } = bindVariables(query.bindings);
  const parameters = sessionParameters(query);
  return given({ statement, timeout, database, schema, warehouse, role, bindings, parameters });
}

/** The parameters of the caller, plus the number of statements if it is missing. */
function sessionParameters({ statement = '', parameters }: Partial<QueryInput>): JsonObject | undefined {
  if (announcedCount(parameters) !== undefined || statementCount(statement) < 2) return parameters;
  return { ...parameters, [COUNT]: '0' };
}

function parameterViolations(parameters: JsonObject = {}): FieldViolation[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const field = `parameters.${shownKey(name)}`;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name))
      return [violation(field, 'Is not the name of a parameter.', 'name')];
    if (!['string', 'number', 'boolean'].includes(typeof value))
      return [violation(field, 'Must be text, a number, true or false.', 'type')];
    return [];
  });
}

/** Snowflake binds values in a single statement only. */
function severalViolations(query: Partial<QueryInput>): FieldViolation[] {
  const announced = announcedCount(sessionParameters(query));
  const isBound = bindVariables(query.bindings).variables !== undefined;
  if (!isBound || announced === undefined || announced === '1') return [];
  return [violation('bindings', 'Cannot be given for several statements: send them one by one.', 'forbid')];
}

function announcedCount(parameters: JsonObject | undefined): string | undefined {
  const found = Object.entries(parameters ?? {}).find(([name]) => name.toUpperCase() === COUNT);
  return found === undefined ? undefined : String(found[1]);
}

/**
 * Whether a request without an answer may have been carried out. Not after a timeout: then the call has no time left.
 * Not if a refused token could not be renewed: that request was not carried out.
 */
function isLost(error: unknown): boolean {
  const status = refusalStatus(error);
  return refusalCode(error) === 'PROVIDER_CONNECTION_LOST' || status === 503 || status === 504;
}

/**
 * Number of statements; 1 for a script, whose semicolons are inside one statement. Snowflake refuses several unless
 * their number is announced, so they are counted before they are sent. The text itself is never changed.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-multiple-statements
 */
function statementCount(text: string): number {
  const { tokens } = scanSql(text);
  return isScript(tokens) ? 1 : statementsOf(tokens).length;
}

/** A script: as the whole text, or as the body of a procedure or task without dollar quotes. */
function isScript(tokens: readonly SqlToken[]): boolean {
  return tokens.some((token, i) => {
    if (i > 0 && !isWord(tokens[i - 1], 'AS')) return false;
    if (isWord(token, 'DECLARE')) return true;
    const next = tokens[i + 1];
    // For a transaction, one of these words or nothing follows.
    const isTransaction =
      next === undefined || isSymbol(next, ';') || isWord(next, 'TRANSACTION', 'WORK', 'NAME');
    return isWord(token, 'BEGIN') && !isTransaction;
  });
}
