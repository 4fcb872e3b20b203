/**
 * The form of each tool that a caller is shown. Remote MCP servers may list different tools for different accounts.
 */
import type { Tool } from '../catalog/model/types.ts';
import type { McpServices, McpSession } from './session.ts';

/** @returns `undefined` if all callers are shown the same */
export async function formsOf(
  { toolForms }: McpServices,
  { caller, publishedTools, connections }: McpSession,
): Promise<((tool: Tool) => Tool | undefined) | undefined> {
  if (!publishedTools.hasUpstreams || caller.owner === undefined) return undefined;
  return toolForms?.(caller, connections);
}

/**
 * Whether a remote MCP server lists a tool only for accounts other than the caller's. The caller then learns
 * nothing about it.
 */
export async function isKept(parts: McpServices, session: McpSession, tool: Tool): Promise<boolean> {
  if (tool.upstream === undefined) return false;
  const formOf = await formsOf(parts, session);
  return formOf !== undefined && formOf(tool) === undefined;
}

/**
 * The tools for a caller, each in the form that it is shown. Returns the same array if that changes nothing,
 * because searches index the array.
 */
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
