/**
 * Builds a catalog from plain JSON, so that a start need not read YAML or check file shapes: the shipped one in a
 * published build, and the operator's own where app/services/catalog-cache.ts keeps it.
 *
 * The JSON is trusted like code: it is made by this program from files that passed every check. This file imports only
 * what every start needs.
 */
import type { Catalog, Connector, Tool } from './types.ts';

/** Raised when the shapes change, so that a stale file is refused and not misread. */
export const COMPILED_FORMAT = 2;

/** Content of dist/catalog.json, written by the build. */
export interface CompiledCatalog {
  format: number;
  /** Digest of the built program; absent from what is not the shipped catalog. */
  build?: string;
  connectors: readonly Connector[];
  tools: readonly Tool[];
}

/**
 * @param json parsed dist/catalog.json, or a kept catalog
 * @param base the catalog that it adds to
 * @throws Error if it was made by another version of the program
 */
export function catalogFromCompiled(json: unknown, base?: Catalog): Catalog {
  const { format, connectors, tools } = json as CompiledCatalog;
  if (format !== COMPILED_FORMAT)
    throw new Error(
      'The compiled catalog belongs to another version of Gatehouse. Run `npm run build` again.',
    );
  return catalogOf(
    [...(base?.connectors.values() ?? []), ...connectors],
    [...(base?.tools.values() ?? []), ...tools],
  );
}

/** A catalog in publishing order: connectors by name, tools by connector and name. */
export function catalogOf(connectors: Iterable<Connector>, tools: Iterable<Tool>): Catalog {
  return {
    connectors: new Map(
      [...connectors].sort((a, b) => compare(a.name, b.name)).map((connector) => [connector.name, connector]),
    ),
    tools: new Map(
      [...tools]
        .sort((a, b) => compare(a.connector, b.connector) || compare(a.name, b.name))
        .map((tool) => [tool.name, tool]),
    ),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
