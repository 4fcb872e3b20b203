/** Rules for connections: known connector, accepted authorization type, well-formed names and addresses. Pure. */
import { rulesOf } from '../authorization-types/blocks.ts';
import type { Catalog, Connector } from '../catalog/model/types.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { ConnectionPatch } from './connection-views.ts';
import { callParamViolations } from './call-settings.ts';
import { overrideViolations, type Reachable } from './override-rules.ts';
import { completeValue } from './placeholders.ts';
import { secretParamViolations, unfitSecretViolations } from './secret-params.ts';
import { CONNECTION_NAME, MAX_LENGTH, SCOPE_TOKEN } from '../core/text-rules.ts';
import { webUrlProblem } from './web-url.ts';

const ID = /^conn_[A-Za-z0-9_-]{1,60}$/;

/** Characters of client ids and secrets (RFC 6749 appendix A); a space at either end is a copying mistake. */
const CLIENT_TEXT = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const MAX_CLIENT_TEXT = 4_096;

const MAX_SCOPES = 500;

/** The context in which a connection is checked. */
export interface ConnectionRules {
  catalog: Catalog;
  isReachable: Reachable;
}

/**
 * Checks everything a request says about a connection, and returns the connector it uses.
 *
 * @throws ServiceError INVALID_ARGUMENT with all violations
 */
export function requireValidConnection(
  rules: ConnectionRules,
  input: ConnectionPatch,
  connectorName: string,
): Connector {
  const connector = rules.catalog.connectors.get(connectorName);
  const out = connectionViolations(rules, input, connectorName);
  if (out.length > 0 || connector === undefined) throw invalidArgument(out);
  return connector;
}

/** All violations in what a request or gatehouse.yaml says about a connection. Never repeats a secret. */
export function connectionViolations(
  { catalog, isReachable }: ConnectionRules,
  input: ConnectionPatch,
  connectorName: string,
): FieldViolation[] {
  const connector = catalog.connectors.get(connectorName);
  return [
    ...(connector === undefined
      ? [unknownConnector(catalog, connectorName)]
      : [
          ...typeViolations(connector, input),
          ...placeholderViolations(connector, input.params ?? {}),
          ...unfitSecretViolations(connector, input),
        ]),
    ...nameViolations(input),
    ...clientViolations(input),
    ...secretParamViolations(input),
    ...scopeViolations(connector, input.scopes ?? []),
    ...callParamViolations(input.params ?? {}),
    ...overrideViolations(input.overrides ?? {}, isReachable),
    ...redirectViolations(input.post_user_verify_redirect_url),
  ];
}

function unknownConnector(catalog: Catalog, name: string): FieldViolation {
  const known = [...catalog.connectors.keys()].join(', ');
  return {
    field: 'connector',
    description: `The catalog has no connector ${name}. It has: ${known}.`,
    constraint: 'enum',
  };
}

function typeViolations(
  connector: Connector,
  { authorization_type: type }: ConnectionPatch,
): FieldViolation[] {
  if (type === undefined || connector.auth.some((auth) => auth.type === type)) return [];
  const accepted = connector.auth.map((auth) => auth.type).join(', ');
  return [
    {
      field: 'authorization_type',
      description: `${connector.name} accepts ${accepted}.`,
      constraint: 'enum',
    },
  ];
}

/** Params may fill placeholders of addresses: a value that no call could use is refused here, not at each call. */
function placeholderViolations(
  connector: Connector,
  params: Readonly<Record<string, unknown>>,
): FieldViolation[] {
  const patterns = new Map([
    ...connector.hosts.flatMap(({ placeholders }) => Object.entries(placeholders)),
    ...connector.auth.flatMap((auth) => Object.entries(rulesOf(auth)?.placeholders ?? {})),
  ]);
  return [...patterns].flatMap(([name, pattern]) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined) return [];
    if (completeValue(value, pattern, connector.settings?.[name]) !== undefined) return [];
    return [
      {
        field: `params.${name}`,
        description: `${connector.title} needs it in the form ${pattern}.`,
        constraint: 'pattern',
      },
    ];
  });
}

function nameViolations({ name, id }: ConnectionPatch): FieldViolation[] {
  const out: FieldViolation[] = [];
  if (name !== undefined && (name.length > MAX_LENGTH.connector || !CONNECTION_NAME.test(name))) {
    out.push({
      field: 'name',
      description: 'A name has 1 to 400 letters, digits, spaces, hyphens, underscores and colons.',
      constraint: 'pattern',
    });
  }
  if (id !== undefined && !ID.test(id)) {
    out.push({
      field: 'id',
      description: 'An id begins with conn_ and has letters, digits, _ and -.',
      constraint: 'pattern',
    });
  }
  return out;
}

