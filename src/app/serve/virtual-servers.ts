/** Virtual MCP servers of an open installation. */
import { buildVirtualServers } from '../../virtual-servers/build-virtual-servers.ts';
import type { Services } from '../services/services.ts';
import type { Identity } from './build-identity.ts';

/** The services that serve, list and change them. */
export type VirtualServers = ReturnType<typeof buildVirtualServers>;

/** Builds these services. */
export function virtualServersOf(
  { db, catalog, clock, environments, connectionFinder, activeAccounts }: Services,
  { sessions, personTokens }: Pick<Identity, 'sessions' | 'personTokens'>,
): VirtualServers {
  return buildVirtualServers({
    db,
    catalog,
    clock,
    environments,
    connectionFinder,
    activeAccounts,
    sessions,
    personTokens,
  });
}
