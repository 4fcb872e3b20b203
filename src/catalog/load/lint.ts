/**
 * Checks a catalog as clients will see it: an entry that the loader accepts may still be refused by a model
 * provider or cut by a host. Used by `npm run catalog` and `gatehouse catalog check`.
 */
import { isObject, membersOf } from '../../core/json.ts';
import { readCatalog, type CatalogProblem, type LoadOptions } from './load.ts';
import type { Tool } from '../model/types.ts';

/** Longer descriptions are cut or refused by common hosts. */
const MAX_DESCRIPTION = 1_024;

/** Hosts prepend `mcp__<server>__` and allow 64 characters in all (60 in one case). */
const MAX_TOOL_NAME = 60;

const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const ROOT_KEYWORDS = 'type, properties, required, additionalProperties';
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Combinators and references, rejected at or under a root by several model providers. */
const FORBIDDEN = [
  '$ref',
  '$schema',
  '$defs',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'const',
];

/** Size of one toolset's tool definitions as MCP publishes them. */
export interface ToolsetSummary {
  connector: string;
  toolset: string;
  tools: number;
  bytes: number;
}

export interface CatalogCheck {
  /** Mistakes in the files and in what they would publish, by file and line. */
  problems: readonly CatalogProblem[];
  /** The valid tools, in publishing order. */
  tools: readonly Tool[];
  summary: readonly ToolsetSummary[];
}

/** Loads and checks catalog folders. Never throws for a mistake in a file. */
export function checkCatalog(dirs: readonly string[], options: LoadOptions = {}): CatalogCheck {
  const { catalog, problems, places } = readCatalog(dirs, options);
  const tools = [...catalog.tools.values()];
  const found = tools.flatMap((tool) => {
    const { file, line } = places.get(tool.name) ?? { file: '', line: 0 };
    return file === ''
      ? []
      : toolProblems(tool).map((message) => ({ file, line, message: `${tool.name}: ${message}` }));
  });
  return { problems: [...problems, ...found], tools, summary: summarize(tools) };
}

/** Reasons why some client could not use the tool; empty if it is portable. */
export function toolProblems(tool: Tool): string[] {
  const problems: string[] = [];
  if (tool.name.length > MAX_TOOL_NAME)
    problems.push(`the name has ${tool.name.length} characters, more than ${MAX_TOOL_NAME}`);
  if (tool.description.length > MAX_DESCRIPTION)
    problems.push(
      `the description with its rules has ${tool.description.length} characters, more than ${MAX_DESCRIPTION}`,
    );
  for (const hint of HINTS)
    if (typeof tool.annotations[hint] !== 'boolean') problems.push(`the hint ${hint} is missing`);
  if (Object.keys(tool.inputSchema).join(', ') !== ROOT_KEYWORDS)
    problems.push(`the root of the input schema must have exactly ${ROOT_KEYWORDS}`);
  for (const name of Object.keys(tool.inputSchema['properties'] ?? {}))
    if (!PROPERTY_NAME.test(name))
      problems.push(`the parameter name ${name} does not match ${PROPERTY_NAME.source}`);
  return [...problems, ...schemaProblems(tool.inputSchema, 'input schema')];
}

function schemaProblems(schema: unknown, place: string): string[] {
  if (!isObject(schema)) return [`${place} is not an object`];
  const node = schema;
  const problems = FORBIDDEN.filter((word) => Object.hasOwn(node, word)).map(
    (word) => `${place} uses ${word}`,
  );
  if (typeof node['type'] !== 'string') problems.push(`${place} does not have one type`);
  if (node['type'] === 'array' || node['items'] !== undefined)
    problems.push(...schemaProblems(node['items'], `${place}.items`));
  for (const [name, property] of Object.entries(membersOf(node['properties'])))
    problems.push(...schemaProblems(property, `${place}.${name}`));
  return problems;
}

function summarize(tools: readonly Tool[]): ToolsetSummary[] {
  const rows = new Map<string, ToolsetSummary>();
  for (const { name, title, description, inputSchema, annotations, connector, toolset } of tools) {
    const row = rows.get(`${connector}.${toolset}`) ?? { connector, toolset, tools: 0, bytes: 0 };
    row.tools += 1;
    row.bytes += Buffer.byteLength(JSON.stringify({ name, title, description, inputSchema, annotations }));
    rows.set(`${connector}.${toolset}`, row);
  }
  return [...rows.values()];
}
