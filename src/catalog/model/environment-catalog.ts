/** The catalog as one environment sees it: with the connectors and tools that were added there while the program runs. */
import type { Catalog } from './types.ts';

/** A catalog whose environments may have more than it has itself. */
export interface CatalogOfEnvironments extends Catalog {
  in(environmentId: string): Catalog;
}

/** What an environment sees: the catalog itself where nothing was added. */
export function catalogIn(catalog: Catalog, environmentId: string): Catalog {
  return 'in' in catalog ? (catalog as CatalogOfEnvironments).in(environmentId) : catalog;
}
