/** Virtual MCP servers and their tokens. */
import type { Catalog } from '../catalog/model/types.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { loadOnce } from '../core/load-once.ts';
import type { PersonTokens } from '../authorization-server/tokens/person-tokens.ts';
import type { ActiveAccountGuard } from '../executor/call/active-account-guard.ts';
import type { Sessions } from '../people/sessions.ts';
import type { Database } from '../store/engine/database.ts';
import { McpServers } from './mcp-servers.ts';
import type { ServerTokens } from './server-tokens.ts';

/** Builds these services; the token issuer loads at its first use. @param base.personTokens signs tokens of sessions */
export function buildVirtualServers(base: {
  db: Database;
  catalog: Catalog;
  clock: Clock;
  environments: Environments;
  connectionFinder: ConnectionFinder;
  activeAccounts: Pick<ActiveAccountGuard, 'requireActive'>;
  sessions: Pick<Sessions, 'begin'>;
  personTokens: Pick<PersonTokens, 'accessToken'>;
}) {
  const mcpServers = new McpServers(base);
  const { connectionFinder: connections, personTokens: tokens } = base;
  const load = loadOnce(async () => {
    const { ServerTokens } = await import('./server-tokens.ts');
    return new ServerTokens({ ...base, servers: mcpServers, connections, tokens });
  });
  const serverTokens: Pick<ServerTokens, 'issue'> = {
    issue: async (...given) => (await load()).issue(...given),
  };
  return { mcpServers, serverTokens };
}
