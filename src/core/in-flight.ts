/**
 * Work that is under way, for shutdown to wait for. Neither starts nor cancels it.
 *
 * It is counted and not held: V8 keeps what was in a busy `Set` until the next full garbage collection.
 */
export class InFlight {
  #running = 0;
  #settled: PromiseWithResolvers<void> | undefined;

  /** Counts this work as under way until it is over. @returns its outcome */
  track<Value>(work: Promise<Value>): Promise<Value> {
    this.#running += 1;
    return work.finally(() => {
      this.#running -= 1;
      if (this.#running > 0) return;
      this.#settled?.resolve();
      this.#settled = undefined;
    });
  }

  /** Resolves when nothing is under way, including work that starts in the meantime. Never throws. */
  async settled(): Promise<void> {
    while (this.#running > 0) {
      this.#settled ??= Promise.withResolvers();
      await this.#settled.promise;
    }
  }
}
