/**
 * Builds a catalog from plain JSON, so that a published build starts without reading YAML or checking file
 * shapes.
 *
 * The JSON is trusted like code: compile.ts makes it in the build, from files that passed every check. This
 * file imports only what every start needs.
 */
import type { Catalog, Connector, Tool } from './types.ts';

/** Raised when the shapes change, so that a stale file is refused and not misread. */
export const COMPILED_FORMAT = 1;

/** Content of dist/catalog.json, written by the build. */
export interface CompiledCatalog {
  format: number;
  connectors: readonly Connector[];
  tools: readonly Tool[];
}

/**
 * @param json parsed dist/catalog.json
 * @throws Error if it was made by another version of the program
 */
export function catalogFromCompiled(json: unknown): Catalog {
  const { format, connectors, tools } = json as CompiledCatalog;
  if (format !== COMPILED_FORMAT)
    throw new Error(
      'The compiled catalog belongs to another version of Gatehouse. Run `npm run build` again.',
    );
  return {
    connectors: new Map(connectors.map((connector) => [connector.name, connector])),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
  };
}
