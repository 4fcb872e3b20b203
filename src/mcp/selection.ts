/**
 * Determines the published tools: parses settings, flags and the query of `/mcp`, and applies them to a
 * catalog (docs/contract.md#published-tools).
 *
 * Pure. Knows nothing of callers or protocols; published-tools.ts makes lists of it.
 */
import { listedSchema } from '../catalog/model/listed-schema.ts';
import {
  hasNames,
  isLimit,
  namedTools,
  OWN_TOOL_NAMES,
  ownToolsOf,
  TOOLSET_WORDS,
  toolsetOf,
  toolsWithoutNames,
  type OwnToolName,
  type SelectionNames,
} from '../catalog/model/tool-selection.ts';
import type { Tool } from '../catalog/model/types.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';

/** A selection as requested. */
export interface Selection extends SelectionNames {
  /** Publishes and runs only tools that change nothing, with any other selection. */
  readOnly: boolean;
  discovery: DiscoveryMode;
}

/**
 * Whether the tools that find, describe and run others are published: instead of the tools themselves (`on`), in
 * addition to those of the toolset `core`, or instead of a list that is too long (`auto`).
 */
export type DiscoveryMode = (typeof DISCOVERY_MODES)[number];

/** The modes as written in settings. */
export const DISCOVERY_MODES = ['off', 'on', 'auto', 'core'] as const;

/** Longest list that mode `auto` publishes, in tokens of four bytes. */
const LONG_LIST_TOKENS = 20_000;

/** Result of a selection. */
export interface SelectedTools {
  /** Tools that may be called, in catalog order. */
  tools: readonly Tool[];
  /** Tools of these that are published themselves. */
  direct: readonly Tool[];
  /** Tools that are left out only because nothing was named. */
  unlisted: readonly Tool[];
  /** False if nothing was named, or `default` and `core` alone; then the list shows only the connectors in use. */
  named: boolean;
  readOnly: boolean;
  /** Whether the tools that find, describe and run others are published. */
  discovery: boolean;
  /** Gatehouse's own tools that are published. */
  own: readonly OwnToolName[];
}

const LISTS = ['connectors', 'toolsets', 'tools'] as const;
type ListName = (typeof LISTS)[number];

const QUERY_PARAMETERS = [...LISTS, 'read_only', 'discovery'];

/**
 * The tools that a selection takes from the available ones.
 *
 * @param available in catalog order
 * @param more.all every tool of the connectors, if `available` may be a part of them
 * @param more.own Gatehouse's own tools that it may have; default: all
 * @param more.open connectors whose tools are not all known yet: their names, and those of their tools, are no mistakes
 * @throws ServiceError INVALID_ARGUMENT naming every unknown name: at start, and as HTTP 400 for a URL
 */
export function selectTools(
  available: readonly Tool[],
  selection: Selection,
  {
    all = available,
    own = OWN_TOOL_NAMES,
    open = [],
  }: { all?: readonly Tool[]; own?: readonly OwnToolName[]; open?: readonly string[] } = {},
): SelectedTools {
  const known: Record<ListName, ReadonlySet<string>> = {
    connectors: new Set(available.map((tool) => tool.connector)),
    toolsets: new Set<string>([
      ...TOOLSET_WORDS,
      ...available.flatMap((tool) => [tool.connector, toolsetOf(tool)]),
    ]),
    tools: new Set([...own, ...available.flatMap(({ name, aliases = [] }) => [name, ...aliases])]),
  };
  const violations = LISTS.flatMap((list) =>
    (selection[list] ?? [])
      .filter((name) => !known[list].has(name) && !open.some((connector) => isOf(connector, list, name)))
      .map((name) => unknownName(list, name, [...known[list]])),
  );
  if (violations.length > 0) throw invalidArgument(violations);

  const wanted = hasNames(selection) ? namedTools(available, selection, all) : toolsWithoutNames(available);
  const mode = modeOf(selection, wanted);
  const { readOnly } = selection;
  const isAllowed = ({ effect }: Tool): boolean => !readOnly || effect === 'read';
  const tools = (mode === 'off' || isLimit(selection) ? wanted : available).filter(isAllowed);
  const taken = new Set(tools);
  return {
    tools,
    unlisted: hasNames(selection)
      ? []
      : available.filter((tool) => tool.unlisted === true && isAllowed(tool) && !taken.has(tool)),
    direct: mode === 'off' ? tools : mode === 'core' ? namedTools(tools, { toolsets: ['core'] }) : [],
    named: isLimit(selection) || selection.toolsets?.includes('all') === true,
    readOnly,
    discovery: mode !== 'off',
    own: ownToolsOf(own, selection, mode !== 'off').filter(
      (name) => !readOnly || name !== 'gatehouse_connect',
    ),
  };
}

