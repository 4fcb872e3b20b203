/** Makes what follows from the catalog: catalogs/schema.json for editors and docs/tools.md for people. Writes nothing itself. */
import { fileURLToPath } from 'node:url';
import { catalogFileJsonSchema } from '../src/catalog/file-json-schema.ts';
import { loadCatalog } from '../src/catalog/load.ts';
import type { Catalog, Connector, Tool } from '../src/catalog/types.ts';
import { handlers } from '../src/connectors/index.ts';

const CATALOGS = fileURLToPath(new URL('../catalogs', import.meta.url));

const EFFECTS = { read: 'reads', create: 'creates', update: 'changes', delete: 'deletes' } as const;

/**
 * @returns content by path below the repository
 * @throws CatalogError when the shipped catalog is not valid
 */
export function generateCatalogFiles(): Map<string, string> {
  const catalog = loadCatalog([CATALOGS], { handlers: new Set(handlers.keys()) });
  return new Map([
    ['catalogs/schema.json', `${JSON.stringify(catalogFileJsonSchema(), null, 2)}\n`],
    ['docs/tools.md', toolsPage(catalog)],
  ]);
}

function toolsPage(catalog: Catalog): string {
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

${tools.length} tools of ${connectors.length} ${connectors.length === 1 ? 'connector' : 'connectors'}. Required parameters are bold. \`gatehouse tools show <name>\` prints everything about one tool; [add a tool](adding-a-tool.md) says how to have more.

${sections.join('\n')}`;
}

function connectorSection(connector: Connector, tools: readonly Tool[]): string {
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))].sort();
  const hosts = connector.hosts.map(({ url }) => `\`${url}\``).join(', ');
  const auth = connector.auth.map(({ type, fields }) =>
    fields.length === 0 ? `\`${type}\`` : `\`${type}\` (${fields.map(({ label }) => label).join(', ')})`,
  );
  const limits = Object.entries(connector.limits ?? {}).map(
    ([group, calls]) => `${calls} calls a minute and account (${group})`,
  );
  const scopes = connector.auth.flatMap((auth) => Object.entries(auth.scopes ?? {}));
  return `## ${connector.title} (\`${connector.name}\`)

${connector.description}

- Address: ${hosts}
- Authorization: ${auth.join(', ')}
${limits.map((limit) => `- Limit: ${limit}\n`).join('')}${scopes.map(([scope, meaning]) => `- Scope \`${scope}\`: ${meaning}\n`).join('')}
${toolsets
  .map((toolset) =>
    toolsetTable(
      `${connector.name}.${toolset}`,
      tools.filter((tool) => tool.toolset === toolset),
    ),
  )
  .join('\n')}`;
}

function toolsetTable(name: string, tools: readonly Tool[]): string {
  return `### Toolset \`${name}\`

| Tool | Effect | Does | Parameters |
|---|---|---|---|
${tools.map(row).join('\n')}
`;
}

function row(tool: Tool): string {
  const [firstSentence = ''] = tool.description.split(/(?<=\.) /);
  const parameters = Object.entries(tool.parameters).map(([name, { required }]) =>
    required ? `**\`${name}\`**` : `\`${name}\``,
  );
  return `| \`${tool.name}\` | ${EFFECTS[tool.effect]} | ${cell(firstSentence)} | ${parameters.join(' ') || 'none'} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
