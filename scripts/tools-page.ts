/** docs/tools.md: every shipped tool with its parameters, rules, scopes and the provider's own page. Pure. */
import { ruleSentence, toldBy } from '../src/catalog/model/constraints.ts';
import type { Catalog, Connector, Parameter, Tool } from '../src/catalog/model/types.ts';

const EFFECTS = { read: 'reads', create: 'creates', update: 'changes', delete: 'deletes' } as const;

/** The page as Markdown. */
export function toolsPage(catalog: Catalog): string {
  const tools = [...catalog.tools.values()];
  const connectors = [...catalog.connectors.values()];
  const sections = connectors.map((connector) =>
    connectorSection(
      connector,
      tools.filter((tool) => tool.connector === connector.name),
    ),
  );
  return `<!-- Generated from catalogs/ by \`npm run generate\`. Do not edit. -->

# Tools

${tools.length} tools of ${connectors.length} ${connectors.length === 1 ? 'connector' : 'connectors'}. \`gatehouse tools show <name>\` prints one of them, with its JSON Schema; [add a tool](adding-a-tool.md) says how to have more.

${connectors.map(({ name, title }) => `- [${title}](#${anchor(`${title} (${name})`)}): ${toolCount(tools, name)} tools`).join('\n')}

${sections.join('\n')}`;
}

function connectorSection(connector: Connector, tools: readonly Tool[]): string {
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))].sort();
  const hosts = connector.hosts.map(({ url }) => `\`${url}\``).join(', ');
  const auth = connector.auth.map(({ type, fields }) =>
    fields.length === 0 ? `\`${type}\`` : `\`${type}\` (${fields.map(({ label }) => label).join(', ')})`,
  );
  const limits = Object.entries(connector.limits ?? {}).map(
    ([group, calls]) => `- Limit: ${calls} calls a minute and account (${group})\n`,
  );
  const scopes = connector.auth
    .flatMap((way) => Object.entries(way.scopes ?? {}))
    .map(([scope, meaning]) => `- Scope \`${scope}\`: ${meaning}\n`);
  const sections = toolsets.map((toolset) =>
    toolsetSection(
      `${connector.name}.${toolset}`,
      tools.filter((tool) => tool.toolset === toolset),
    ),
  );
  return `## ${connector.title} (\`${connector.name}\`)

${connector.description}

- Address: ${hosts}
- Authorization: ${auth.join(', ')}
${limits.join('')}${scopes.join('')}
${sections.join('\n')}`;
}

function toolsetSection(name: string, tools: readonly Tool[]): string {
  return `### Toolset \`${name}\`

${tools.map(toolSection).join('\n')}`;
}

function toolSection(tool: Tool): string {
  const rules = tool.constraints.map(ruleSentence);
  const ownWords = tool.constraints
    .filter((rule) => toldBy(rule) === undefined)
    .reduceRight((text, rule) => text.slice(0, -ruleSentence(rule).length).trimEnd(), tool.description);
  const scopes = tool.scopes.map((group) => group.map((scope) => `\`${scope}\``).join(' or '));
  const facts = [
    ...rules.map((rule) => `- Rule: ${rule}\n`),
    scopes.length === 0 ? '' : `- Scopes: ${scopes.join('; ')}\n`,
    tool.limit === undefined
      ? ''
      : `- Limit: counts for ${tool.limit.group}, ${tool.limit.perMinute} a minute\n`,
    `- Provider: <${tool.source.url}> (checked ${tool.source.checked})\n`,
  ];
  return `#### \`${tool.name}\`

${plain(ownWords)} _(${EFFECTS[tool.effect]})_

${parameterTable(tool)}${facts.join('')}`;
}

function parameterTable({ parameters }: Tool): string {
  const rows = Object.entries(parameters).map(([name, parameter]) => {
    const need = parameter.required ? 'required' : '';
    return `| \`${name}\` | ${typeText(parameter)} | ${need} | ${cell(limitsText(parameter))} |\n`;
  });
  if (rows.length === 0) return 'No parameters.\n\n';
  return `| Parameter | Type | | |\n|---|---|---|---|\n${rows.join('')}\n`;
}

function typeText({ type, items, format }: Parameter): string {
  const kind = format ?? type;
  return type === 'array' && typeof items?.['type'] === 'string' ? `array of ${items['type']}` : kind;
}

/** The description, and what the schema says in addition to the type. */
function limitsText(parameter: Parameter): string {
  const { minimum, maximum, default: standard, enum: values } = parameter;
  const range = [
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined ? '' : `to ${maximum}`,
  ].filter((part) => part !== '');
  const length = [
    parameter.min_length === undefined ? '' : `at least ${parameter.min_length}`,
    parameter.max_length === undefined ? '' : `at most ${parameter.max_length}`,
  ].filter((part) => part !== '');
  const items = [
    parameter.min_items === undefined ? '' : `at least ${parameter.min_items}`,
    parameter.max_items === undefined ? '' : `at most ${parameter.max_items}`,
  ].filter((part) => part !== '');
  return [
    parameter.description,
    range.length === 0 ? '' : `Range: ${range.join(' ')}.`,
    length.length === 0 ? '' : `Characters: ${length.join(', ')}.`,
    items.length === 0 ? '' : `Items: ${items.join(', ')}.`,
    values === undefined ? '' : `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    standard === undefined ? '' : `Default: \`${JSON.stringify(standard)}\`.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function toolCount(tools: readonly Tool[], connector: string): number {
  return tools.filter((tool) => tool.connector === connector).length;
}

/** The anchor that GitHub makes from a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

function cell(text: string): string {
  return plain(text).replaceAll('|', '\\|');
}

/** Escapes text so that Markdown shows it unchanged. */
function plain(text: string): string {
  return text
    .replaceAll('<', '&lt;')
    .replaceAll(/(?<=\s)[*_](?=\S)/g, '\\$&')
    .replaceAll('\n', ' ');
}
