/**
 * Turns an OpenAPI description into the files of a connector, with a report of what could not be expressed.
 *
 * Pure: texts in, texts out. Nothing is fetched, and no reference outside the document is followed. Every
 * tool passes the checks of the catalog before it is written, so that the files pass `gatehouse catalog
 * check`.
 */
import { memberOf } from '../../core/json.ts';
import { toConnector, toTool } from '../load/assemble.ts';
import { connectorFaults } from '../check/connector-check.ts';
import { connectorSchema } from '../grammar/connector-schema.ts';
import { toolFaults } from '../check/cross-check.ts';
import { toolSchema } from '../grammar/toolset-schema.ts';
import { toolProblems } from '../load/lint.ts';
import { shapeFaults } from '../check/shape-faults.ts';
import { placed } from '../load/source-files.ts';
import type { Connector, JsonObject } from '../model/types.ts';
import { readDocument, type OpenApiDocument } from './document.ts';
import { importHosts } from './api-hosts.ts';
import { chooseOperations, listOperations, type ListedOperation } from './operations.ts';
import { References } from './references.ts';
import { ImportError, type ImportProblem, type OperationReport } from './report.ts';
import { ImportedSecurity } from './security.ts';
import { connectorName, subjectOf, terse, toolName, toolsetName, wordsOf, wordsOfPath } from './text.ts';
import { importTool, type ToolInput } from './tool.ts';
import { fileText, originLine } from './write-files.ts';

/** Size of parameters above which a tool gets a note. */
const LARGE_BYTES = 4_000;

/** The operations to import, and the names to give them. */
export interface ImportRequest {
  /** The description, JSON or YAML. */
  text: string;
  /** Name of the source in the files, e.g. `openapi.json`. */
  source: string;
  /** operationIds or `METHOD /path`, `*` for any text; `all`. */
  operations: readonly string[];
  /** Name of the connector; if absent, it is derived from the title. */
  name?: string | undefined;
  title?: string | undefined;
  /** Base address if the document has none or a relative one. */
  server?: string | undefined;
  /** `2026-11-20`. */
  today: string;
  /** Connectors and tools that exist already. */
  taken: { connectors: ReadonlySet<string>; tools: ReadonlySet<string> };
}

/** Result of an import. */
export interface ImportResult {
  connector: string;
  /** Text by file name: connector.yaml and one file for each tag. */
  files: ReadonlyMap<string, string>;
  /** Sentences about the connector as a whole. */
  remarks: readonly string[];
  operations: readonly OperationReport[];
}

/**
 * @throws ImportError with every problem of the document and the request
 */
export function importOpenApi(request: ImportRequest): ImportResult {
  return new Import(request).run();
}

class Import {
  readonly #request: ImportRequest;
  readonly #document: OpenApiDocument;
  readonly #references: References;
  readonly #problems: ImportProblem[] = [];
  readonly #remarks: string[] = [];
  readonly #name: string;
  readonly #title: string;

  constructor(request: ImportRequest) {
    this.#request = request;
    this.#document = readDocument(request.text);
    this.#references = new References(this.#document);
    const written = this.#document.info?.title ?? '';
    this.#name = request.name ?? connectorName(written);
    this.#title = request.title ?? (terse(written, 60).length < 3 ? this.#name : terse(written, 60));
  }

