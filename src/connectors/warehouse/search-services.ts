/**
 * warehouse_list_search_services and warehouse_search: the services of Cortex Search in a schema, and a query of one.
 * They act with the role of the token.
 *
 * @see https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-search/query-cortex-search-service
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { get, given, post, queryOf } from '../provider-call.ts';
import { identifierViolations, nameInPath, storedIdentifier } from './sql.ts';
import { HEADERS } from './statement-request.ts';

export const listSearchServices: ToolHandler<ToolInputs['warehouse_list_search_services']> = {
  check: ({ database_name, schema_name }) => nameViolations({ database_name, schema_name }),
  call: async ({ input, http }) => {
    const query = queryOf({ like: input.like_pattern, showLimit: input.limit });
    return { services: await http.send({ ...get(servicesPath(input), query), headers: HEADERS }) };
  },
};

export const search: ToolHandler<ToolInputs['warehouse_search']> = {
  check: ({ database_name, schema_name, service_name }) =>
    nameViolations({ database_name, schema_name, service_name }),
  call: async ({ input, http }) => {
    const { service_name, query, columns, filter, limit } = input;
    const path = `${servicesPath(input)}/${segment(service_name, 'service_name')}:query`;
    const body = given({ query, columns: columns?.map(storedIdentifier), filter, limit });
    return http.send({ ...post(path, body), headers: HEADERS });
  },
};

function servicesPath(place: { database_name: string; schema_name: string }): string {
  const database = segment(place.database_name, 'database_name');
  const schema = segment(place.schema_name, 'schema_name');
  return `/api/v2/databases/${database}/schemas/${schema}/cortex-search-services`;
}

function segment(name: string, field: string): string {
  return pathSegment(nameInPath(name), field);
}

/** Violations of names that Snowflake does not allow, or that cannot be part of a path. */
function nameViolations(names: Readonly<Record<string, string | undefined>>): FieldViolation[] {
  const wrong = identifierViolations(names);
  if (wrong.length > 0) return wrong;
  return Object.entries(names).flatMap(([field, name]) => pathViolations(name, field));
}
