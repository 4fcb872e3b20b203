/** Connections: the settings with which an environment uses a connector (docs/contract.md#what-the-file-declares). */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import type { SelectionNames } from '../catalog/model/tool-selection.ts';
import type { Catalog } from '../catalog/model/types.ts';
import type { Caller } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidArgument, invalidField, notFound, type FieldViolation } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { MAX_TOTAL } from '../core/newest-first.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import { writeUnique } from '../store/engine/unique-rows.ts';
import { raiseUpstreamVersion } from '../store/upstreams/upstream-store.ts';
import type { Vault } from '../vault/vault.ts';
import { allColumns, givenColumns, secretColumns } from './connection-columns.ts';
import {
  changeViolations,
  connectionViolations,
  requireValidConnection,
  deleteAccounts,
  isKept,
  type ConnectionRules,
} from './connection-rules.ts';
import {
  toConnectionView,
  type ConnectionInput,
  type ConnectionPatch,
  type ConnectionView,
} from './connection-views.ts';
import { synchronizeConnections } from './declared-connections.ts';
import type { Reachable } from './override-rules.ts';
import { givenSecret } from './secret-params.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { ConnectionTable } from '../store/tables/tables.ts';

const TAKEN =
  'There is a connection with this name or id already. Choose another, or change the existing one.';

/** The use of a connection, in addition to what callers see of it. */
export interface ConnectionUsage {
  /** Whether a client secret, or what takes its place, is stored. */
  hasSecret: boolean;
  /** When anything of the connection changed last. */
  updatedAt: string;
  /** Connected accounts, counted up to a limit. */
  accounts: number;
  /** There are more accounts than were counted. */
  isAtLeast: boolean;
}

interface ConnectionsDeps {
  db: Database;
  vault: Vault;
  catalog: Catalog;
  /** Tools that the settings name. */
  selection?: SelectionNames | undefined;
  clock: Clock;
  environments: Environments;
  isReachable: Reachable;
}

export class Connections {
  readonly #deps: ConnectionsDeps;

