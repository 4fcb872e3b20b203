/** The compiled catalog is the catalog, and refuses to be misread. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileCatalog } from '../../../src/catalog/load/compile.ts';
import { catalogFromCompiled } from '../../../src/catalog/model/compiled.ts';
import { checkInput } from '../../../src/catalog/call/input.ts';
import { CatalogError, loadCatalog } from '../../../src/catalog/load/load.ts';
import { buildRequest } from '../../../src/catalog/call/request.ts';
import { BOOKS_CONNECTOR, catalogFolder, toolsetFile } from '../files.ts';

const SHIPPED = fileURLToPath(new URL('../../../catalogs', import.meta.url));

describe('compiled catalog', () => {
  it('equals the loaded catalog after serialization to JSON, in the same order', () => {
    const compiled: unknown = JSON.parse(JSON.stringify(compileCatalog([SHIPPED])));
    const catalog = catalogFromCompiled(compiled);
    const loaded = loadCatalog([SHIPPED]);
    expect(catalog).toEqual(loaded);
    expect([...catalog.tools.keys()]).toEqual([...loaded.tools.keys()]);
    expect(JSON.stringify([...catalog.tools.values()])).toBe(JSON.stringify([...loaded.tools.values()]));
  });

  it('checks input and builds requests like a loaded catalog', () => {
    const tool = catalogFromCompiled(JSON.parse(JSON.stringify(compileCatalog([SHIPPED])))).tools.get(
      'websearch_search',
    )!;
    expect(buildRequest(tool, checkInput(tool, { query: 'q' })).body).toEqual({
      query: 'q',
      type: 'neural',
      numResults: 10,
    });
  });

  it('accepts folders of the operator next to it', () => {
    const base = catalogFromCompiled(compileCatalog([SHIPPED]));
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': toolsetFile('request:\n  method: GET\n  path: /books'),
      'extra/more.yaml': toolsetFile(
        'limit: websearch\nrequest:\n  method: GET\n  path: /x',
        'websearch_extra',
      ).replace('connector: books', 'connector: websearch'),
    });
    const { connectors, tools } = loadCatalog([dir], { base });
    expect([...connectors.keys()]).toEqual(['books', ...base.connectors.keys()]);
    expect(tools.get('websearch_extra')?.limit).toEqual({ group: 'websearch', perMinute: 60 });
    expect(tools.size).toBe(base.tools.size + 2);
    expect(base.tools.has('books_find')).toBe(false);
  });

  it('refuses a file of another format version', () => {
    expect(() => catalogFromCompiled({ format: 0, connectors: [], tools: [] })).toThrow('npm run build');
  });

  it('compiles no catalog that has mistakes', () => {
    expect(() => compileCatalog([catalogFolder({ 'x/connector.yaml': 'name: x' })])).toThrow(CatalogError);
  });
});
