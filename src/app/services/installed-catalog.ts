/** The catalog of this installation: the shipped one and the operator's own folders. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogFromCompiled } from '../../catalog/model/compiled.ts';
import type { Catalog } from '../../catalog/model/types.ts';

/**
 * Loads `catalogs/` next to the program and every folder of `catalog_dirs`.
 *
 * The published build contains the compiled shipped catalog, so that a start need not parse its YAML. The operator's
 * own folders are always read from their files.
 *
 * @throws CatalogError with every problem of every file
 */
export async function loadInstalledCatalog(catalogDirs: readonly string[]): Promise<Catalog> {
  const compiled = new URL('./catalog.json', import.meta.url);
  const base = existsSync(compiled)
    ? catalogFromCompiled(JSON.parse(readFileSync(compiled, 'utf8')))
    : undefined;
  if (base !== undefined && catalogDirs.length === 0) return base;
  const [{ loadCatalog }, { handlers }] = await Promise.all([
    import('../../catalog/index.ts'),
    import('../../connectors/index.ts'),
  ]);
  const known = new Set(handlers.keys());
  return base === undefined
    ? loadCatalog([shippedCatalogDir(), ...catalogDirs], { handlers: known })
    : loadCatalog(catalogDirs, { handlers: known, base });
}

/** Folder of the shipped catalog, in a checkout and in the published package. */
export function shippedCatalogDir(): string {
  const beside = new URL('../catalogs', import.meta.url);
  return fileURLToPath(existsSync(beside) ? beside : new URL('../../../catalogs', import.meta.url));
}
