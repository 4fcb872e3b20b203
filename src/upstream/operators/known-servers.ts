/** Reads the stored data of the remote MCP servers of an environment, for operators. */
import { catalogIn } from '../../catalog/model/environment-catalog.ts';
import type { Catalog, Connector } from '../../catalog/model/types.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import { ConnectionStore } from '../../store/accounts/connection-store.ts';
import type { UpstreamClient, UpstreamServer } from '../../store/upstreams/upstream-server-store.ts';
import type { Readable } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import type { ReadForm } from '../../store/tables/column-types.ts';
import type { UpstreamConnectionTable } from '../../store/tables/upstream-tool-tables.ts';
import { upstreamFormCounts } from '../../store/upstreams/upstream-store.ts';
import { NO_TOOLS, type ToolCounts } from './upstream-view.ts';

/** A server as stored, by one of its connections. */
export interface KnownServer {
  /** Name of the connection; of the connector if there is no connection. */
  name: string;
  connector: Connector;
  connection: Connection | undefined;
  /** Unix milliseconds; null if a file of the catalog declares it. */
  addedAt: number | null;
  spoken: ReadForm<UpstreamConnectionTable> | undefined;
  /**
   * The authorization server of its consents. If there are several, one with a waiting change, otherwise the first.
   */
  server: UpstreamServer | undefined;
  /** The newest client that is registered there and not gone. */
  client: UpstreamClient | undefined;
  tools: ToolCounts;
  accounts: number;
}

/** All servers, by name. */
export async function knownServers(
  db: Readable,
  environmentId: string,
  catalog: Catalog,
): Promise<KnownServer[]> {
  const { connectors } = catalogIn(catalog, environmentId);
  const remote = [...connectors.values()].filter(({ mcp }) => mcp !== undefined);
  if (remote.length === 0) return [];
  const [connections, added, spoken, servers, clients, counts] = await Promise.all([
    new ConnectionStore(db).list(environmentId),
    rows(db, 'upstreams').list(environmentId),
    rows(db, 'upstream_connections').list(environmentId),
    rows(db, 'upstream_servers').list(environmentId, { orderBy: ['created_at', 'id'] }),
    rows(db, 'upstream_clients').list(environmentId, {
      where: { gone_at: null },
      orderBy: ['created_at', 'id'],
      direction: 'desc',
    }),
    upstreamFormCounts(db, environmentId),
  ]);
  const known = remote.flatMap((connector): Omit<KnownServer, 'accounts'>[] => {
    const row = catalog.connectors.has(connector.name)
      ? undefined
      : added.find(({ name }) => name === connector.name);
    const base = { connector, addedAt: row?.created_at ?? null };
    const own = connections.filter((connection) => connection.connector === connector.name);
    if (own.length === 0)
      return [
        {
          ...base,
          name: connector.name,
          connection: undefined,
          spoken: undefined,
          server: undefined,
          client: undefined,
          tools: NO_TOOLS,
        },
      ];
    return own.map((connection) => {
      const ofConnection = servers.filter(({ connection_id: id }) => id === connection.id);
      const server = ofConnection.find(({ held }) => held !== null) ?? ofConnection[0];
      return {
        ...base,
        name: connection.name,
        connection,
        spoken: spoken.find(({ id }) => id === connection.id),
        server,
        client: clients.find(
          ({ server_id: id, issuer }) => id === server?.id && issuer === server.authorization_found?.issuer,
        ),
        tools: countsOf(counts.filter(({ connection_id: id }) => id === connection.id)),
      };
    });
  });
  const accounts = await Promise.all(
    known.map(async ({ connection }) =>
      connection === undefined
        ? 0
        : rows(db, 'accounts').count(environmentId, { connection_id: connection.id }),
    ),
  );
  return known
    .map((each, i) => ({ ...each, accounts: accounts[i] ?? 0 }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function countsOf(counted: Awaited<ReturnType<typeof upstreamFormCounts>>): ToolCounts {
  const counts = { ...NO_TOOLS };
  for (const { state, count, isPublishable } of counted) {
    counts[state] += count;
    if (isPublishable && (state === 'new' || state === 'held')) counts.waiting += count;
  }
  return counts;
}
