/** The catalog as one environment sees it: with the connectors and tools that were added there while the program runs. */
import type { Catalog } from './types.ts';

/** The catalogs of all environments. Readers have to name an environment. */
export interface EnvironmentCatalogs {
  in(environmentId: string): Catalog;
}

/** A catalog to which environments may add. */
export interface CatalogOfEnvironments extends Catalog, EnvironmentCatalogs {
  /** Reads the additions of other processes. */
  refresh(): Promise<void>;
}

/** The catalog of an environment: the catalog itself if nothing was added. */
export function catalogIn(catalog: Catalog, environmentId: string): Catalog {
  return 'in' in catalog ? (catalog as CatalogOfEnvironments).in(environmentId) : catalog;
}

/** Reads the additions of other processes, if the catalog can have any. @throws the error of the database */
export async function refreshCatalog(catalog: Catalog): Promise<void> {
  if ('refresh' in catalog) await (catalog as CatalogOfEnvironments).refresh();
}
