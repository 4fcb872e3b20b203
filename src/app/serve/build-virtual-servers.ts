/** Virtual MCP servers and their tokens over an installation. */
import { ConnectionFinder } from '../../connections/connection-finder.ts';
import type { McpServerServices } from '../../http/routes/mcp-servers.ts';
import type { Sessions } from '../../people/sessions.ts';
import type { PersonTokens } from '../../authorization-server/tokens/person-tokens.ts';
import { McpServers } from '../../virtual-servers/mcp-servers.ts';
import { ServerTokens } from '../../virtual-servers/server-tokens.ts';
import type { Services } from '../services/services.ts';

/** @param people sessions of their tokens, and who signs them */
export function buildMcpServers(
  installation: Services,
  people: { sessions: Sessions; tokens: PersonTokens },
): McpServerServices {
  const { db, catalog, clock, readiness } = installation;
  const mcpServers = new McpServers(installation);
  const connections = new ConnectionFinder(db, catalog);
  return {
    mcpServers,
    serverTokens: new ServerTokens({ db, servers: mcpServers, connections, readiness, clock, ...people }),
  };
}
