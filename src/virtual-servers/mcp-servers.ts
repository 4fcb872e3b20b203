/**
 * Virtual MCP servers: named selections of connections, toolsets and tools, each with an address of its own
 * (docs/mcp-servers.md). The folder mcp publishes the result of `serving`; server-tokens.ts makes tokens for one user.
 *
 * A name is an address and never changes: a token for it must never become valid for another server.
 */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import type { Catalog } from '../catalog/model/types.ts';
import { boundOrganizationOf, type Caller } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidArgument, notFound } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { virtualServerNamed } from '../store/policy/mcp-server-store.ts';
import { rows } from '../store/engine/rows.ts';
import { writeUnique } from '../store/engine/unique-rows.ts';
import { serverNameViolations, selectionViolations, type ServerInput } from './server-rules.ts';
import { asRead } from '../store/engine/row-reader.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { McpServerTable, VirtualServer } from '../store/tables/policy-tables.ts';

/** A virtual server as the API shows it. */
export interface McpServerView {
  id: string;
  name: string;
  /** '' for the whole environment. */
  organization_id: string;
  connections: string[];
  toolsets: string[];
  tools: string[];
  read_only: boolean;
  mcp_url: string;
  created_at: string;
  updated_at: string;
}

/** A virtual server in the form that its address serves. */
export interface ServedSelection extends ServerInput {
  /** `mcp_…` */
  id: string;
  /** Catalog connectors of those connections that exist. */
  connectors: readonly string[];
}

const TAKEN = 'There is an MCP server with this name already. Choose another, or change the existing one.';

interface McpServersDeps {
  db: Database;
  catalog: Catalog;
  clock: Clock;
  environments: Environments;
}

export class McpServers {
  readonly #deps: McpServersDeps;

  constructor(deps: McpServersDeps) {
    this.#deps = deps;
  }

  /** All servers by name; a caller bound to an organization sees only those of its organization. */
  async list(caller: Caller): Promise<McpServerView[]> {
    const servers = await rows(this.#deps.db.read, 'mcp_servers').list(caller.environmentId, {
      where: { organization_id: boundOrganizationOf(caller) },
      orderBy: ['name'],
    });
    return servers.map((row) => this.#view(row));
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(caller: Caller, idOrName: string): Promise<McpServerView> {
    return this.#view(await this.row(caller, idOrName));
  }

  /** @throws ServiceError INVALID_ARGUMENT with all violations; ALREADY_EXISTS for a taken name */
  async create(caller: Caller, input: ServerInput & { name: string }): Promise<McpServerView> {
    const { environmentId } = caller;
    const violations = [
      ...serverNameViolations(input.name),
      ...(await this.#violations(environmentId, input)),
    ];
    if (violations.length > 0) throw invalidArgument(violations);
    const now = this.#deps.clock.now();
    const row: StoredForm<McpServerTable> = {
      id: newId('mcp', now),
      environment_id: environmentId,
      name: input.name,
      organization_id: boundOrganizationOf(caller) ?? '',
      ...columns(input),
      created_at: now,
      updated_at: now,
    };
    await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      await rows(tx, 'mcp_servers').insert(row);
      await writeAuditLine(tx, caller, { action: 'mcp_server.create', target: row.id, now });
    });
    return this.#view(asRead('mcp_servers', row));
  }

