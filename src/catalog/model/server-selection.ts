/** The tools that a virtual MCP server selects from the catalog (docs/mcp-servers.md). Pure. */
import { hasNames, namedTools, toolsWithoutNames } from './tool-selection.ts';
import type { Tool } from './types.ts';

/** Tools of a virtual server: those of its connections' connectors, limited to the named ones. */
export interface ServerSelection {
  /** Names of the only connections its calls use. */
  connections: readonly string[];
  /** Catalog connectors of these connections. */
  connectors: readonly string[];
  /** As `SelectionNames.toolsets`; without toolsets and tools, what a selection without names has. */
  toolsets: readonly string[];
  /** Tool names, including old ones. */
  tools: readonly string[];
  readOnly: boolean;
}

/**
 * The tools of a virtual server. A name that the catalog no longer has publishes nothing.
 *
 * @param available in catalog order
 * @param all every tool of the connectors, if `available` may be a part of them
 */
export function toolsOfServer(
  available: readonly Tool[],
  server: ServerSelection,
  all: readonly Tool[] = available,
): Tool[] {
  const { connectors, toolsets, tools } = server;
  const own = available.filter((tool) => connectors.includes(tool.connector));
  const names = { toolsets, tools };
  return hasNames(names) ? namedTools(own, names, all) : toolsWithoutNames(own);
}
