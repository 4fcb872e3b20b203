/**
 * warehouse_execute_query: one statement or several, sent as they are.
 *
 * Every request carries an id, the caller's or one made here: Snowflake runs a statement that comes again with the
 * same id once only. So a request whose answer was lost on the way is sent once more.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-requests
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject, ProviderRequest, ToolHandler } from '../../catalog/model/types.ts';
import { shownKey } from '../../core/safe-json.ts';
import { invalidArgument, type FieldViolation } from '../../core/errors.ts';
import { given, refusalCode, refusalStatus } from '../provider-call.ts';
import { bindVariables } from './bindings.ts';
import { statementRequest } from './statement-request.ts';

interface QueryInput {
  statement: string;
  async?: boolean;
  bindings?: Record<string, unknown>;
  database?: string;
  schema?: string;
  role?: string;
  warehouse?: string;
  nullable?: boolean;
  parameters?: Record<string, unknown>;
  request_id?: string;
  retry?: boolean;
  timeout?: number;
}

/** Snowflake's parameter for the number of statements; 0 is any. */
const COUNT = 'MULTI_STATEMENT_COUNT';

export const executeQuery: ToolHandler = async ({ input, http }) => {
  const query = input as unknown as QueryInput;
  const body = bodyOf(query);
  const requestId = query.request_id ?? randomUUID();
  try {
    return await http.send(statementRequest(body, queryOf(query, requestId, query.retry === true)));
  } catch (error) {
    if (!isLost(error)) throw error;
    return http.send(statementRequest(body, queryOf(query, requestId, true)));
  }
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
  const violations: FieldViolation[] = [];
  const { statement, timeout, database, schema, warehouse, role } = query;
  const bindings = bindVariables(query.bindings, violations);
  const parameters = sessionParameters(query, violations);
  const announced = announcedCount(parameters);
  if (
    query.bindings !== undefined &&
    bindings !== undefined &&
    announced !== undefined &&
    announced !== '1'
  ) {
    const description = 'Cannot be given for several statements: send them one by one.';
    violations.push({ field: 'bindings', description, constraint: 'forbid' });
  }
  if (violations.length > 0) throw invalidArgument(violations);
  return given({ statement, timeout, database, schema, warehouse, role, bindings, parameters });
}

/** Those of the caller, and the announcement of several statements where it is missing. */
function sessionParameters(
  { statement, parameters }: QueryInput,
  violations: FieldViolation[],
): JsonObject | undefined {
  for (const [name, value] of Object.entries(parameters ?? {})) {
    const field = `parameters.${shownKey(name)}`;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name))
      violations.push({ field, description: 'Is no name of a parameter.', constraint: 'name' });
    else if (!['string', 'number', 'boolean'].includes(typeof value))
      violations.push({ field, description: 'Must be text, a number, true or false.', constraint: 'type' });
  }
  if (announcedCount(parameters) !== undefined || statementCount(statement) < 2) return parameters;
  return { ...parameters, [COUNT]: '0' };
}

function announcedCount(parameters: JsonObject | undefined): string | undefined {
  const found = Object.entries(parameters ?? {}).find(([name]) => name.toUpperCase() === COUNT);
  return found === undefined ? undefined : String(found[1]);
}

/**
 * The request may have been carried out, and nothing says so. Not a timeout: the call has no time left then. Not the
 * refusal of a token that could not be renewed: that request was not carried out.
 */
function isLost(error: unknown): boolean {
  const status = refusalStatus(error);
  return refusalCode(error) === 'PROVIDER_CONNECTION_LOST' || status === 503 || status === 504;
}

/**
 * What hides a semicolon: literals with their escapes, quoted names, dollar-quoted text, comments. One that is not
 * closed reaches to the end. Each alternative begins with another character, so that it takes linear time.
 */
const HIDING =
  /'(?:[^'\\]|''|\\[\s\S]?)*'?|"(?:[^"]|"")*"?|\$\$[\s\S]*?(?:\$\$|$)|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** BEGIN as the start of a block; of a transaction it is followed by these words or by nothing. */
const BLOCK = String.raw`(?:DECLARE\b|BEGIN\b(?!\s*(?:;|$|(?:TRANSACTION|WORK|NAME)\b)))`;

/** A script: as the whole text, or as the body of a procedure or task without dollar quotes. */
const SCRIPT = new RegExp(String.raw`^\s*${BLOCK}|\bAS\s+${BLOCK}`, 'i');

/**
 * Number of statements; 1 for a script, whose semicolons are inside one statement. Snowflake refuses several unless their
 * number is announced, so it has to be known before they are sent; the text itself is never changed.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-multiple-statements
 */
function statementCount(text: string): number {
  const bare = text.replace(HIDING, (hidden) => (/^(--|\/)/.test(hidden) ? ' ' : 'x'));
  if (SCRIPT.test(bare)) return 1;
  return bare.split(';').filter((statement) => statement.trim() !== '').length;
}
