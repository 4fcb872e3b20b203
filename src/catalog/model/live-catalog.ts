/**
 * A catalog that can be exchanged while the process runs, for `serve --watch`.
 *
 * Whoever holds one reads `tools` and `connectors` from it each time, so the next call finds the new one. A call under
 * way keeps the tool it has found. Pure.
 */
import type { Catalog } from './types.ts';

export class LiveCatalog implements Catalog {
  #current: Catalog;

  constructor(first: Catalog) {
    this.#current = first;
  }

  get connectors(): Catalog['connectors'] {
    return this.#current.connectors;
  }

  get tools(): Catalog['tools'] {
    return this.#current.tools;
  }

  /** Connectors and tools at once: nobody sees the new ones of one kind beside the old ones of the other. */
  replace(next: Catalog): void {
    this.#current = next;
  }
}
