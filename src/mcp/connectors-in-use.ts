/**
 * The connectors that a default tool list shows, kept steady while the process runs.
 *
 * The protocol forbids lists that change as a side effect of calls, and a call creates the account that it
 * misses. So a list may grow while the process runs, and never shrinks.
 */

/** Remembers the connectors in use, by environment. */
export class ConnectorsInUse {
  readonly #read: (environmentId: string) => Promise<ReadonlySet<string>>;
  readonly #seen = new Map<string, ReadonlySet<string>>();

  /** @param read returns connectors with an account or a connection made by the operator */
  constructor(read: (environmentId: string) => Promise<ReadonlySet<string>>) {
    this.#read = read;
  }

  /** Empty if none was in use at the first request; then every connector is listed until the process ends. */
  async of(environmentId: string): Promise<ReadonlySet<string>> {
    const seen = this.#seen.get(environmentId);
    if (seen?.size === 0) return seen;
    const now = await this.#read(environmentId);
    const all = new Set([...(seen ?? []), ...now]);
    this.#seen.set(environmentId, all);
    return all;
  }
}
