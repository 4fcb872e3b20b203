/** The MCP side of an installation, for both transports. */
import { ConnectorsInUse } from '../../mcp/connectors-in-use.ts';
import type { McpServices } from '../../mcp/session.ts';
import { ToolPublisher } from '../../mcp/published-tools.ts';
import type { Services } from '../services/services.ts';
import { programVersion } from '../../core/program-version.ts';

/**
 * @returns the parts, and the published tools
 * @throws ServiceError INVALID_ARGUMENT naming every unknown connector, toolset and tool of the settings
 */
export function buildMcp(
  services: Services,
  { listsChange = false }: { listsChange?: boolean } = {},
): { parts: McpServices; publisher: ToolPublisher } {
  const { accounts, catalog, clock, executor, log, ownAccounts, settings, vault } = services;
  return {
    parts: {
      catalog,
      executor,
      toolForms: async (caller, among) => executor.toolForms(caller, among),
      ownAccounts,
      connectorsInUse: new ConnectorsInUse(async (environmentId) => accounts.connectorsInUse(environmentId)),
      stateKey: vault.derive('mcp-request-state'),
      maxResultBytes: settings.mcp.maxResultBytes,
      version: programVersion(),
      log,
      clock,
      listsChange,
    },
    publisher: new ToolPublisher(catalog, settings.mcp),
  };
}
