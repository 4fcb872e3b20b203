/**
 * Shares the sockets of one origin between the tenants that send requests to it.
 *
 * A tenant gets another socket only while it holds fewer than four times what stays free, and the last one only if it
 * holds none. One tenant alone thus holds at most four fifths of them, and some remain for the next one, even if no
 * answer ever comes. Tenants that wait get their turns in rotation.
 */

/** Requests of one tenant. */
interface Share {
  held: number;
  /** Called when the turn of a request has come; the oldest first. */
  readonly waiting: Set<() => void>;
}

export class FairSockets {
  #free: number;
  /** Tenants that hold a socket or wait for one. */
  readonly #shares = new Map<string | symbol, Share>();
  /** Tenants that wait for a socket; the one whose turn is next first. */
  readonly #rotation = new Set<string | symbol>();

  /** @param sockets how many requests may be on the wire at a time */
  constructor(sockets: number) {
    this.#free = sockets;
  }

  /** True if no request is on the wire and none waits. */
  get isIdle(): boolean {
    return this.#shares.size === 0;
  }

  /**
   * Calls `start` when the request may have a socket, which may be at once.
   *
   * @param tenant `undefined`: the request is a tenant of its own
   * @returns to be called once when the request needs no socket any more; before its turn it gives up its place
   */
  enter(tenant: string | undefined, start: () => void): () => void {
    const key = tenant ?? Symbol();
    const share = this.#shares.get(key) ?? { held: 0, waiting: new Set() };
    this.#shares.set(key, share);
    if (this.#rotation.size === 0 && this.#free > 0 && this.#mayTake(share)) {
      this.#take(share);
      start();
    } else {
      share.waiting.add(start);
      this.#rotation.add(key);
      this.#grant();
    }
    return () => {
      if (!share.waiting.delete(start)) {
        share.held -= 1;
        this.#free += 1;
      }
      this.#forgetIfDone(key, share);
      this.#grant();
    };
  }

  #grant(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [key, share, start] = next;
      share.waiting.delete(start);
      this.#take(share);
      this.#rotation.delete(key);
      if (share.waiting.size > 0) this.#rotation.add(key);
      start();
    }
  }

  #take(share: Share): void {
    share.held += 1;
    this.#free -= 1;
  }

  /** At most as many tenants are passed over as there are sockets: a tenant that holds none is never passed over. */
  #next(): [string | symbol, Share, () => void] | undefined {
    if (this.#free === 0) return undefined;
    for (const key of this.#rotation) {
      const share = this.#shares.get(key);
      const [start] = share?.waiting ?? [];
      if (share !== undefined && start !== undefined && this.#mayTake(share)) return [key, share, start];
    }
    return undefined;
  }

  #mayTake({ held }: Share): boolean {
    return held === 0 || held < 4 * (this.#free - 1);
  }

  #forgetIfDone(key: string | symbol, share: Share): void {
    if (share.waiting.size > 0) return;
    this.#rotation.delete(key);
    if (share.held === 0) this.#shares.delete(key);
  }
}
