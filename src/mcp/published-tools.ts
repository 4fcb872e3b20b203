/**
 * Tool lists as published, built once and then reused: the same bytes for every caller and every run.
 *
 * Knows no protocol messages and no sessions; `withAccounts` adds what depends on the caller's accounts.
 */
import { keysOf } from '../core/json.ts';
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { toolNamed } from '../catalog/model/aliases.ts';
import { listedSchema } from '../catalog/model/listed-schema.ts';
import { outputSchemaOf } from '../catalog/model/result-rules.ts';
import { toolsOfServer, type ServerSelection } from '../catalog/model/server-selection.ts';
import type { Catalog, Tool } from '../catalog/model/types.ts';
import {
  hasNames,
  isLimit,
  OWN_TOOL_NAMES,
  type OwnToolName,
  type SelectionNames,
} from '../catalog/model/tool-selection.ts';
import { listedResultParameters } from './results/result-parameters.ts';
import { selectionOfQuery, selectTools, type SelectedTools, type Selection } from './selection.ts';

/** Maximum cached lists and query strings; callers choose them, so their number has to be bounded. */
const MAX_CACHED = 200;

/** A tool as clients see it. */
export type PublishedTool = Readonly<McpTool>;

/** The same text in every tool that can name an account. */
export const ACCOUNT_DESCRIPTION =
  'Which of the connected accounts to use. Needed because there are several; without it the call answers with their names.';

/** `_meta` key of the scopes that a link asks for, so that the account can make the call. */
const SCOPES_META_KEY = 'gatehouse/scopes';

/** Hints that clients assume if a tool does not state them. The other hints have no meaning for a read-only tool. */
const ASSUMED = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** Words of a title that add nothing to the name. */
const LINKS = new Set(['a', 'an', 'the', 'of', 'to', 'from', 'in', 'on', 'for', 'and']);

/**
 * The published form of a catalog tool.
 *
 * A title that only repeats the name and hints that clients assume anyway are left out, because every conversation
 * pays for the list.
 */
export function publish(tool: Tool): PublishedTool {
  const annotations = hintsOf(tool);
  const outputSchema = outputSchemaOf(tool);
  const scopes = [...new Set(tool.scopes.map(([first]) => first))];
  return Object.freeze({
    name: tool.name,
    ...(!isInName(tool) && { title: tool.title }),
    description: tool.description,
    inputSchema: withResultParameters(tool),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(scopes.length > 0 && { _meta: { [SCOPES_META_KEY]: scopes } }),
  });
}

function withResultParameters(tool: Tool): McpTool['inputSchema'] {
  const added = listedResultParameters(tool);
  const inputSchema = listedSchema(tool);
  if (Object.keys(added).length === 0) return inputSchema as McpTool['inputSchema'];
  return { ...inputSchema, properties: { ...inputSchema.properties, ...added } } as McpTool['inputSchema'];
}

function hintsOf({ annotations }: Tool): Partial<Tool['annotations']> {
  if (annotations.readOnlyHint) return { readOnlyHint: true };
  return Object.fromEntries(
    keysOf(ASSUMED)
      .filter((hint) => annotations[hint] !== ASSUMED[hint])
      .map((hint) => [hint, annotations[hint]]),
  );
}

function isInName({ name, title }: Tool): boolean {
  const words = new Set(name.split('_'));
  return title
    .toLowerCase()
    .split(' ')
    .every((word) => words.has(word) || LINKS.has(word));
}

/**
 * A tool with the optional parameter `account`, an enumeration of the caller's accounts.
 *
 * A tool with a parameter of that name keeps its own.
 */
export function publishWithAccounts(tool: Tool, identifiers: readonly string[]): PublishedTool {
  const published = publish(tool);
  if (hasOwnAccountParameter(tool)) return published;
  const account = { type: 'string', enum: [...identifiers], description: ACCOUNT_DESCRIPTION };
  return {
    ...published,
    inputSchema: { ...published.inputSchema, properties: { ...published.inputSchema.properties, account } },
  };
}