  run(): ImportResult {
    this.#checkName();
    const { chosen, problems } = chooseOperations(
      listOperations(this.#document, this.#references),
      this.#request.operations,
    );
    this.#problems.push(...problems);
    const security = new ImportedSecurity(
      this.#document,
      this.#references,
      chosen.map(({ operation }) => operation.security),
    );
    const {
      hosts,
      hostIndex,
      settings,
      remarks,
      problems: unusable,
    } = importHosts(chosen, this.#request.server);
    this.#problems.push(...unusable);
    this.#remarks.push(...remarks, ...security.notes);
    const entry = {
      name: this.#name,
      title: this.#title,
      description: this.#description(),
      hosts,
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
      auth: security.auth,
    };
    const connector = this.#problems.length === 0 ? this.#connector(entry) : undefined;
    const { reports, toolsets } = this.#toolsOf(chosen, hostIndex, security, connector);
    this.#problems.push(...this.#references.problems);
    if (this.#problems.length > 0) throw new ImportError(this.#problems);
    if (toolsets.size === 0)
      throw new ImportError(
        reports.map(({ id, notes }) => ({
          place: id,
          message: notes.map(({ message }) => message).join(' '),
        })),
      );
    return {
      connector: this.#name,
      files: this.#files(entry, toolsets, reports),
      remarks: this.#remarks,
      operations: reports,
    };
  }

  #checkName(): void {
    const name = this.#name;
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || name.length > 30)
      this.#problems.push({
        place: '--name',
        message:
          name === ''
            ? 'is needed: no name can be made from the title of the document.'
            : 'must be at most 30 lower-case letters and digits, words joined by _.',
      });
    if (this.#request.taken.connectors.has(name))
      this.#problems.push({
        place: '--name',
        message: `is needed: there is a connector ${name} already. Give another name.`,
      });
  }

  #description(): string {
    const { info } = this.#document;
    const text = terse(info?.description ?? '', 280);
    return text.length >= 3 ? text : `Calls the API of ${this.#title}.`;
  }

  /** The connector as the program would load it; its faults are problems of the document. */
  #connector(entry: JsonObject): Connector | undefined {
    const parsed = connectorSchema.safeParse(entry, { reportInput: true });
    const faults = parsed.success ? connectorFaults(parsed.data) : shapeFaults(parsed.error);
    for (const { path, message } of faults)
      this.#problems.push({ place: 'connector', message: `${placed(path, message)}.` });
    return parsed.success && faults.length === 0 ? toConnector(parsed.data) : undefined;
  }

  #toolsOf(
    chosen: readonly ListedOperation[],
    hostIndex: (operation: ListedOperation) => number,
    security: ImportedSecurity,
    connector: Connector | undefined,
  ) {
    const taken = new Set(this.#request.taken.tools);
    const reports: OperationReport[] = [];
    const toolsets = new Map<string, ToolInput[]>();
    const context = {
      references: this.#references,
      credentialPlaces: security.places,
      today: this.#request.today,
      documentation: this.#documentation(),
    };
    for (const listed of chosen) {
      const { id, method, path, operation } = listed;
      const words = operation.operationId === undefined ? [] : wordsOf(operation.operationId);
      const name = toolName(this.#name, words.length === 0 ? wordsOfPath(method, path) : words, taken);
      const made = importTool(listed, name, hostIndex(listed), security.needsOf(operation.security), context);
      const report = { id, method: method.toUpperCase(), path };
      const checked = 'obstacle' in made || connector === undefined ? made : published(made.tool, connector);
      if ('obstacle' in made || 'obstacle' in checked) {
        const reason = 'obstacle' in made ? made.obstacle : 'obstacle' in checked ? checked.obstacle : '';
        reports.push({ ...report, tool: null, notes: [{ places: [], message: `Left out: ${reason}.` }] });
        continue;
      }
      if ('bytes' in checked && checked.bytes > LARGE_BYTES) made.notes.add('', largeWords(checked.bytes));
      taken.add(name);
      const toolset = toolsetName(operation.tags?.[0] ?? subjectOf(path));
      toolsets.set(toolset, [...(toolsets.get(toolset) ?? []), made.tool]);
      reports.push({ ...report, tool: name, notes: made.notes.list() });
    }
    return { reports, toolsets };
  }

  #documentation(): string {
    const { externalDocs, info, servers } = this.#document;
    const known = [
      externalDocs?.url,
      memberOf(info?.['contact'], 'url'),
      this.#request.server,
      servers?.[0]?.url,
    ];
    return (
      known.find((url): url is string => typeof url === 'string' && /^https?:\/\/\S+$/.test(url)) ??
      'https://example.com/'
    );
  }

  #files(
    entry: JsonObject,
    toolsets: ReadonlyMap<string, ToolInput[]>,
    reports: readonly OperationReport[],
  ): Map<string, string> {
    const { source, today } = this.#request;
    const version = this.#document.info?.version ?? '';
    const origin = originLine(source, `${this.#document.info?.title ?? 'no title'} ${version}`.trim(), today);
    const left = reports.filter(({ tool }) => tool === null);
    const files = new Map([['connector.yaml', fileText(origin, this.#remarks, left, entry)]]);
    for (const [toolset, tools] of toolsets) {
      const names = new Set(tools.map(({ name }) => name));
      const about = reports.filter(({ tool }) => tool !== null && names.has(tool));
      files.set(`${toolset}.yaml`, fileText(origin, [], about, { connector: this.#name, tools }));
    }
    return files;
  }
}

/**
 * The tool as the program would load it: the size of its input schema, or why the catalog would refuse it.
 */
function published(tool: ToolInput, connector: Connector): { bytes: number } | { obstacle: string } {
  const parsed = toolSchema.safeParse(tool, { reportInput: true });
  const [fault] = parsed.success ? toolFaults(parsed.data, connector, new Set()) : shapeFaults(parsed.error);
  if (fault !== undefined) return { obstacle: placed(fault.path, fault.message) };
  if (!parsed.success) return { obstacle: 'it has no form that the catalog knows' };
  const whole = toTool(parsed.data, connector, 'tools');
  const [problem] = toolProblems(whole);
  return problem === undefined
    ? { bytes: Buffer.byteLength(JSON.stringify(whole.inputSchema)) }
    : { obstacle: problem };
}

function largeWords(bytes: number): string {
  return `Its parameters take ${Math.round(bytes / 1_000)} kB of every tool list: remove those that nobody needs.`;
}
