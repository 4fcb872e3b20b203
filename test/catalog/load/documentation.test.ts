/** The files shown in the documentation work, and no key of the grammar is left out there. */
import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectorSchema } from '../../../src/catalog/grammar/connector-schema.ts';
import { catalogFileJsonSchema } from '../../../src/catalog/grammar/file-json-schema.ts';
import { checkCatalog } from '../../../src/catalog/load/lint.ts';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import { buildRequest } from '../../../src/catalog/call/request.ts';
import { checkInput, inputViolations } from '../../../src/catalog/call/input.ts';
import { connectorPages, page } from '../../support/documentation.ts';
import { catalogFolder } from '../files.ts';

const SHIPPED = fileURLToPath(new URL('../../../catalogs', import.meta.url));

/** The catalog files in a text: YAML blocks that start with their path. */
function filesIn(text: string): Record<string, string> {
  const blocks = text.matchAll(/^```yaml\n# catalog\/(\S+)\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, path, text]) => [path!, text!]));
}

describe('documentation of connectors (docs/adding-a-connector)', () => {
  it('shows files that make working tools', () => {
    const files = filesIn(connectorPages());
    expect(Object.keys(files)).toEqual([
      'books/connector.yaml',
      'books/shelf.yaml',
      'readers/connector.yaml',
      'readers/lists.yaml',
    ]);
    const dir = catalogFolder(files);
    expect(checkCatalog([SHIPPED, dir]).problems).toEqual([]);
    const tool = loadCatalog([dir]).tools.get('books_get')!;
    expect(buildRequest(tool, checkInput(tool, { book_id: 'b1' })).path).toBe('/books/b1');
    const add = loadCatalog([dir]).tools.get('readers_add')!;
    expect(buildRequest(add, checkInput(add, { name: 'n' })).body).toEqual({ name: 'n' });
  });

  it('shows every example connector exactly as its file', () => {
    const blocks = connectorPages().matchAll(/^```yaml\n# catalogs\/examples\/(\S+)\n([\s\S]*?)^```$/gm);
    const shown = Object.fromEntries([...blocks].map(([, path, text]) => [path!, text!]));
    const folders = readdirSync(join(SHIPPED, 'examples'));
    expect(Object.keys(shown).sort()).toEqual(folders.map((folder) => `${folder}/connector.yaml`).sort());
    for (const [path, text] of Object.entries(shown)) {
      const [modeline, ...lines] = readFileSync(join(SHIPPED, 'examples', path), 'utf8').split('\n');
      expect(modeline).toMatch(/^# yaml-language-server/);
      expect(text).toBe(lines.join('\n'));
    }
  });

  it('explains every key of connector.yaml', () => {
    const text = page('adding-a-connector/connector-yaml.md');
    for (const key of keysOf(connectorSchema.shape)) expect(text).toContain(`\`${key}`);
  });

  it.each(['oauth_m2m', 'workspace_dwd', 'trusted_idp', 'smart_fhir', 'board_oauth1', 'mcp_oauth'] as const)(
    'explains every key of %s, with the defaults',
    (block) => {
      const { auth } = connectorSchema.shape;
      const [, table = ''] = page(`adding-a-connector/${block.replace('_', '-')}.md`).split(
        `| Key of \`auth[].${block}\` `,
      );
      const rows = (table.split('\n\n')[0] ?? '').split('\n');
      for (const [key, schema] of Object.entries(auth.element.shape[block].unwrap().shape)) {
        const row = rows.find((line) => line.startsWith(`| \`${key}\` `));
        expect(row, key).toBeDefined();
        const value = (schema as { safeParse(given: undefined): { data?: unknown } }).safeParse(
          undefined,
        ).data;
        if (typeof value === 'string' || typeof value === 'number') expect(row).toContain(String(value));
      }
    },
  );

  it('explains every key of an MCP server and of its tools', () => {
    const { mcp, tools } = connectorSchema.shape;
    const text = page('adding-a-connector/mcp.md');
    const { override } = tools.unwrap().shape;
    const keys = [mcp, tools, override.unwrap().valueType].flatMap((schema) =>
      keysOf('unwrap' in schema ? schema.unwrap().shape : schema.shape),
    );
    expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  });

  it('explains every key of oauth and of the errors, with the defaults', () => {
    const { auth, errors } = connectorSchema.shape;
    const oauth = auth.element.shape.oauth.unwrap().shape;
    for (const [key, schema] of Object.entries(oauth)) {
      const row = page('adding-a-connector/oauth.md')
        .split('\n')
        .find((line) => line.startsWith(`| \`${key}\` `));
      expect(row, key).toBeDefined();
      const value = schema.safeParse(undefined).data;
      if (typeof value === 'string' || typeof value === 'boolean') expect(row).toContain(String(value));
    }
    const text = page('adding-a-connector/connector-yaml.md');
    for (const key of keysOf(errors.unwrap().shape)) expect(text).toContain(`\`errors.${key}\``);
  });
});

describe('documentation of shipped connectors (catalogs/*/README.md)', () => {
  it.each(['crm', 'mail', 'video', 'warehouse', 'websearch'])(
    'says of %s what to register where, and when it was last tried live',
    (connector) => {
      const text = readFileSync(join(SHIPPED, connector, 'README.md'), 'utf8');
      const rows = [...text.matchAll(/^\| (\w.*?) +\| \S/gm)].map(([, name]) => name);
      expect(rows.slice(0, 6)).toEqual([
        'What',
        'Register',
        'Redirect address',
        'People connect with',
        'Review by the provider',
        'Last tried live',
      ]);
      expect(page('providers.md')).toContain(`(../catalogs/${connector}/README.md)`);
    },
  );
});

describe('documentation of tools (docs/adding-a-tool.md)', () => {
  it('shows a file that adds a working tool to the shipped catalog', () => {
    const dir = catalogFolder(filesIn(page('adding-a-tool.md')));
    expect(checkCatalog([SHIPPED, dir]).problems).toEqual([]);
    const tool = loadCatalog([SHIPPED, dir]).tools.get('websearch_code')!;
    expect(buildRequest(tool, checkInput(tool, { query: 'q', language: 'python' })).body).toEqual({
      category: 'github',
      query: 'q',
      includeDomains: ['pypi.org', 'github.com'],
      numResults: 5,
    });
  });

  it('quotes the answer to invalid input', () => {
    const dir = catalogFolder(filesIn(page('adding-a-tool.md')));
    const tool = loadCatalog([SHIPPED, dir]).tools.get('websearch_code')!;
    const lines = inputViolations(tool, { queri: 'x', num_results: 50 }).map(
      (v) => `${v.field}: ${v.description}`,
    );
    expect(page('adding-a-tool.md')).toContain(lines.join(' '));
  });

  it('explains every key of a tool and of a parameter', () => {
    const [toolset] = (catalogFileJsonSchema() as { anyOf: ToolsetSchema[] }).anyOf;
    const { properties } = toolset!.properties.tools.items;
    const text = page('adding-a-tool.md');
    const parameter = (properties['parameters'] as { additionalProperties: { properties: object } })
      .additionalProperties;
    const rule = (properties['constraints'] as { items: { properties: object } }).items;
    const keys = [...keysOf(properties), ...keysOf(parameter.properties), ...keysOf(rule.properties)];
    expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  });
});

interface ToolsetSchema {
  properties: { tools: { items: { properties: Record<string, unknown> } } };
}

function keysOf(shape: object): string[] {
  return Object.keys(shape);
}
