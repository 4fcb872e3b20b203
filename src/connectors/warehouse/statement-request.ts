/**
 * Builds the request that runs a statement, and runs those of the tools for databases, tables and grants.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/reference
 */
import type { JsonObject, ProviderRequest } from '../../catalog/model/types.ts';
import { given, post, type ProviderHttp } from '../provider-call.ts';
import type { Statement } from './sql.ts';

/** Says that the bearer token is an OAuth token; without it Snowflake has to guess. */
export const HEADERS = { 'X-Snowflake-Authorization-Token-Type': 'OAUTH' };

/** Session parameters with which Snowflake refuses a second statement, should it read the text in another way than we do. */
export const ONE_STATEMENT = { MULTI_STATEMENT_COUNT: '1' };

/** POST of a statement. */
export function statementRequest(body: JsonObject, query: ProviderRequest['query'] = []): ProviderRequest {
  return { ...post('/api/v2/statements', body), query, headers: HEADERS };
}

/** Runs a statement with the role and warehouse of the input, if given. */
export async function run(
  http: ProviderHttp,
  { role, warehouse }: { role?: string; warehouse?: string },
  statement: Statement,
): Promise<unknown> {
  return http.send(statementRequest(given({ ...statement, role, warehouse })));
}
