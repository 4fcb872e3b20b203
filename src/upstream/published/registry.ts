/** Connectors of remote MCP servers that operators add and remove while the program runs, in one environment each. */
import type { Clock } from '../../core/clock.ts';
import { invalidArgument, notFound, ServiceError, violation } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Connector } from '../../catalog/model/types.ts';
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
  /** Reads the content of a connector file. @throws Error naming what is wrong with it */
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
   * @throws ServiceError INVALID_ARGUMENT for a definition with mistakes, or the name of a shipped connector;
   *   ALREADY_EXISTS
   */
  async add(by: AuditedBy, definition: Record<string, unknown>): Promise<Connector> {
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
    });
    await catalog.refresh();
    return connector;
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT while connections use it */
  async remove(by: AuditedBy, name: string): Promise<void> {
    const { db, clock, catalog } = this.#deps;
    const { environmentId } = by;
    await db.transaction(async (tx) => {
      const row = await rows(tx, 'upstreams').findBy(environmentId, { name });
      if (row === undefined) throw notFound('MCP server');
      const uses = await rows(tx, 'connections').count(environmentId, { connector: name }, 1);
      if (uses > 0) throw new ServiceError('INVALID_ARGUMENT', `${name} has connections. Delete them first.`);
      await rows(tx, 'upstreams').delete(environmentId, row.id);
      await raiseUpstreamVersion(tx, environmentId);
      await writeAuditLine(tx, by, { action: 'upstream.delete', target: row.id, now: clock.now() });
    });
    await catalog.refresh();
  }
}