/** Whether a name may be that of a connector, or of one of its toolsets or tools. */
function isOf(connector: string, list: ListName, name: string): boolean {
  return list === 'tools'
    ? name.startsWith(`${connector}_`)
    : name === connector || (list === 'toolsets' && name.startsWith(`${connector}.`));
}

/** `toolsets: core` alone is the mode of that name: a model reaches the rest with the tools that find others. */
function modeOf({ discovery, toolsets = [], ...names }: Selection, wanted: readonly Tool[]): DiscoveryMode {
  if (discovery === 'on' || discovery === 'core') return discovery;
  if (toolsets.length === 1 && toolsets[0] === 'core' && !isLimit(names)) return 'core';
  return discovery === 'auto' && tokensOf(wanted) > LONG_LIST_TOKENS ? 'on' : 'off';
}

/** Size of a list in tokens, as a model gets it. */
function tokensOf(tools: readonly Tool[]): number {
  const given = tools.map((tool) => {
    const { name, description } = tool;
    return { name, description, inputSchema: listedSchema(tool) };
  });
  return Buffer.byteLength(JSON.stringify(given)) / 4;
}

/**
 * Reads the query of `/mcp`: `toolsets=crm.tasks,mail&read_only=1`, and `connectors`, `tools`, `discovery`.
 *
 * A URL narrows what the settings publish and never widens it: `read_only=0` does not undo a read-only
 * server. Unknown and empty parameters are refused, so that a mistyped `read_only` does not give a server
 * that writes.
 *
 * @param base read-only and discovery from the settings
 * @throws ServiceError INVALID_ARGUMENT naming every bad parameter
 */
export function selectionOfQuery(
  query: URLSearchParams,
  base: Pick<Selection, 'readOnly' | 'discovery'>,
): Selection {
  const violations: FieldViolation[] = [];
  const unknown = new Set([...query.keys()].filter((name) => !QUERY_PARAMETERS.includes(name)));
  for (const name of unknown) {
    violations.push({
      field: name,
      description: `This address takes the parameters ${QUERY_PARAMETERS.join(', ')} only.`,
      constraint: 'unknown',
    });
  }
  const list = (name: ListName): string[] | undefined => {
    if (!query.has(name)) return undefined;
    const names = query.getAll(name).flatMap((value) => value.split(',').map((part) => part.trim()));
    if (names.includes('')) {
      violations.push({
        field: name,
        description: 'Give names separated by commas, or leave the parameter out.',
        constraint: 'min_length',
      });
    }
    return names;
  };
  const flag = (name: string): boolean | undefined => {
    const values = query.getAll(name);
    if (values.length === 0) return undefined;
    if (values.every((value) => value === '1' || value === 'true')) return true;
    if (values.every((value) => value === '0' || value === 'false')) return false;
    violations.push({ field: name, description: `Write ${name}=1 or ${name}=0.`, constraint: 'boolean' });
    return undefined;
  };
  const discovery = (): DiscoveryMode | undefined => {
    if (query.getAll('discovery').every((value) => value === 'core'))
      return query.has('discovery') ? 'core' : undefined;
    const isOn = flag('discovery');
    return isOn === undefined ? undefined : isOn ? 'on' : 'off';
  };
  const selection = {
    connectors: list('connectors'),
    toolsets: list('toolsets'),
    tools: list('tools'),
    readOnly: (flag('read_only') ?? false) || base.readOnly,
    discovery: discovery() ?? base.discovery,
  };
  if (violations.length > 0) throw invalidArgument(violations);
  return selection;
}

function unknownName(list: ListName, name: string, known: readonly string[]): FieldViolation {
  const kind = list.slice(0, -1);
  const hint =
    list === 'tools'
      ? '`gatehouse tools list` shows the names.'
      : `There are: ${known.join(', ') || 'none'}.`;
  return {
    field: list,
    description: `There is no ${kind} ${JSON.stringify(name)}. ${hint}`,
    constraint: 'unknown',
  };
}
