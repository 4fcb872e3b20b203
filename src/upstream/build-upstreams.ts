/**
 * Builds the services for remote MCP servers. Their client, and the shapes of connector files, are loaded with the
 * first use.
 */
import type { Connector } from '../catalog/model/types.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { Clock } from '../core/clock.ts';
import { invalidArgument, violation } from '../core/errors.ts';
import { loadOnce } from '../core/load-once.ts';
import type { Log } from '../core/log.ts';
import type { Environments } from '../core/environment.ts';
import type { Reachable } from '../connections/override-rules.ts';
import type { McpClients } from '../credentials/oauth/mcp-clients.ts';
import type { McpServers } from '../credentials/oauth/mcp-servers.ts';
import type { CredentialSource, UsableCredential } from '../credentials/usable-credential.ts';
import type { Opener } from '../outbound/fetch-face.ts';
import type { Account } from '../store/accounts/account.ts';
import type { Database } from '../store/engine/database.ts';
import type { UpstreamClient } from './calls/upstream-client.ts';
import type { ApprovalMode } from './definitions/pins.ts';
import type { UpstreamCatalog } from './published/upstream-catalog.ts';
import type { ListedServer } from './operators/listed-servers.ts';
import { UpstreamOperators } from './operators/upstream-operators.ts';
import { UpstreamRegistry } from './published/registry.ts';
import { Upstreams } from './upstreams.ts';

/**
 * @param base.approvalOf approval mode of connectors that do not state one
 * @param base.listed servers that public lists name
 */
export function buildUpstreams(base: {
  db: Database;
  clock: Clock;
  log: Log;
  catalog: UpstreamCatalog;
  connectionFinder: ConnectionFinder;
  credentials: Pick<CredentialSource, 'fresh' | 'afterRefusal'>;
  mcpServers: Pick<McpServers, 'forget' | 'probe' | 'pin' | 'accept' | 'reregister'>;
  mcpClients: Pick<McpClients, 'wayAt'>;
  environments: Environments;
  isReachable: Reachable;
  outbound: Opener;
  urlOf: (connector: Connector, credential: UsableCredential) => URL;
  approvalOf: (environmentId: string) => ApprovalMode;
  listed: () => Promise<readonly ListedServer[]>;
}): Upstreams {
  const { db, clock, log, outbound, connectionFinder: connections } = base;
  const refused = async ({ environmentId, connection }: Account): Promise<void> =>
    base.mcpServers.forget({ environmentId, id: connection.id });
  const changed = (account: Account): void =>
    void lists().then(async (loaded) => loaded.refreshSoon(account));
  let opened: UpstreamClient | undefined;
  const client = loadOnce(async () => {
    const { UpstreamClient } = await import('./calls/upstream-client.ts');
    return (opened = new UpstreamClient({ db, clock, log, outbound, changed }));
  });
  const lists = loadOnce(async () => {
    const { ToolLists } = await import('./lists/tool-lists.ts');
    return new ToolLists({ ...base, connections, refused, client: await client() });
  });
  const registry = new UpstreamRegistry({ ...base, connectorOf: givenConnector });
  const sparedUntil = (origin: string): number | undefined => opened?.sparedUntil(origin);
  return new Upstreams({
    ...base,
    client,
    lists,
    refused,
    registry,
    operators: new UpstreamOperators({
      ...base,
      lists,
      registry,
      sparedUntil,
      connectorOf: givenConnector,
      askServer: async (url, era) =>
        (await import('./operators/server-probe.ts')).askServer(outbound, url, era),
    }),
    use: () => opened?.use ?? { sessions: 0, sparedServers: 0 },
    now: () => clock.now(),
    close: async () => opened?.close(),
  });
}

/** A connector that was stored while the program ran. @throws ZodError if its shape is no longer known */
export async function storedConnector(definition: Record<string, unknown>): Promise<Connector> {
  const { schema, toConnector } = await connectorFiles();
  return toConnector(schema.parse(definition));
}

/**
 * A connector as an operator gives it.
 *
 * @param definition as in a connector.yaml
 * @throws ServiceError INVALID_ARGUMENT with every mistake
 */
export async function givenConnector(definition: Record<string, unknown>): Promise<Connector> {
  const { schema, toConnector, faultsOf, shapeFaults } = await connectorFiles();
  const read = schema.safeParse(definition, { reportInput: true });
  const faults = read.success ? faultsOf(read.data) : shapeFaults(read.error);
  if (faults.length > 0 || !read.success)
    throw invalidArgument(
      faults.map(({ path, message }) =>
        violation(path.map(String).join('.'), `It ${message}.`, 'definition'),
      ),
    );
  return toConnector(read.data);
}

async function connectorFiles() {
  const [{ connectorSchema }, { toConnector }, { connectorFaults }, { shapeFaults }] = await Promise.all([
    import('../catalog/grammar/connector-schema.ts'),
    import('../catalog/load/assemble.ts'),
    import('../catalog/check/connector-check.ts'),
    import('../catalog/check/shape-faults.ts'),
  ]);
  return { schema: connectorSchema, toConnector, faultsOf: connectorFaults, shapeFaults };
}
