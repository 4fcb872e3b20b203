/** A remote MCP server with consents, Tracker, on a dashboard. */
import { catalogIn } from '../../../src/catalog/model/environment-catalog.ts';
import { mcpRulesOf } from '../../../src/upstream/operators/server-look.ts';
import type { McpProvider } from '../../support/mcp-provider.ts';
import type { Site } from '../dashboard-site.ts';

/** Adds it as an operator does. */
export async function addTracker({ services, local }: Site, { url }: McpProvider): Promise<void> {
  const { operators } = services.upstreams;
  const seen = await operators.add(local, { name: 'tracker', url });
  await operators.add(local, { name: 'tracker', url, confirm: true, seen });
}

/** Its documents name another authorization server, and the next consent finds that. @returns the new issuer */
export async function moveAuthorizer(
  { services, environment }: Site,
  provider: McpProvider,
): Promise<string> {
  const issuer = `${provider.authorizer.origin}/moved`;
  provider.metadata['issuer'] = issuer;
  provider.metadataPath = '/.well-known/oauth-authorization-server/moved';
  provider.resource['authorization_servers'] = [issuer];
  const connection = await services.connectionFinder.byName(environment.id, 'tracker');
  await services.mcpServers.forget(connection);
  const connector = catalogIn(services.catalog, environment.id).connectors.get('tracker');
  const rules = connector && mcpRulesOf(connector);
  if (rules === undefined) throw new Error('Tracker has no consents');
  const url = new URL(provider.url);
  // It is held back, so this consent does not begin.
  await services.mcpServers
    .known({ connection, title: 'Tracker', url, rules, isOwnServer: false })
    .catch(() => undefined);
  return issuer;
}
