/**
 * The samples of all pages for readers: settings, parts of catalog files, JSON, requests of the REST API, excerpts of the
 * source. Each block of a page belongs to a check, here or in the test that is named, or says why it has none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalogFileJsonSchema } from '../../src/catalog/grammar/file-json-schema.ts';
import { loadCatalog } from '../../src/catalog/load/load.ts';
import { catalogFolder } from '../catalog/files.ts';
import { blocksOf, documentedPages, type Block } from '../support/documentation.ts';

const ROOT = join(import.meta.dirname, '../..');

const BLOCKS = documentedPages().flatMap(blocksOf);

const jsonOf = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

const place = ({ page, line }: { page: string; line: number }): string => `${page}:${line}`;

const written = (language: string) => BLOCKS.filter((block) => block.language === language);

const SETTINGS_SCHEMA = jsonOf('gatehouse.schema.json') as { properties: object };

function isSettings({ language, text }: Block): boolean {
  if (language !== 'yaml') return false;
  const value: unknown = parse(text, { uniqueKeys: false });
  const known = new Set(Object.keys(SETTINGS_SCHEMA.properties));
  return value instanceof Object && Object.keys(value).every((key) => known.has(key));
}

/** A part of a catalog file, to show one key. */
function isFragment(block: Block): boolean {
  return block.page === 'docs/adding-a-tool.md' && block.language === 'yaml' && block.file === undefined;
}

const TRACKER = /^# tracker\/connector\.yaml, in a folder of catalog_dirs\n/;

/** An excerpt, whose first line names its file. */
const EXCERPT = /^\/\/ (?<file>src\/\S+\.ts)\b.*\n/;

/** Every kind of block, and the test that holds it to the program. */
const CHECKS: readonly (readonly [test: string, holds: (block: Block) => boolean])[] = [
  ['test/process/documented-commands, test/process/documented-examples', ({ language }) => language === 'sh'],
  ['here', isSettings],
  ['here', isFragment],
  ['here', ({ language, text }) => language === 'yaml' && TRACKER.test(text)],
  ['here', ({ language }) => language === 'json' || language === 'http'],
  ['here', ({ language, text }) => language === 'ts' && EXCERPT.test(text)],
  [
    'test/catalog/load/documentation',
    ({ language, file = '' }) => language === 'yaml' && /^catalogs?\//.test(file),
  ],
  ['test/catalog/import/documentation', ({ page }) => page === 'docs/adding-a-connector/openapi.md'],
  ['test/catalog/load/documentation', ({ language }) => language === 'console'],
  [
    'test/process/documented-commands',
    ({ language, file = '' }) => language === 'js' && /^(books|readers)\.mjs$/.test(file),
  ],
  [
    'test/process/interceptors, test/process/webhooks',
    ({ language, page }) => language === 'js' && /^docs\/(interceptors|webhooks)\.md$/.test(page),
  ],
  ['test/mcp/result, test/mcp/tool-error', ({ page }) => /^docs\/mcp-(input|results)\.md$/.test(page)],
  // A drawing: no command and no sample.
  ['none', ({ language, page }) => language === '' && /^docs\/(architecture|concepts)\.md$/.test(page)],
];

interface Operation {
  requestBody?: { content: Record<string, { schema: object }> };
}

