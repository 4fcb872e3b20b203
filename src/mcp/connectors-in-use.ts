/**
 * The connectors a default tool list shows, kept steady while the process runs.
 *
 * The protocol forbids lists that change as a side effect of calls, and a call makes the account it misses.
 * So a list may grow while the process runs, and never shrinks.
 */

/** Remembers per environment what was in use. */
export class ConnectorsInUse {
  readonly #read: (environmentId: string) => Promise<ReadonlySet<string>>;
  readonly #seen = new Map<string, ReadonlySet<string>>();

  /** @param read connectors with an account or a connection made by the operator */
  constructor(read: (environmentId: string) => Promise<ReadonlySet<string>>) {
    this.#read = read;
  }

  /** Empty: none was in use when first asked, and every connector is listed until the process ends. */
  async of(environmentId: string): Promise<ReadonlySet<string>> {
    const seen = this.#seen.get(environmentId);
    if (seen?.size === 0) return seen;
    const now = await this.#read(environmentId);
    const all = new Set([...(seen ?? []), ...now]);
    this.#seen.set(environmentId, all);
    return all;
  }
}
