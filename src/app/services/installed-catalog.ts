/** The catalog of this installation: the shipped one and the operator's own folders. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSourceTexts } from '../../catalog/load/source-texts.ts';
import { catalogFromCompiled } from '../../catalog/model/compiled.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import { programVersion } from '../../core/program-version.ts';
import { CatalogCache } from './catalog-cache.ts';

/**
 * Loads `catalogs/` next to the program and every folder of `catalog_dirs`.
 *
 * The published build contains the compiled shipped catalog, so that a start need not parse its YAML. The compiled form
 * of the operator's own folders is kept in `cacheIn`, if the program is a published build.
 *
 * @param options `cacheIn`: the data folder. `shippedFile`: the compiled shipped catalog of the build
 * @throws CatalogError with every problem of every file
 */
export async function loadInstalledCatalog(
  catalogDirs: readonly string[],
  {
    cacheIn,
    shippedFile = new URL('./catalog.json', import.meta.url),
  }: { cacheIn?: string; shippedFile?: URL } = {},
): Promise<Catalog> {
  const shipped = existsSync(shippedFile) ? readFileSync(shippedFile, 'utf8') : undefined;
  const base = shipped === undefined ? undefined : catalogFromCompiled(JSON.parse(shipped));
  if (base !== undefined && catalogDirs.length === 0) return base;
  const texts = readSourceTexts(base === undefined ? [shippedCatalogDir(), ...catalogDirs] : catalogDirs);
  // The shipped catalog names the build.
  const cache =
    shipped === undefined || cacheIn === undefined
      ? undefined
      : new CatalogCache(cacheIn, [programVersion(), shipped], texts);
  const kept = cache?.read();
  if (kept !== undefined) return catalogFromCompiled(kept, base);
  const [{ loadCatalog, compiled }, { handlers }] = await Promise.all([
    import('../../catalog/index.ts'),
    import('../../connectors/index.ts'),
  ]);
  const catalog = loadCatalog(texts, {
    handlers: new Set(handlers.keys()),
    ...(base !== undefined && { base }),
  });
  cache?.keep(compiled(catalog, base));
  return catalog;
}

/** Folder of the shipped catalog, in a checkout and in the published package. */
export function shippedCatalogDir(): string {
  const beside = new URL('../catalogs', import.meta.url);
  return fileURLToPath(existsSync(beside) ? beside : new URL('../../../catalogs', import.meta.url));
}
