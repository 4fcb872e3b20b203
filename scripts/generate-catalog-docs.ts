/**
 * Generates files from the catalog: catalogs/schema.json for editors and docs/tools.md for people. Writes
 * nothing itself.
 */
import { fileURLToPath } from 'node:url';
import { catalogFileJsonSchema } from '../src/catalog/grammar/file-json-schema.ts';
import { loadCatalog } from '../src/catalog/load/load.ts';
import { handlers } from '../src/connectors/index.ts';
import { toolsPage } from './tools-page.ts';

const CATALOGS = fileURLToPath(new URL('../catalogs', import.meta.url));

/**
 * @returns content by path below the repository
 * @throws CatalogError if the shipped catalog is not valid
 */
export function generateCatalogFiles(): Map<string, string> {
  const catalog = loadCatalog([CATALOGS], { handlers: new Set(handlers.keys()) });
  return new Map([
    ['catalogs/schema.json', `${JSON.stringify(catalogFileJsonSchema(), null, 2)}\n`],
    ['docs/tools.md', toolsPage(catalog)],
  ]);
}