  /** @param deps.isReachable checks an address against the settings for outbound calls */
  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  async list(environmentId: string): Promise<ConnectionView[]> {
    const connections = await new ConnectionStore(this.#deps.db.read).list(environmentId);
    return connections.map((connection) => this.#view(connection));
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(environmentId: string, idOrName: string): Promise<ConnectionView> {
    return this.#view(await this.#named(environmentId, idOrName));
  }

  /**
   * The number of accounts of a connection, and whether it has its secret. @throws ServiceError RESOURCE_NOT_FOUND
   */
  async usage(environmentId: string, idOrName: string): Promise<ConnectionUsage> {
    const { id, clientSecretSealed, updatedAt } = await this.#named(environmentId, idOrName);
    const { read } = this.#deps.db;
    const accounts = await rows(read, 'accounts').count(environmentId, { connection_id: id }, MAX_TOTAL + 1);
    return {
      hasSecret: clientSecretSealed !== null,
      updatedAt: toTimestamp(updatedAt),
      accounts: Math.min(accounts, MAX_TOTAL),
      isAtLeast: accounts > MAX_TOTAL,
    };
  }

  /** Everything wrong with what is said about a connection of a connector, without a look at stored ones. */
  violations(environmentId: string, input: ConnectionPatch, connector: string): FieldViolation[] {
    return connectionViolations(this.#rules(environmentId), input, connector);
  }

  /** @throws ServiceError INVALID_ARGUMENT with all violations; ALREADY_EXISTS for a taken name or id */
  async create(caller: Caller, input: ConnectionInput): Promise<ConnectionView> {
    const connector = requireValidConnection(this.#rules(caller.environmentId), input, input.connector);
    const now = this.#deps.clock.now();
    const id = input.id ?? newId('conn', now);
    const row: StoredForm<ConnectionTable> = {
      id,
      environment_id: caller.environmentId,
      ...allColumns(input, connector),
      ...(await secretColumns(this.#deps.vault, id, givenSecret(input), now)),
      managed_by: 'operator',
      paused_until: null,
      created_at: now,
      updated_at: now,
    };
    const created = await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      const connection = await new ConnectionStore(tx).insert(row);
      await writeAuditLine(tx, caller, { action: 'connection.create', target: id, now });
      return connection;
    });
    return this.#view(created);
  }

  /**
   * Changes only what is given; null removes a value. A connection declared in gatehouse.yaml is changed there.
   *
   * @throws ServiceError INVALID_ARGUMENT with all violations; RESOURCE_NOT_FOUND; ALREADY_EXISTS for a taken name
   */
  async update(caller: Caller, idOrName: string, patch: ConnectionPatch): Promise<ConnectionView> {
    const { id, environmentId, connector } = await this.#named(caller.environmentId, idOrName);
    requireValidConnection(this.#rules(environmentId), patch, patch.connector ?? connector);
    const secret = givenSecret(patch);
    const { vault, clock } = this.#deps;
    const given = {
      ...givenColumns(patch),
      ...(secret !== undefined && (await secretColumns(vault, id, secret, clock.now()))),
    };
    const changed = await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      const store = new ConnectionStore(tx);
      const connection = requireFound(await store.findById(environmentId, id));
      requireNotFileManaged(connection);
      const isInUse = (await rows(tx, 'accounts').count(environmentId, { connection_id: id }, 1)) > 0;
      const violations = [
        ...changeViolations({ connection, isInUse }, patch),
        ...this.#keyViolations(connection, patch),
      ];
      if (violations.length > 0) throw invalidArgument(violations);
      if (Object.keys(given).length === 0) return connection;
      const now = clock.now();
      const change = { ...given, managed_by: 'operator', updated_at: now } as const;
      await rows(tx, 'connections').update(environmentId, id, change);
      await writeAuditLine(tx, caller, { action: 'connection.update', target: id, now });
      return requireFound(await store.findById(environmentId, id));
    });
    return this.#view(changed);
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT if accounts use it, or its connector always has it */
  async remove(caller: Caller, idOrName: string): Promise<void> {
    const found = await this.#named(caller.environmentId, idOrName);
    await this.#deps.db.transaction(async (tx) => {
      const store = new ConnectionStore(tx);
      const connection = requireFound(await store.findById(found.environmentId, found.id));
      requireNotFileManaged(connection);
      if (isKept(this.#deps.catalog, connection)) {
        throw invalidField(
          'id',
          `${connection.connector} needs nothing from the operator and always has the connection ${connection.name}. It cannot be deleted.`,
          'fixed',
        );
      }
      const accounts = await rows(tx, 'accounts').count(
        connection.environmentId,
        { connection_id: connection.id },
        MAX_TOTAL + 1,
      );
      if (accounts > 0) {
        throw invalidField(
          'id',
          `${accounts > MAX_TOTAL ? `More than ${MAX_TOTAL}` : accounts} connected ${accounts === 1 ? 'account uses' : 'accounts use'} this connection. First ${deleteAccounts(connection.name)}.`,
          'in_use',
        );
      }
      await rows(tx, 'connections').delete(connection.environmentId, connection.id);
      // The tools of a remote MCP server are no longer published.
      await raiseUpstreamVersion(tx, connection.environmentId);
      await writeAuditLine(tx, caller, {
        action: 'connection.delete',
        target: connection.id,
        now: this.#deps.clock.now(),
      });
    });
  }

  /**
   * Makes the environment's connections match gatehouse.yaml, and adds those that need no declaration. A connection no
   * longer declared stays, for the operator to change or delete.
   *
   * @throws ServiceError INVALID_ARGUMENT with every violation of every entry (`connections[0].connector`);
   *   ALREADY_EXISTS for an id that another environment uses. Nothing is written then.
   * @param catalog the new catalog, if it is about to be replaced
   */
  async synchronize(
    environmentId: string,
    declared: readonly ConnectionInput[],
    catalog: Catalog = this.#deps.catalog,
  ): Promise<void> {
    await synchronizeConnections(
      {
        db: this.#deps.db,
        vault: this.#deps.vault,
        clock: this.#deps.clock,
        ...this.#rules(environmentId),
        catalog,
      },
      environmentId,
      declared,
    );
  }

  async #named(environmentId: string, idOrName: string): Promise<Connection> {
    const store = new ConnectionStore(this.#deps.db.read);
    return requireFound(
      (await store.findById(environmentId, idOrName)) ?? (await store.findByName(environmentId, idOrName)),
    );
  }

  /** Others refer to a connection by its id and name. */
  #keyViolations(connection: Connection, patch: ConnectionPatch): FieldViolation[] {
    const out: FieldViolation[] = [];
    if (patch.id !== undefined && patch.id !== connection.id) {
      out.push({ field: 'id', description: 'The id of a connection cannot change.', constraint: 'fixed' });
    }
    if (
      patch.name !== undefined &&
      patch.name !== connection.name &&
      isKept(this.#deps.catalog, connection)
    ) {
      out.push({
        field: 'name',
        description: `${connection.connector} always has a connection of its own name. Create another one with a different name instead.`,
        constraint: 'fixed',
      });
    }
    return out;
  }

  #view(connection: Connection): ConnectionView {
    const { baseUrl } = this.#deps.environments.get(connection.environmentId);
    return toConnectionView(connection, {
      ...this.#rules(connection.environmentId),
      selection: this.#deps.selection,
      baseUrl,
    });
  }

  #rules(environmentId: string): ConnectionRules {
    return { catalog: catalogIn(this.#deps.catalog, environmentId), isReachable: this.#deps.isReachable };
  }
}

function requireFound(connection: Connection | undefined): Connection {
  if (connection === undefined) throw notFound('connection');
  return connection;
}

function requireNotFileManaged(connection: Connection): void {
  if (connection.managedBy !== 'file') return;
  throw invalidField(
    'id',
    `The connection ${connection.name} is declared in gatehouse.yaml. Change it there.`,
    'managed_by_file',
  );
}
