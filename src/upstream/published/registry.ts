/** Connectors of remote MCP servers that operators add and remove while the program runs, in one environment each. */
import type { Clock } from '../../core/clock.ts';
import { allColumns } from '../../connections/connection-columns.ts';
import { deleteAccounts } from '../../connections/connection-rules.ts';
import { invalidArgument, invalidField, notFound, violation, type ServiceError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Connector } from '../../catalog/model/types.ts';
import { ConnectionStore } from '../../store/accounts/connection-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { writeUnique } from '../../store/engine/unique-rows.ts';
import { writeAuditLine, type AuditedBy } from '../../store/records/audit-store.ts';
import { raiseUpstreamVersion } from '../../store/upstreams/upstream-store.ts';
import type { UpstreamCatalog } from './upstream-catalog.ts';

interface RegistryDeps {
  db: Database;
  clock: Clock;
  catalog: UpstreamCatalog;
  /** Reads the content of a connector file. @throws Error that names the mistake */
  connectorOf: (definition: Record<string, unknown>) => Promise<Connector>;
}

const TAKEN = 'An MCP server of that name exists already.';

export class UpstreamRegistry {
  readonly #deps: RegistryDeps;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  /**
   * Adds a connector to the environment of the operator.
   *
   * @param definition as in a connector.yaml with `mcp`
   * @param connection a connection of the same name, made with it
   * @throws ServiceError INVALID_ARGUMENT for a definition with mistakes, or the name of a shipped connector;
   *   ALREADY_EXISTS
   */
  async add(
    by: AuditedBy,
    definition: Record<string, unknown>,
    connection?: { id: string; authorization_type: string },
  ): Promise<Connector> {
    const { db, clock, catalog, connectorOf } = this.#deps;
    const connector = await connectorOf(definition);
    if (connector.mcp === undefined)
      throw invalidArgument([violation('mcp', 'Give the address of an MCP server.', 'required')]);
    if (catalog.connectors.has(connector.name))
      throw invalidArgument([violation('name', `${connector.name} is a connector already.`, 'unique')]);
    const now = clock.now();
    const id = newId('upt', now);
    await writeUnique(db, TAKEN, async (tx) => {
      await rows(tx, 'upstreams').insert({
        id,
        environment_id: by.environmentId,
        name: connector.name,
        definition: JSON.stringify(definition),
        created_at: now,
        updated_at: now,
      });
      await raiseUpstreamVersion(tx, by.environmentId);
      await writeAuditLine(tx, by, { action: 'upstream.create', target: id, now });
      if (connection === undefined) return;
      await new ConnectionStore(tx).insert({
        id: connection.id,
        environment_id: by.environmentId,
        ...allColumns({ ...connection, connector: connector.name }, connector),
        client_secret_sealed: null,
        secret_set_at: null,
        managed_by: 'operator',
        paused_until: null,
        created_at: now,
        updated_at: now,
      });
      await writeAuditLine(tx, by, { action: 'connection.create', target: connection.id, now });
    });
    await catalog.refresh();
    return connector;
  }

  /**
   * The definition of a connector, as it was given.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT if a file declares it
   */
  async definitionOf(environmentId: string, name: string): Promise<Record<string, unknown>> {
    const { db, catalog } = this.#deps;
    const row = await rows(db.read, 'upstreams').findBy(environmentId, { name });
    if (row === undefined || catalog.connectors.has(name)) throw this.#notHere(name);
    return row.definition;
  }

  /**
   * Changes the definition of a connector.
   *
   * @param definition checked, of the same name
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async update(by: AuditedBy, name: string, definition: Record<string, unknown>): Promise<void> {
    const { db, clock, catalog } = this.#deps;
    const { environmentId } = by;
    const now = clock.now();
    await db.transaction(async (tx) => {
      const row = await rows(tx, 'upstreams').findBy(environmentId, { name });
      if (row === undefined) throw this.#notHere(name);
      const change = { definition: JSON.stringify(definition), updated_at: now };
      await rows(tx, 'upstreams').update(environmentId, row.id, change);
      await raiseUpstreamVersion(tx, environmentId);
      await writeAuditLine(tx, by, { action: 'upstream.update', target: row.id, now });
    });
    await catalog.refresh();
  }

  #notHere(name: string): ServiceError {
    return this.#deps.catalog.connectors.get(name)?.mcp === undefined
      ? notFound('upstream')
      : invalidField('name', `A file of the catalog declares ${name}: change it there.`, 'managed_by_file');
  }

  /**
   * Removes a connector with its connections.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT while accounts use it, or if a file declares it
   */
  async remove(by: AuditedBy, name: string): Promise<void> {
    const { db, clock, catalog } = this.#deps;
    const { environmentId } = by;
    await db.transaction(async (tx) => {
      const row = await rows(tx, 'upstreams').findBy(environmentId, { name });
      const isOfFile = catalog.connectors.has(name);
      if (row === undefined) throw this.#notHere(name);
      const now = clock.now();
      const store = new ConnectionStore(tx);
      // If a file has taken over the name, the connections belong to the file.
      for (const { id, name: used } of isOfFile ? [] : await store.findByConnector(environmentId, name)) {
        const accounts = await rows(tx, 'accounts').count(environmentId, { connection_id: id }, 1);
        if (accounts > 0)
          throw invalidField(
            'name',
            `${name} has connected accounts. First ${deleteAccounts(used)}.`,
            'in_use',
          );
        await rows(tx, 'connections').delete(environmentId, id);
        await writeAuditLine(tx, by, { action: 'connection.delete', target: id, now });
      }
      await rows(tx, 'upstreams').delete(environmentId, row.id);
      await raiseUpstreamVersion(tx, environmentId);
      await writeAuditLine(tx, by, { action: 'upstream.delete', target: row.id, now });
    });
    await catalog.refresh();
  }
}
