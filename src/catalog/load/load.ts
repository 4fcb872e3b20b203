/**
 * Reads catalog files into a catalog.
 *
 * The program never starts with a broken catalog: every mistake in every file is found and reported at once,
 * each with file and line. Folders are read together, so a user's own files may add a connector, or tools to
 * a shipped one.
 */
import { basename } from 'node:path';
import { memberOf } from '../../core/json.ts';
import type { StrictYaml, YamlPath } from '../../core/yaml/strict-yaml.ts';
import { toConnector, toTool } from './assemble.ts';
import { connectorFaults } from '../check/connector-check.ts';
import { toolFaults } from '../check/cross-check.ts';
import type { Fault } from '../check/fault.ts';
import { connectorSchema } from '../grammar/connector-schema.ts';
import { joinedResultFaults, resultFaults } from '../check/result-check.ts';
import type { ResultEntry } from '../grammar/result-schema.ts';
import { followFaults, sourceFaults } from '../check/paging-check.ts';
import { searchWordFaults } from '../check/search-words-check.ts';
import { toolSchema, toolsetSchema } from '../grammar/toolset-schema.ts';
import { readableConnector, readableTool, undecidedFaults } from './readable-entries.ts';
import { shapeFaults } from '../check/shape-faults.ts';
import { closestLine, openSources, placed, type SourceFile } from './source-files.ts';
import { readSourceTexts, type SourceTexts } from './source-texts.ts';
import { catalogOf } from '../model/compiled.ts';
import { MAX_EVERYDAY_TOOLS } from '../model/tool-selection.ts';
import type { Catalog, Connector, Tool } from '../model/types.ts';

/** One mistake. */
export interface CatalogProblem {
  file: string;
  /** Counted from 1. */
  line: number;
  message: string;
}

/** The catalog cannot be used. The message lists every problem, one per line. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly problems: readonly CatalogProblem[];

  constructor(problems: readonly CatalogProblem[]) {
    super(
      ['The catalog is not valid:', ...problems.map((p) => `  ${p.file}:${p.line}: ${p.message}`)].join('\n'),
    );
    this.problems = problems;
  }
}

export interface LoadOptions {
  /** Names of the existing handlers; if absent, handler names are not checked. */
  handlers?: ReadonlySet<string>;
  /** A catalog that the folders add to, e.g. the shipped one in its compiled form. */
  base?: Catalog;
}

/** Place of a declaration. */
export interface Place {
  file: string;
  line: number;
}

/** Result of reading: the usable part, all problems, and the place of each tool. */
export interface ReadResult {
  catalog: Catalog;
  problems: readonly CatalogProblem[];
  places: ReadonlyMap<string, Place>;
}

const CONNECTOR_FILE = 'connector.yaml';

/**
 * @param from folders with one folder per connector: connector.yaml and toolset files. A folder may also be a
 * connector folder itself. Or what was read from them
 * @throws CatalogError with the problems of all files
 */
export function loadCatalog(from: readonly string[] | SourceTexts, options: LoadOptions = {}): Catalog {
  const { catalog, problems } = readCatalog(from, options);
  if (problems.length > 0) throw new CatalogError(problems);
  return catalog;
}

/** Like `loadCatalog`, for checks: returns the problems instead of throwing them. */
export function readCatalog(from: readonly string[] | SourceTexts, options: LoadOptions = {}): ReadResult {
  return new CatalogReader(options).read('files' in from ? from : readSourceTexts(from));
}

class CatalogReader {
  readonly #handlers: ReadonlySet<string> | undefined;
  readonly #problems: CatalogProblem[] = [];
  readonly #connectors: Map<string, Connector>;
  readonly #tools: Map<string, Tool>;
  readonly #read: { tool: Tool; file: string; yaml: StrictYaml; path: YamlPath }[] = [];
  readonly #readConnectors: { connector: Connector; file: string; yaml: StrictYaml }[] = [];
  /**
   * Names and old names declared in any file, valid or broken. The file is '' for those declared in the base.
   */
  readonly #connectorPlaces = new Map<string, Place>();
  readonly #toolPlaces = new Map<string, Place>();