  /** Changes the given members. @throws ServiceError INVALID_ARGUMENT with all violations; RESOURCE_NOT_FOUND */
  async update(caller: Caller, idOrName: string, patch: Partial<ServerInput>): Promise<McpServerView> {
    const found = await this.row(caller, idOrName);
    const violations = await this.#violations(found.environment_id, { ...inputOf(found), ...patch });
    if (violations.length > 0) throw invalidArgument(violations);
    const changed = await this.#deps.db.transaction(async (tx) => {
      const store = rows(tx, 'mcp_servers');
      const row = await store.find(found.environment_id, found.id);
      if (row === undefined) throw notFound('MCP server');
      const now = this.#deps.clock.now();
      const change = { ...columns({ ...inputOf(row), ...patch }), updated_at: now };
      await store.update(row.environment_id, row.id, change);
      await writeAuditLine(tx, caller, { action: 'mcp_server.update', target: row.id, now });
      return { ...row, ...asRead('mcp_servers', change) };
    });
    return this.#view(changed);
  }

  /** Deletes the server and ends every session with tokens for it. @throws ServiceError RESOURCE_NOT_FOUND */
  async remove(caller: Caller, idOrName: string): Promise<void> {
    const { environment_id, id, name } = await this.row(caller, idOrName);
    await this.#deps.db.transaction(async (tx) => {
      if (!(await rows(tx, 'mcp_servers').delete(environment_id, id))) throw notFound('MCP server');
      const now = this.#deps.clock.now();
      await new SessionStore(tx).endOfServer(environment_id, name, now);
      await writeAuditLine(tx, caller, { action: 'mcp_server.delete', target: id, now });
    });
  }

  /**
   * The selection that `/mcp/<name>` publishes to a caller.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND, also for a server of another organization
   */
  async serving(caller: Caller, name: string): Promise<ServedSelection> {
    const { environmentId } = caller;
    const row = await virtualServerNamed(this.#deps.db.read, environmentId, name);
    if (row === undefined) throw notFound('MCP server');
    const organization =
      caller.kind === 'person' ? caller.person.organizationId : boundOrganizationOf(caller);
    const isForeign = organization !== undefined && row.organization_id !== organization;
    if (row.organization_id !== '' && isForeign) throw notFound('MCP server');
    const input = inputOf(row);
    const byName = await this.#connectors(environmentId);
    const connectors = input.connections.flatMap((connection) => byName.get(connection) ?? []);
    return { id: row.id, ...input, connectors: [...new Set(connectors)] };
  }

  /** The row with an id or a name. @throws ServiceError RESOURCE_NOT_FOUND */
  async row(caller: Caller, idOrName: string): Promise<VirtualServer> {
    const { environmentId } = caller;
    const bound = boundOrganizationOf(caller);
    const { read } = this.#deps.db;
    const row =
      (await rows(read, 'mcp_servers').find(environmentId, idOrName)) ??
      (await virtualServerNamed(read, environmentId, idOrName));
    if (row === undefined || (bound !== undefined && row.organization_id !== bound))
      throw notFound('MCP server');
    return row;
  }

  /** Address of a server, which is also the audience of its tokens. */
  urlOf(row: Pick<VirtualServer, 'environment_id' | 'name'>): string {
    return `${this.#deps.environments.get(row.environment_id).baseUrl}/mcp/${row.name}`;
  }

  async #violations(environmentId: string, input: ServerInput) {
    const connections = await this.#connectors(environmentId);
    const { tools } = catalogIn(this.#deps.catalog, environmentId);
    return selectionViolations(input, { connections, tools: [...tools.values()] });
  }

  /** Connection name -> catalog connector. */
  async #connectors(environmentId: string): Promise<Map<string, string>> {
    const connections = await new ConnectionStore(this.#deps.db.read).list(environmentId);
    return new Map(connections.map(({ name, connector }) => [name, connector]));
  }

  #view(row: VirtualServer): McpServerView {
    const { connections, toolsets, tools, readOnly } = inputOf(row);
    return {
      id: row.id,
      name: row.name,
      organization_id: row.organization_id,
      connections: [...connections],
      toolsets: [...toolsets],
      tools: [...tools],
      read_only: readOnly,
      mcp_url: this.urlOf(row),
      created_at: toTimestamp(row.created_at),
      updated_at: toTimestamp(row.updated_at),
    };
  }
}

function inputOf({ connections, toolsets, tools, read_only: readOnly }: VirtualServer): ServerInput {
  return { connections, toolsets, tools, readOnly };
}

type SelectionColumns = Pick<StoredForm<McpServerTable>, 'connections' | 'toolsets' | 'tools' | 'read_only'>;

function columns({ connections, toolsets, tools, readOnly }: ServerInput): SelectionColumns {
  const list = (names: readonly string[]) => JSON.stringify([...new Set(names)]);
  return {
    connections: list(connections),
    toolsets: list(toolsets),
    tools: list(tools),
    read_only: readOnly ? 1 : 0,
  };
}
