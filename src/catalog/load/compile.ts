/** Makes the compiled catalog that a published build contains. */
import { COMPILED_FORMAT, type CompiledCatalog } from '../model/compiled.ts';
import type { Catalog } from '../model/types.ts';
import { loadCatalog, type LoadOptions } from './load.ts';

/**
 * @returns plain JSON for `catalogFromCompiled`
 * @throws CatalogError like `loadCatalog`
 */
export function compileCatalog(dirs: readonly string[], options: LoadOptions = {}): CompiledCatalog {
  return compiled(loadCatalog(dirs, options));
}

/** A catalog as plain JSON, without what its base has. */
export function compiled({ connectors, tools }: Catalog, base?: Catalog): CompiledCatalog {
  return {
    format: COMPILED_FORMAT,
    connectors: [...connectors.values()].filter(({ name }) => base?.connectors.has(name) !== true),
    tools: [...tools.values()].filter(({ name }) => base?.tools.has(name) !== true),
  };
}
