/** The catalog that is shipped, read from its files, for what is made from it. */
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '../src/catalog/load/load.ts';
import type { Catalog } from '../src/catalog/model/types.ts';
import { handlers } from '../src/connectors/index.ts';

const CATALOGS = fileURLToPath(new URL('../catalogs', import.meta.url));

/** @throws CatalogError when the shipped catalog is not valid */
export function loadShippedCatalog(): Catalog {
  return loadCatalog([CATALOGS], { handlers: new Set(handlers.keys()) });
}
