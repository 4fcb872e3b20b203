/**
 * Generates files from the catalog: catalogs/schema.json for editors and docs/tools.md for people. Writes
 * nothing itself.
 */
import { catalogFileJsonSchema } from '../src/catalog/grammar/file-json-schema.ts';
import { loadShippedCatalog } from './shipped-catalog.ts';
import { toolsPage } from './tools-page.ts';

/**
 * @returns content by path below the repository
 * @throws CatalogError if the shipped catalog is not valid
 */
export function generateCatalogFiles(): Map<string, string> {
  return new Map([
    ['catalogs/schema.json', `${JSON.stringify(catalogFileJsonSchema(), null, 2)}\n`],
    ['docs/tools.md', toolsPage(loadShippedCatalog())],
  ]);
}
