/** Makes the compiled catalog that a published build contains. */
import { COMPILED_FORMAT, type CompiledCatalog } from '../model/compiled.ts';
import { loadCatalog, type LoadOptions } from './load.ts';

/**
 * @returns plain JSON for `catalogFromCompiled`
 * @throws CatalogError like `loadCatalog`
 */
export function compileCatalog(dirs: readonly string[], options: LoadOptions = {}): CompiledCatalog {
  const { connectors, tools } = loadCatalog(dirs, options);
  return { format: COMPILED_FORMAT, connectors: [...connectors.values()], tools: [...tools.values()] };
}