  constructor(options: LoadOptions) {
    this.#handlers = options.handlers;
    this.#connectors = new Map(options.base?.connectors);
    this.#tools = new Map(options.base?.tools);
    for (const name of this.#connectors.keys()) this.#connectorPlaces.set(name, { file: '', line: 0 });
    for (const { name, aliases = [] } of this.#tools.values())
      for (const taken of [name, ...aliases]) this.#toolPlaces.set(taken, { file: '', line: 0 });
  }

  read(texts: SourceTexts): ReadResult {
    const files = openSources(texts, (file, line, message) => this.#add(file, line, message));
    const isConnector = ({ file }: SourceFile): boolean => basename(file) === CONNECTOR_FILE;
    for (const file of files.filter(isConnector)) this.#readConnector(file);
    for (const file of files.filter((f) => !isConnector(f))) this.#readToolset(file);
    this.#checkEverydayTools();
    this.#checkFollowers();
    return {
      catalog: catalogOf(this.#connectors.values(), this.#tools.values()),
      problems: this.#problems.sort((a, b) => compare(a.file, b.file) || a.line - b.line),
      places: this.#toolPlaces,
    };
  }

  #readConnector({ file, yaml }: SourceFile): void {
    const declared = memberOf(yaml.tree, 'name');
    if (typeof declared === 'string')
      this.#declare(this.#connectorPlaces, 'connector', declared, file, closestLine(yaml, ['name']));
    const parsed = connectorSchema.safeParse(yaml.tree, { reportInput: true });
    const faults = parsed.success
      ? connectorFaults(parsed.data)
      : brokenConnectorFaults(yaml.tree, shapeFaults(parsed.error));
    this.#addFaults(file, yaml, [], '', faults);
    if (!parsed.success || faults.length > 0) return;
    const connector = toConnector(parsed.data);
    this.#connectors.set(connector.name, connector);
    this.#readConnectors.push({ connector, file, yaml });
  }

  #readToolset({ file, yaml }: SourceFile): void {
    const parsed = toolsetSchema.safeParse(yaml.tree, { reportInput: true });
    if (!parsed.success) this.#addFaults(file, yaml, [], '', shapeFaults(parsed.error));
    const name = memberOf(yaml.tree, 'connector');
    if (typeof name === 'string' && !this.#connectorPlaces.has(name))
      this.#add(
        file,
        closestLine(yaml, ['connector']),
        `connector: there is no connector named ${name}. Declare it in a ${CONNECTOR_FILE}`,
      );
    const connector = typeof name === 'string' ? this.#connectors.get(name) : undefined;
    if (parsed.success) this.#addFaults(file, yaml, [], '', resultFaults(parsed.data.result));
    const tools = memberOf(yaml.tree, 'tools');
    for (const [i, tool] of (Array.isArray(tools) ? tools : []).entries())
      this.#readTool(file, yaml, ['tools', i], tool, connector, parsed.data?.result);
  }

  #readTool(
    file: string,
    yaml: StrictYaml,
    path: YamlPath,
    value: unknown,
    connector: Connector | undefined,
    fileResult: ResultEntry | undefined,
  ): void {
    const name = memberOf(value, 'name');
    const label = typeof name === 'string' ? name : path.join('.');
    if (typeof name === 'string')
      this.#declare(this.#toolPlaces, 'tool', name, file, closestLine(yaml, [...path, 'name']));
    this.#declareAliases(file, yaml, path, value, label);
    const parsed = toolSchema.safeParse(value, { reportInput: true });
    const faults = parsed.success
      ? toolFaults(parsed.data, connector, this.#handlers)
      : this.#brokenToolFaults(value, shapeFaults(parsed.error), connector);
    this.#addFaults(file, yaml, path, label, faults);
    if (!parsed.success || faults.length > 0 || connector === undefined) return;
    const tool = toTool(parsed.data, connector, basename(file, '.yaml'), fileResult);
    this.#tools.set(tool.name, tool);
    this.#read.push({ tool, file, yaml, path });
  }

  #brokenToolFaults(value: unknown, shape: readonly Fault[], connector: Connector | undefined): Fault[] {
    const readable = readableTool(value, shape);
    const further =
      readable === undefined
        ? []
        : toolFaults(readable.entry, connector, this.#handlers).filter(readable.isJudged);
    return [...shape, ...undecidedFaults(value, shape), ...further];
  }

  /** An old name leads to one tool only, so no other tool has it as a name or old name. */
  #declareAliases(file: string, yaml: StrictYaml, path: YamlPath, tool: unknown, label: string): void {
    const aliases = memberOf(tool, 'aliases');
    for (const [i, alias] of (Array.isArray(aliases) ? aliases : []).entries()) {
      if (typeof alias !== 'string') continue;
      const line = closestLine(yaml, [...path, 'aliases', i]);
      const first = this.#toolPlaces.get(alias);
      if (first === undefined) this.#toolPlaces.set(alias, { file, line });
      else this.#add(file, line, `${label}: aliases.${i}: ${alias} is already declared ${placeText(first)}`);
    }
  }

  /** Reported at the last one read, because those of the base have no place. */
  #checkEverydayTools(): void {
    const isEveryday = ({ everyday }: Tool): boolean => everyday !== undefined;
    const byConnector = Map.groupBy([...this.#tools.values()].filter(isEveryday), (tool) => tool.connector);
    for (const [name, { length }] of byConnector) {
      if (length <= MAX_EVERYDAY_TOOLS) continue;
      const last = this.#read.findLast(({ tool }) => tool.connector === name && isEveryday(tool));
      if (last === undefined) continue;
      const message = `is one of ${length} everyday tools of ${name}, which may have ${MAX_EVERYDAY_TOOLS}. Remove the key from others`;
      this.#addFaults(last.file, last.yaml, last.path, last.tool.name, [{ path: ['everyday'], message }]);
    }
  }

  /**
   * Checks references to other tools last, because a tool may name one of a later file. Skipped for names
   * that have mistakes of their own, where it would only repeat them.
   */
  #checkFollowers(): void {
    if (this.#problems.length > 0) return;
    for (const { connector, file, yaml } of this.#readConnectors)
      this.#addFaults(file, yaml, [], '', searchWordFaults(connector, this.#tools));
    for (const { tool, file, yaml, path } of this.#read)
      this.#addFaults(file, yaml, path, tool.name, [
        ...followFaults(tool, this.#tools),
        ...sourceFaults(tool, this.#tools),
        ...joinedResultFaults(tool, this.#tools),
      ]);
  }

  #declare(places: Map<string, Place>, kind: string, name: string, file: string, line: number): void {
    const first = places.get(name);
    if (first === undefined) {
      places.set(name, { file, line });
      return;
    }
    this.#add(file, line, `name: the ${kind} ${name} is already declared ${placeText(first)}`);
  }

  /** Leaves out faults below a place that YAML has already reported, because they would only repeat it. */
  #addFaults(file: string, yaml: StrictYaml, root: YamlPath, label: string, faults: readonly Fault[]): void {
    for (const fault of faults) {
      const path = [...root, ...fault.path];
      const isRepeated = yaml.problems.some(
        ({ path: p }) => p.length > 0 && p.every((part, i) => part === path[i]),
      );
      if (isRepeated) continue;
      const text = placed(fault.path, fault.message);
      this.#add(file, closestLine(yaml, path), label === '' ? text : `${label}: ${text}`);
    }
  }

  #add(file: string, line: number, message: string): void {
    this.#problems.push({ file, line, message });
  }
}

function brokenConnectorFaults(value: unknown, shape: readonly Fault[]): Fault[] {
  const readable = readableConnector(value, shape);
  return [
    ...shape,
    ...(readable === undefined ? [] : connectorFaults(readable.entry).filter(readable.isJudged)),
  ];
}

function placeText({ file, line }: Place): string {
  return file === '' ? 'in the catalog that comes with the program' : `in ${file}:${line}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
