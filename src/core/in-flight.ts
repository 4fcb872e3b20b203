/** Work that is under way, for shutdown to wait for. Neither starts nor cancels it. */
export class InFlight {
  readonly #running = new Set<Promise<unknown>>();

  /** Counts this work as under way until it is over. @returns its outcome */
  track<Value>(work: Promise<Value>): Promise<Value> {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    return tracked;
  }

  /** Resolves when nothing is under way, including work that starts in the meantime. Never throws. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