function clientViolations(input: ConnectionPatch): FieldViolation[] {
  return (['client_id', 'client_secret'] as const).flatMap((field) => {
    const value = input[field];
    if (value === undefined || value === null) return [];
    if (value.length <= MAX_CLIENT_TEXT && CLIENT_TEXT.test(value)) return [];
    return [
      {
        field,
        description: `Must be 1 to ${MAX_CLIENT_TEXT} printable ASCII characters, with no space at either end.`,
        constraint: 'characters',
      },
    ];
  });
}

/** Only the form is a rule: a scope that the connector does not know is a warning (connection-warnings.ts). */
function scopeViolations(connector: Connector | undefined, scopes: readonly string[]): FieldViolation[] {
  if (scopes.length > MAX_SCOPES)
    return [
      { field: 'scopes', description: `Must have at most ${MAX_SCOPES} items.`, constraint: 'max_items' },
    ];
  const isSeparatedByCommas =
    connector?.auth.some((auth) => auth.type === 'OAUTH' && auth.oauth.scope_separator === ',') ?? false;
  return scopes.flatMap((scope, index) =>
    SCOPE_TOKEN.test(scope) && !(isSeparatedByCommas && scope.includes(','))
      ? []
      : [
          {
            field: `scopes.${index}`,
            description: `Must be one scope: 1 to 256 printable ASCII characters without spaces, quotes${isSeparatedByCommas ? ', commas' : ''} and backslashes.`,
            constraint: 'pattern',
          },
        ],
  );
}

function redirectViolations(url: string | null | undefined): FieldViolation[] {
  const problem = url === undefined || url === null ? undefined : webUrlProblem(url);
  return problem === undefined
    ? []
    : [{ field: 'post_user_verify_redirect_url', description: problem, constraint: 'format' }];
}

/** A stored connection, and whether it has accounts. */
export interface StoredConnection {
  connection: Connection;
  isInUse: boolean;
}

/** All violations of a change that does not fit the stored connection. */
export function changeViolations(
  { connection, isInUse }: StoredConnection,
  change: { connector?: string | undefined; authorization_type?: string | undefined },
): FieldViolation[] {
  const out: FieldViolation[] = [];
  const { connector, authorization_type: type } = change;
  if (connector !== undefined && connector !== connection.connector) {
    out.push({
      field: 'connector',
      description: `The connection ${connection.name} uses ${connection.connector}; make a new one with another name instead.`,
      constraint: 'fixed',
    });
  } else if (type !== undefined && type !== connection.type && isInUse) {
    out.push({
      field: 'authorization_type',
      description: `Accounts use the connection ${connection.name}: its type stays ${connection.type}.`,
      constraint: 'in_use',
    });
  }
  return out;
}

/** Says why an existing connection cannot get the id that gatehouse.yaml declares, and what to do instead. */
export function otherIdRefused(catalog: Catalog, { connection, isInUse }: StoredConnection): string {
  const { id, name, managedBy: by } = connection;
  const fact = `The connection ${name} exists with the id ${id}, which its redirect URI and accounts depend on. Declare that id.`;
  const isKeptOne = isKept(catalog, connection);
  if (isKeptOne && by !== 'catalog') return fact;
  const steps = [
    'take this entry out of gatehouse.yaml',
    ...(isInUse ? [deleteAccounts(name)] : []),
    ...(isKeptOne ? [] : [`run "gatehouse connections delete ${id}"`]),
    'put the entry back',
  ];
  return `${fact} Or create it again: ${steps.join('; ')}.`;
}

/** Advice for a change that the accounts of a connection prevent. */
export function deleteAccounts(connection: string): string {
  const word = connection.includes(' ') ? `'${connection}'` : connection;
  return `delete its accounts: "gatehouse accounts list --connector ${word}" lists them, "gatehouse accounts delete <id>" deletes one`;
}

/**
 * Whether this is the connection that its connector always has: a connector that needs nothing from the
 * operator keeps one of its own name (docs/contract.md#which-account-a-call-means).
 */
export function isKept(catalog: Catalog, connection: Pick<Connection, 'name' | 'connector'>): boolean {
  return (
    connection.name === connection.connector &&
    catalog.connectors.get(connection.connector)?.needsNoOperator === true
  );
}
