/** Finds the connection a request means (docs/contract.md#which-account-a-call-means). */
import { catalogIn, refreshCatalog } from '../catalog/model/environment-catalog.ts';
import { typeOf } from '../authorization-types/index.ts';
import { rulesOf } from '../authorization-types/blocks.ts';
import type { Catalog, Connector, ConnectorAuth } from '../catalog/model/types.ts';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';

/** The values of a connection by which its connector is found. */
interface ConnectorPlace {
  connector: string;
  type: string;
  environmentId: string;
}

interface ConnectorWithAuth {
  connector: Connector;
  auth: ConnectorAuth;
}

export class ConnectionFinder {
  readonly #db: Database;
  readonly #catalog: Catalog;

  constructor(db: Database, catalog: Catalog) {
    this.#db = db;
    this.#catalog = catalog;
  }

  /**
   * The connection with this name.
   *
   * @throws ServiceError CONNECTION_MISSING if the name is a connector without a connection; INVALID_ARGUMENT on
   *   `connector` for any other unknown name
   */
  async byName(environmentId: string, name: string): Promise<Connection> {
    const connection = await new ConnectionStore(this.#db.read).findByName(environmentId, name);
    if (connection !== undefined) {
      await this.#learn(connection);
      return connection;
    }
    const connector = catalogIn(this.#catalog, environmentId).connectors.get(name);
    if (connector !== undefined) throw connectionMissing(connector);
    const known = await new ConnectionStore(this.#db.read).list(environmentId);
    const names = known.map((other) => other.name).join(', ');
    throw invalidField(
      'connector',
      `There is no connection of that name. There are: ${names || 'none'}.`,
      'unknown',
    );
  }

  /**
   * The connections that a tool of this connector uses by default: the one named like the connector, otherwise the only
   * one. Returns all if there are several without that name.
   *
   * @param among names of the connections that may be used; `undefined` allows all
   * @throws ServiceError CONNECTION_MISSING for a connector without a usable connection
   */
  async forConnector(
    environmentId: string,
    connectorName: string,
    among?: readonly string[],
  ): Promise<Connection[]> {
    const all = await new ConnectionStore(this.#db.read).findByConnector(environmentId, connectorName);
    const usable = usualConnections(all, connectorName, among);
    if (usable[0] !== undefined) {
      await this.#learn(usable[0]);
      return usable;
    }
    const connector = catalogIn(this.#catalog, environmentId).connectors.get(connectorName);
    if (connector === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', `There is no connector ${connectorName}.`);
    throw connectionMissing(connector);
  }

  /** As `connectorOf`, also where another process has added the connector a moment ago. */
  async addedConnectorOf(connection: ConnectorPlace): Promise<ConnectorWithAuth> {
    await this.#learn(connection);
    return this.connectorOf(connection);
  }

  /** The catalog connector behind a connection, and its authentication. @throws ServiceError CONNECTION_MISSING */
  connectorOf({ connector: name, type, environmentId }: ConnectorPlace): ConnectorWithAuth {
    const connector = catalogIn(this.#catalog, environmentId).connectors.get(name);
    const auth = connector?.auth.find((candidate) => candidate.type === type);
    if (connector === undefined || auth === undefined) {
      throw new ServiceError(
        'CONNECTION_MISSING',
        `The catalog no longer has ${name} with ${type}. Put its file back or delete the connection.`,
      );
    }
    return { connector, auth };
  }

  /** Reads the catalog once more where it lacks the connector of a connection that is there. */
  async #learn({ connector, environmentId }: Omit<ConnectorPlace, 'type'>): Promise<void> {
    if (!catalogIn(this.#catalog, environmentId).connectors.has(connector))
      await refreshCatalog(this.#catalog);
  }
}

/** The connections of a connector that its tools use by default; see `ConnectionFinder.forConnector`. */
export function usualConnections<C extends { name: string }>(
  all: readonly C[],
  connectorName: string,
  among?: readonly string[],
): C[] {
  const usable = all.filter(({ name }) => among === undefined || among.includes(name));
  const own = usable.find(({ name }) => name === connectorName);
  return own === undefined ? usable : [own];
}

function connectionMissing(connector: Connector): ServiceError {
  const { name, title } = connector;
  const create = `"gatehouse connections create ${name}"`;
  return new ServiceError(
    'CONNECTION_MISSING',
    `No connection to ${title} has been set up. ${setUpAdvice(connector, create)}`,
    { details: { connector: name } },
  );
}

/** Advice for the type that a connection gets by default. @param create the command, in quotes */
function setUpAdvice({ title, auth: [auth], needsNoOperator }: Connector, create: string): string {
  const advice =
    auth === undefined || needsNoOperator
      ? undefined
      : typeOf(auth).setUp?.({ rules: rulesOf(auth) ?? {}, title, create });
  return advice ?? `The operator makes one with ${create} or under connections in gatehouse.yaml.`;
}
