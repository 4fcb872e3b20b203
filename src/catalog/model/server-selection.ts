/** The tools that a virtual MCP server selects from the catalog (docs/mcp-servers.md). Pure. */
import type { Tool } from './types.ts';

/** Tools of a virtual server: those of its connections' connectors, limited to the named ones. */
export interface ServerSelection {
  /** Names of the only connections its calls use. */
  connections: readonly string[];
  /** Catalog connectors of these connections. */
  connectors: readonly string[];
  /** As `Selection.toolsets`; all tools if both toolsets and tools are empty. */
  toolsets: readonly string[];
  /** Tool names, including old ones. */
  tools: readonly string[];
  readOnly: boolean;
}

/**
 * The tools of a virtual server. A name that the catalog no longer has publishes nothing.
 *
 * @param available in catalog order
 */
export function toolsOfServer(available: readonly Tool[], server: ServerSelection): Tool[] {
  const { connectors, toolsets, tools } = server;
  const isNamed = (tool: Tool) =>
    (toolsets.length === 0 && tools.length === 0) ||
    [tool.connector, toolsetOf(tool)].some((name) => toolsets.includes(name)) ||
    [tool.name, ...(tool.aliases ?? [])].some((name) => tools.includes(name));
  return available.filter((tool) => connectors.includes(tool.connector) && isNamed(tool));
}

/** `<connector>.<toolset>` */
export function toolsetOf(tool: Tool): string {
  return `${tool.connector}.${tool.toolset}`;
}