describe('documented samples', () => {
  it('belong each to a test that holds them to the program, or say why to none', () => {
    const fences = documentedPages().flatMap(
      (page) => readFileSync(join(ROOT, page), 'utf8').match(/^ *(?:```|~~~)/gm) ?? [],
    );
    expect(fences).toHaveLength(2 * BLOCKS.length);
    const left = BLOCKS.filter(({ notRun }) => notRun === undefined).filter(
      (block) => !CHECKS.some(([, holds]) => holds(block)),
    );
    expect(left.map(place)).toEqual([]);
    const unused = CHECKS.filter(([, holds]) => !BLOCKS.some(holds));
    expect(unused).toEqual([]);
  });

  it('start programs of the checkout with its own Node, because that of the machine may not read TypeScript', () => {
    const lines = documentedPages().flatMap((page) =>
      readFileSync(join(ROOT, page), 'utf8')
        .split('\n')
        .map((text) => ({ page, text })),
    );
    expect(lines.filter(({ text }) => /\bnpx node (?:scripts|bench)\//.test(text)).length).toBeGreaterThan(5);
    expect(lines.filter(({ text }) => /(?<!npx )\bnode (?:scripts|bench)\//.test(text))).toEqual([]);
  });

  it('show settings that the schema accepts', () => {
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(SETTINGS_SCHEMA);
    const settings = BLOCKS.filter(isSettings).map((block) => ({
      at: place(block),
      value: parse(block.text, { uniqueKeys: false }) as unknown,
    }));
    expect(settings.length).toBeGreaterThan(8);
    const refused = settings.flatMap(({ at, value }) =>
      accepts(value)
        ? []
        : [
            `${at}: ${accepts.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')}`,
          ],
    );
    expect(refused).toEqual([]);
  });

  it('parse as JSON where they say so, one value or one on each line', () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const blocks = written('json');
    expect(blocks.length).toBeGreaterThan(8);
    const broken = blocks.filter(({ text }) => !isJson(text) && !text.trim().split('\n').every(isJson));
    expect(broken.map(place)).toEqual([]);
  });

  it('show requests that the API describes, with bodies that it accepts', () => {
    const api = jsonOf('test/surface/http/openapi.json') as {
      paths: Record<string, Record<string, Operation>>;
      components: object;
    };
    const requests = written('http').map((block) => {
      const [start = '', body = ''] = block.text.split('\n');
      const [method = '', path = ''] = start.split(' ');
      const [, { [method.toLowerCase()]: operation } = {}] =
        Object.entries(api.paths).find(([pattern]) =>
          new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
        ) ?? [];
      const schema = operation?.requestBody?.content['application/json']?.schema;
      const accepts = new Ajv2020({ strict: false, validateFormats: false });
      const isValid =
        schema !== undefined && accepts.validate({ ...schema, components: api.components }, JSON.parse(body));
      return [place(block), isValid ? 'valid' : accepts.errorsText()];
    });
    expect(requests.map(([, outcome]) => outcome)).toEqual(['valid', 'valid']);
  });

  it('show parts of catalog files that the grammar has', () => {
    const { anyOf, $defs } = catalogFileJsonSchema() as {
      anyOf: { properties: Record<string, { items: { properties: object } }> }[];
      $defs: object;
    };
    const [toolset, connector] = anyOf;
    const properties = { ...connector!.properties, ...toolset!.properties['tools']!.items.properties };
    const schema = withoutRequired({ $defs, properties, additionalProperties: false });
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const parts = BLOCKS.filter(isFragment).flatMap((block) =>
      // Two files in one block are apart by an empty line.
      block.text
        .split('\n\n')
        .map((text) => ({ at: place(block), value: [parse(text)].flat()[0] as unknown })),
    );
    expect(parts).toHaveLength(5);
    const refused = parts.filter(({ value }) => !accepts(value));
    expect(refused).toEqual([]);
  });

  it('show a connector of an MCP server that loads', () => {
    const [block, ...others] = BLOCKS.filter(({ text }) => TRACKER.test(text));
    const { connectors } = loadCatalog([catalogFolder({ 'tracker/connector.yaml': block!.text })]);
    expect([others, connectors.get('tracker')?.mcp?.url]).toEqual([[], 'https://mcp.tracker.example/mcp']);
  });

  it('show excerpts that their files hold, in this order', () => {
    const excerpts = written('ts');
    expect(excerpts.length).toBeGreaterThan(3);
    const wrong = excerpts.flatMap((block) => {
      const { file = '' } = EXCERPT.exec(block.text)?.groups ?? {};
      const source = packed(readFileSync(join(ROOT, file), 'utf8'));
      const parts = block.text.replace(EXCERPT, '').split(/\/\* … \*\/|\/\/ …|…/);
      let from = 0;
      return parts.map(packed).filter((part) => {
        const at = source.indexOf(part, from);
        from = Math.max(from, at + part.length);
        return at < 0;
      });
    });
    expect(wrong).toEqual([]);
  });
});

/** Code without what formatting decides. */
function packed(code: string): string {
  return code.replaceAll(/\s+/g, '').replaceAll(/,(?=[\]})])/g, '');
}

/** The same schema for parts of a value. */
function withoutRequired<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutRequired) as T;
  if (!(schema instanceof Object)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'required' || !Array.isArray(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRequired(value as unknown)])) as T;
}
