/** Makes src/connectors/inputs/: what the code of a tool gets, typed from the tool's published schema. Writes nothing itself. */
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { PublishedMembers, PublishedSchema, Tool } from '../src/catalog/model/types.ts';
import { loadShippedCatalog } from './shipped-catalog.ts';

const FOLDER = 'src/connectors/inputs';

const HEADER = `/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
 *
 * Generated from catalogs/ by \`npm run generate\`. Do not edit.
 */`;

/** Content by path below the repository: a file for each connector. */
export async function generateInputFiles(): Promise<Map<string, string>> {
  const coded = [...loadShippedCatalog().tools.values()].filter(({ handler }) => handler !== undefined);
  const files = [...Map.groupBy(coded, ({ connector }) => connector)].map(
    async ([connector, tools]) => [`${FOLDER}/${connector}.ts`, await inputsFile(tools)] as const,
  );
  return new Map(await Promise.all(files));
}

/** The inputs of those tools that have code, formatted as every other file of src. */
export async function inputsFile(tools: readonly Tool[]): Promise<string> {
  const members = tools
    .filter(({ handler }) => handler !== undefined)
    .map((tool) => `${JSON.stringify(tool.name)}: ${inputType(tool)};`);
  const text = `${HEADER}\n\n/** Inputs by the name of the tool. */\nexport interface ToolInputs {\n${members.join('\n')}\n}\n`;
  const options = await resolveConfig(join(import.meta.dirname, '..', FOLDER, 'crm.ts'));
  return format(text, { ...options, parser: 'typescript' });
}

/** A parameter whose default is sent with every call is always there. */
function inputType(tool: Tool): string {
  const { properties = {}, required = [] } = tool.inputSchema;
  const filled = Object.keys(properties).filter((name) => isFilledIn(tool, name));
  const isNullable = (name: string): boolean => tool.parameters[name]?.nullable === true;
  return membersType({ properties, required: [...required, ...filled] }, isNullable);
}

function isFilledIn({ parameters, constraints }: Tool, name: string): boolean {
  const parameter = parameters[name];
  if (parameter?.default === undefined || parameter.default_unless !== undefined) return false;
  return !constraints.some((rule) => 'when' in rule && rule.forbid?.includes(name) === true);
}

function membersType(
  { properties = {}, required = [] }: PublishedMembers,
  isNullable: (name: string) => boolean = () => false,
): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${JSON.stringify(name)}${optional}: ${valueType(schema)}${isNullable(name) ? ' | null' : ''};`;
  });
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('\n')}\n}`;
}

function valueType(schema: PublishedSchema): string {
  switch (schema.type) {
    case 'string':
      return schema.enum?.map((word) => JSON.stringify(word)).join(' | ') ?? 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return `readonly (${schema.items === undefined ? 'unknown' : valueType(schema.items)})[]`;
    default:
      return schema.properties === undefined ? 'Readonly<Record<string, unknown>>' : membersType(schema);
  }
}
