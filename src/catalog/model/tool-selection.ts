/** Finds the tools that the names of a selection stand for (docs/mcp-servers.md#which-tools). Pure. */
import type { Tool } from './types.ts';

/**
 * Toolsets that are not files: everyday tools, the core of them, and all tools. They choose what is listed. Alone
 * they limit nothing, so an address or a virtual server may still name other tools.
 */
export const TOOLSET_WORDS = ['default', 'core', 'all'] as const;

/** Tools of Gatehouse itself, about the accounts of the caller. No catalog has tools of these names. */
export const OWN_TOOL_NAMES = ['gatehouse_accounts', 'gatehouse_connect'] as const;

/** Name of a tool of Gatehouse itself. */
export type OwnToolName = (typeof OWN_TOOL_NAMES)[number];

/** Maximum tools of one connector in the toolset `default`. */
export const MAX_EVERYDAY_TOOLS = 25;

/** Names as written in settings, addresses and virtual servers; the lists are combined. */
export interface SelectionNames {
  connectors?: readonly string[] | undefined;
  /** `<connector>.<toolset>`, `<connector>` for all of its toolsets, or one of TOOLSET_WORDS. */
  toolsets?: readonly string[] | undefined;
  /** Tool names, including old ones. */
  tools?: readonly string[] | undefined;
}

/** Whether a selection limits what may be called: it names a connector, a toolset that is a file, or a tool. */
export function isLimit({ connectors = [], toolsets = [], tools = [] }: SelectionNames): boolean {
  const words: readonly string[] = TOOLSET_WORDS;
  return connectors.length > 0 || tools.length > 0 || toolsets.some((name) => !words.includes(name));
}

/** Whether a selection names anything. */
export function hasNames({ connectors = [], toolsets = [], tools = [] }: SelectionNames): boolean {
  return connectors.length > 0 || toolsets.length > 0 || tools.length > 0;
}

/**
 * The tools that a selection names, in the given order. A name that no tool has adds nothing.
 *
 * @param available in catalog order
 * @param all every tool of the connectors, if `available` may be a part of them
 */
export function namedTools(
  available: readonly Tool[],
  names: SelectionNames,
  all: readonly Tool[] = available,
): Tool[] {
  const connectors = new Set(names.connectors);
  const toolsets = new Set(names.toolsets);
  const tools = new Set(names.tools);
  const everyday = toolsets.has('default') ? everydayTools(available, all) : undefined;
  return available.filter(
    (tool) =>
      connectors.has(tool.connector) ||
      toolsets.has('all') ||
      everyday?.has(tool) ||
      (toolsets.has('core') && tool.everyday === 'core') ||
      toolsets.has(tool.connector) ||
      toolsets.has(toolsetOf(tool)) ||
      tools.has(tool.name) ||
      tool.aliases?.some((alias) => tools.has(alias)),
  );
}

/**
 * Gatehouse's own tools in a selection: all of them with `default`, `core`, `all` or discovery, and otherwise those
 * that it names. Naming a single tool of a connector adds none.
 *
 * @param available own tools that the selection may have
 */
export function ownToolsOf(
  available: readonly OwnToolName[],
  { toolsets = [], tools = [] }: SelectionNames,
  isFinding: boolean,
): OwnToolName[] {
  const words: readonly string[] = TOOLSET_WORDS;
  const hasAll = toolsets.some((name) => words.includes(name)) || (isFinding && tools.length === 0);
  return available.filter((name) => hasAll || tools.includes(name));
}

/** The tools of a selection that names nothing. */
export function toolsWithoutNames(available: readonly Tool[]): Tool[] {
  return available.filter(({ unlisted }) => unlisted !== true);
}

/**
 * The tools whose scopes every account is asked for: all but the unlisted, and the unlisted ones that the settings
 * name. The scopes of others are asked for when one is called or a virtual server selects it.
 */
export function toolsToConnect(available: readonly Tool[], named: SelectionNames = {}): Tool[] {
  const selected = new Set(namedTools(available, named));
  return available.filter((tool) => tool.unlisted !== true || selected.has(tool));
}

/** `<connector>.<toolset>` */
export function toolsetOf(tool: Tool): string {
  return `${tool.connector}.${tool.toolset}`;
}

/**
 * The tools of `default`. A connector that marks none is there with its first tools, so that the operator's own
 * catalog needs no marks.
 */
function everydayTools(available: readonly Tool[], all: readonly Tool[]): ReadonlySet<Tool> {
  const marking = new Set(
    all.filter((tool) => tool.everyday !== undefined).map(({ connector }) => connector),
  );
  const everyday = new Set<Tool>();
  for (const [connector, tools] of Map.groupBy(available, ({ connector }) => connector)) {
    const taken = marking.has(connector)
      ? tools.filter((tool) => tool.everyday !== undefined)
      : toolsWithoutNames(tools).slice(0, MAX_EVERYDAY_TOOLS);
    for (const tool of taken) everyday.add(tool);
  }
  return everyday;
}
