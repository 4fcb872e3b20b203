/**
 * A catalog that can be replaced while the process runs, for `serve --watch`.
 *
 * Users of it read `tools` and `connectors` each time, so that the next call sees the new ones. A call in
 * progress keeps its tool. Pure.
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

  /**
   * Replaces connectors and tools together: nobody sees new ones of one kind next to old ones of the other.
   */
  replace(next: Catalog): void {
    this.#current = next;
  }
}
