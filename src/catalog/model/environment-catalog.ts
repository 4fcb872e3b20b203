/** The catalog as one environment sees it: with the connectors and tools that were added there while the program runs. */
import type { Catalog } from './types.ts';

/** The catalogs of all environments: readers have to say whose they mean. */
export interface EnvironmentCatalogs {
  in(environmentId: string): Catalog;
}

/** A catalog whose environments may have more than it has itself. */
export interface CatalogOfEnvironments extends Catalog, EnvironmentCatalogs {
  /** Reads what other processes have added. */
  refresh(): Promise<void>;
}

/** The catalog of an environment: the catalog itself if nothing was added. */
export function catalogIn(catalog: Catalog, environmentId: string): Catalog {
  return 'in' in catalog ? (catalog as CatalogOfEnvironments).in(environmentId) : catalog;
}

/** Reads what other processes have added meanwhile, where such a thing is possible. @throws what the database fails with */
export async function refreshCatalog(catalog: Catalog): Promise<void> {
  if ('refresh' in catalog) await (catalog as CatalogOfEnvironments).refresh();
}
