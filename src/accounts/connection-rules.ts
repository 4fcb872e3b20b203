/** What a connection may be: known connector, accepted authorization type, well-formed names and addresses. Pure. */
import type { Catalog, Connector } from '../catalog/types.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';
import type { ConnectionRow } from '../store/connection-store.ts';
import type { ConnectionInput } from './connection-views.ts';
import { CONNECTION_NAME, MAX_LENGTH } from './text-rules.ts';
import { webUrlProblem } from './web-url.ts';

const ID = /^conn_[A-Za-z0-9_-]{1,60}$/;
const OVERRIDES = ['base_url', 'authorization_url', 'token_url', 'issuer', 'revocation_url'];

/**
 * Checks everything a request says about a connection, and returns the connector it uses.
 *
 * @throws ServiceError INVALID_ARGUMENT with all violations
 */
export function checkConnection(
  catalog: Catalog,
  input: Partial<ConnectionInput>,
  connectorName: string,
): Connector {
  const connector = catalog.connectors.get(connectorName);
  const out = connectionViolations(catalog, input, connectorName);
  if (out.length > 0 || connector === undefined) throw invalidArgument(out);
  return connector;
}

/** Everything wrong with what a request or gatehouse.yaml says about a connection. */
export function connectionViolations(
  catalog: Catalog,
  input: Partial<ConnectionInput>,
  connectorName: string,
): FieldViolation[] {
  const out: FieldViolation[] = [];
  const connector = catalog.connectors.get(connectorName);
  if (connector === undefined) {
    const known = [...catalog.connectors.keys()].join(', ');
    out.push({
      field: 'connector',
      description: `The catalog has no connector ${connectorName}. It has: ${known}.`,
      constraint: 'enum',
    });
  }
  const name = input.name;
  if (name !== undefined && (name.length > MAX_LENGTH.connector || !CONNECTION_NAME.test(name))) {
    out.push({
      field: 'name',
      description: 'A name has 1 to 400 letters, digits, spaces, hyphens, underscores and colons.',
      constraint: 'pattern',
    });
  }
  if (input.id !== undefined && !ID.test(input.id)) {
    out.push({
      field: 'id',
      description: 'An id begins with conn_ and has letters, digits, _ and -.',
      constraint: 'pattern',
    });
  }
  const type = input.authorization_type;
  if (connector !== undefined && type !== undefined && !connector.auth.some((auth) => auth.type === type)) {
    const accepted = connector.auth.map((auth) => auth.type).join(', ');
    out.push({
      field: 'authorization_type',
      description: `${connector.name} accepts ${accepted}.`,
      constraint: 'enum',
    });
  }
  for (const [key, value] of Object.entries(input.overrides ?? {})) {
    const field = `overrides.${key}`;
    if (!OVERRIDES.includes(key))
      out.push({ field, description: `Unknown. Known: ${OVERRIDES.join(', ')}.`, constraint: 'unknown' });
    else if (webUrlProblem(value, { httpOk: true }) !== undefined)
      out.push({ field, description: 'Must be an http(s) URL.', constraint: 'format' });
  }
  const redirect = input.post_user_verify_redirect_url;
  const problem = redirect === undefined ? undefined : webUrlProblem(redirect);
  if (problem !== undefined)
    out.push({ field: 'post_user_verify_redirect_url', description: problem, constraint: 'format' });
  return out;
}

/** A connection that is there, and whether it has accounts. */
export interface StoredConnection {
  row: ConnectionRow;
  isInUse: boolean;
}

/** Everything about a change that does not fit the connection as it is. */
export function changeViolations(
  { row, isInUse }: StoredConnection,
  change: { connector?: string | undefined; authorization_type?: string | undefined },
): FieldViolation[] {
  const out: FieldViolation[] = [];
  const { connector, authorization_type: type } = change;
  if (connector !== undefined && connector !== row.connector) {
    out.push({
      field: 'connector',
      description: `The connection ${row.name} uses ${row.connector}; make a new one with another name instead.`,
      constraint: 'fixed',
    });
  } else if (type !== undefined && type !== row.authorization_type && isInUse) {
    out.push({
      field: 'authorization_type',
      description: `Accounts use the connection ${row.name}: its type stays ${row.authorization_type}.`,
      constraint: 'in_use',
    });
  }
  return out;
}

/**
 * Whether this is the connection that its connector always has: a connector that needs nothing from the
 * operator keeps one of its own name (contract section 5, "Which account a call means").
 */
export function isKept(catalog: Catalog, row: Pick<ConnectionRow, 'name' | 'connector'>): boolean {
  return row.name === row.connector && catalog.connectors.get(row.connector)?.needsNoOperator === true;
}
