/**
 * Measures where the time of one call goes: waits in queues, and requests at the provider. Waits of a call are
 * reported to measured.ts too.
 *
 * Requests of a call may run at the same time. Time in which several of them wait counts once, and so does time in
 * which the provider works on several.
 */
import { queueWaits, type Queue } from './measured.ts';

/** Shorter waits are turns of the event loop, not queues. */
const SHORTEST_WAIT_MS = 1;

/** Tells about a wait that has ended, unless it was hardly one. @param startedAt by the clock of `performance` */
export function tellWait(queue: Queue, startedAt: number): void {
  const durationMs = performance.now() - startedAt;
  if (durationMs >= SHORTEST_WAIT_MS) queueWaits.tell({ queue, durationMs });
}

/** Measures the time in which at least one of several activities was running. */
class Span {
  totalMs = 0;
  #running = 0;
  #since = 0;

  begin(): void {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
    if (this.#running === 0) this.totalMs += performance.now() - this.#since;
  }
}

/** One call. */
export class CallTimes {
  /** Requests sent to the provider, or that were waiting to be. */
  attempts = 0;
  /** Number of renewals of the credential during the call. */
  renewals = 0;
  readonly #queue = new Span();
  readonly #provider = new Span();

  /** Milliseconds in queues: for a connection to the provider, and for the renewal of the credential. */
  get queueMs(): number {
    return Math.round(this.#queue.totalMs);
  }

  /** Milliseconds from a connection to the answer. */
  get providerMs(): number {
    return Math.round(this.#provider.totalMs);
  }

  /** Waits for a renewal of the credential, whether this call or another one runs it. */
  async waiting<T>(renewal: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.#queue.begin();
    try {
      return await renewal();
    } finally {
      this.#queue.end();
      tellWait('refresh', startedAt);
    }
  }

  /** Makes an attempt. @param send calls its parameter when the request has a connection */
  async attempt<T>(send: (onTurn: () => void) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let span = this.#queue;
    span.begin();
    this.attempts += 1;
    const onTurn = (): void => {
      if (span === this.#provider) return;
      span.end();
      tellWait('provider', startedAt);
      span = this.#provider;
      span.begin();
    };
    try {
      return await send(onTurn);
    } finally {
      span.end();
      if (span === this.#queue) tellWait('provider', startedAt);
    }
  }
}