/** Whether `account` is a parameter of the tool itself and not the added one. */
export function hasOwnAccountParameter(tool: Tool): boolean {
  return Object.hasOwn(tool.parameters, 'account');
}

/** One selection: the tools that may be called, and the lists made of them. */
export class PublishedTools {
  readonly selected: SelectedTools;
  /** Whether there are connectors whose tools their servers list, so that accounts may be shown different ones. */
  readonly hasUpstreams: boolean;
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #lists = new Map<string, readonly Tool[]>();
  readonly #findable = new Map<string, readonly Tool[]>();
  readonly #published = new Map<string, readonly PublishedTool[]>();

  constructor(selected: SelectedTools, open: readonly string[] = []) {
    this.selected = selected;
    this.hasUpstreams = open.length > 0;
    this.#byName = new Map(selected.tools.map((tool) => [tool.name, tool]));
  }

  /**
   * A tool that may be called, by its name or an old one; `undefined` if it is not part of this selection.
   *
   * If nothing was named, this is wider than the list. A client keeps its list for a while, and a tool must
   * not disappear because another connector came into use.
   */
  find(name: string): Tool | undefined {
    return toolNamed(this.#byName, name);
  }

  /**
   * The tools to publish as such, in catalog order.
   *
   * @param inUse connectors with an account or a connection made by the operator; narrows the list only if nothing
   *   was named, and only if the result is not empty
   */
  listed(inUse: ReadonlySet<string>): readonly Tool[] {
    return remember(this.#lists, listKey(inUse), () => this.#used(this.selected.direct, inUse));
  }

  /** The tools that a search can find, of the same connectors as `listed`. The list is the same every time. */
  findable(inUse: ReadonlySet<string>): readonly Tool[] {
    return remember(this.#findable, listKey(inUse), () => this.#used(this.selected.tools, inUse));
  }

  #used(tools: readonly Tool[], inUse: ReadonlySet<string>): readonly Tool[] {
    if (this.selected.named) return tools;
    const used = tools.filter((tool) => inUse.has(tool.connector));
    return used.length > 0 ? used : tools;
  }

  /** The tools of `listed` as clients see them: frozen, the same objects every time. */
  published(inUse: ReadonlySet<string>): readonly PublishedTool[] {
    return remember(this.#published, listKey(inUse), () => Object.freeze(this.listed(inUse).map(publish)));
  }
}

/** The published tools of one catalog, by URL query and by virtual server. */
interface PublishedSelections {
  base: PublishedTools;
  /** Every tool of the catalog. */
  all: readonly Tool[];
  /** Tools allowed by the settings, before the read-only filter: all if they set no limit. A URL may select only these. */
  allowedBySettings: readonly Tool[];
  /** Connectors whose tools are not all known yet. */
  open: readonly string[];
  /** Gatehouse's own tools that an address may select. */
  ownBySettings: readonly OwnToolName[];
  byQuery: Map<string, PublishedTools>;
  byServer: Map<string, PublishedTools>;
}

function publishedSelections(catalog: Catalog, selection: PublishedSelection): PublishedSelections {
  const all = [...catalog.tools.values()];
  const { ownTools = true, tools = [] } = selection;
  const own = ownTools ? OWN_TOOL_NAMES : [];
  const open = [...catalog.connectors.values()]
    .filter(({ mcp }) => mcp !== undefined)
    .map(({ name }) => name);
  return {
    all,
    open,
    base: new PublishedTools(selectTools(all, selection, { own, open }), open),
    allowedBySettings: isLimit(selection)
      ? selectTools(all, { ...selection, readOnly: false }, { own, open }).tools
      : all,
    ownBySettings: tools.length === 0 ? own : own.filter((name) => tools.includes(name)),
    byQuery: new Map(),
    byServer: new Map(),
  };
}

/** A selection of the settings. */
interface PublishedSelection extends Selection {
  /** Whether Gatehouse's own tools exist (`mcp.own_tools`); default: they do. */
  ownTools?: boolean;
}

/** The published tools of one process: those that its settings allow, and the part that each URL query selects. */
export class ToolPublisher {
  readonly #selection: PublishedSelection;
  readonly #catalog: Catalog;
  #current: PublishedSelections;
  /** Publishers of environments with their own tools, by those tools; garbage-collected with them. */
  readonly #ofEnvironments = new WeakMap<Catalog['tools'], ToolPublisher>();

  /**
   * @param selection from settings and flags
   * @throws ServiceError INVALID_ARGUMENT naming every unknown connector, toolset and tool
   */
  constructor(catalog: Catalog, selection: PublishedSelection) {
    this.#selection = selection;
    this.#catalog = catalog;
    this.#current = publishedSelections(catalog, selection);
  }

  /** The publisher of an environment, which may have tools of its own. */
  in(environmentId: string): ToolPublisher {
    const catalog = catalogIn(this.#catalog, environmentId);
    if (catalog.tools === this.#catalog.tools) return this;
    const known = this.#ofEnvironments.get(catalog.tools);
    if (known !== undefined) return known;
    const made = new ToolPublisher(catalog, this.#selection);
    this.#ofEnvironments.set(catalog.tools, made);
    return made;
  }

  get base(): PublishedTools {
    return this.#current.base;
  }

  /**
   * Prepares another catalog for publishing.
   *
   * @returns a function that replaces the current one
   * @throws ServiceError as the constructor, if the catalog lacks a selected name
   */
  prepared(catalog: Catalog): () => void {
    const next = publishedSelections(catalog, this.#selection);
    return () => {
      this.#current = next;
    };
  }

  /**
   * @param query the part after `?` in the request target; '' without a query
   * @throws ServiceError INVALID_ARGUMENT, to be answered with 400
   */
  forQuery(query: string): PublishedTools {
    const { all, base, open, allowedBySettings, ownBySettings: own, byQuery } = this.#current;
    if (query === '') return base;
    return remember(byQuery, query, () => {
      const { selected } = base;
      const asked = selectionOfQuery(new URLSearchParams(query), this.#selection);
      const names = hasNames(asked) ? {} : namesOf(this.#selection);
      const narrowed = selectTools(allowedBySettings, { ...asked, ...names }, { all, own, open });
      return new PublishedTools({ ...narrowed, named: narrowed.named || selected.named }, open);
    });
  }

  /**
   * The published tools of a virtual server: its own selection from the tools allowed by the settings, narrowed
   * further by the query.
   *
   * @throws ServiceError INVALID_ARGUMENT as `forQuery`
   */
  forServer(server: ServerSelection, query: string): PublishedTools {
    const { all, base, open, allowedBySettings, ownBySettings, byServer } = this.#current;
    const { connectors, toolsets, tools } = server;
    const readOnly = server.readOnly || base.selected.readOnly;
    return remember(byServer, JSON.stringify([connectors, toolsets, tools, readOnly, query]), () => {
      const { discovery } = this.#selection;
      const asked = selectionOfQuery(new URLSearchParams(query), { readOnly, discovery });
      const available = toolsOfServer(allowedBySettings, server, all);
      const own = ownBySettings.filter((name) => tools.includes(name));
      const names = hasNames(asked) ? {} : { toolsets: ['all'] };
      const selected = selectTools(available, { ...asked, ...names }, { all, own, open });
      return new PublishedTools({ ...selected, named: true }, open);
    });
  }
}

function namesOf({ connectors, toolsets, tools }: Selection): SelectionNames {
  return { connectors, toolsets, tools };
}

function listKey(inUse: ReadonlySet<string>): string {
  return [...inUse].sort().join(',');
}

/** Returns a cached entry or makes it; drops the oldest entry when full. */
function remember<T>(entries: Map<string, T>, key: string, make: () => T): T {
  const found = entries.get(key);
  if (found !== undefined) return found;
  const made = make();
  const oldest = entries.keys().next();
  if (entries.size >= MAX_CACHED && !oldest.done) entries.delete(oldest.value);
  entries.set(key, made);
  return made;
}
