/** Which form of each tool a caller is shown: remote MCP servers show accounts different tools. */
import type { Tool } from '../catalog/model/types.ts';
import type { McpServices, McpSession } from './session.ts';

/** @returns `undefined` where everybody is shown the same */
export async function formsOf(
  { toolForms }: McpServices,
  { caller, publishedTools, connections }: McpSession,
): Promise<((tool: Tool) => Tool | undefined) | undefined> {
  if (!publishedTools.hasUpstreams || caller.owner === undefined) return undefined;
  return toolForms?.(caller, connections);
}

/** Whether a remote MCP server lists a tool for other accounts than that of the caller, who then learns nothing of it. */
export async function isKept(parts: McpServices, session: McpSession, tool: Tool): Promise<boolean> {
  if (tool.upstream === undefined) return false;
  const formOf = await formsOf(parts, session);
  return formOf !== undefined && formOf(tool) === undefined;
}

/** The tools of a caller, in the form that it is shown: the same array where that changes nothing, as searches index it. */
export async function shownTools(
  parts: McpServices,
  session: McpSession,
  tools: readonly Tool[],
): Promise<readonly Tool[]> {
  const formOf = await formsOf(parts, session);
  if (formOf === undefined) return tools;
  const shown = tools.flatMap((tool) => formOf(tool) ?? []);
  return shown.length === tools.length && shown.every((tool, i) => tool === tools[i]) ? tools : shown;
}
